"""Reading the gaps of a project on the base it reads."""

from django.db.models import Count

from console.gaps.models import Gap, GapQuerySet, GapState
from console.projects.models import Project


def gaps_of(project: Project, base_id: str, state: GapState) -> GapQuerySet:
    rows = Gap.objects.of(project, base_id).filter(state=state).select_related("token")
    return rows.order_by("-count", "-last_at") if state is GapState.OPEN else rows.order_by("-ended_at")


def gap_counts(project: Project, base_id: str) -> dict[str, int]:
    counted = Gap.objects.of(project, base_id).order_by().values_list("state").annotate(number=Count("pk"))
    return {**dict.fromkeys(GapState.values, 0), **dict(counted)}


def find_gap(project: Project, base_id: str, pk: int) -> Gap | None:
    return Gap.objects.of(project, base_id).select_related("project").filter(pk=pk).first()


def has_waiting(project: Project, base_id: str, revision: int) -> bool:
    return Gap.objects.of(project, base_id).open().filter(asked_revision__lt=revision).exists()
