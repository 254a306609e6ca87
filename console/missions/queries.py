"""Reading missions: of a project on the base it reads, never of another."""

from django.db.models import Count, Prefetch

from console.missions.models import Attempt, Mission, MissionQuerySet, MissionState, Result
from console.projects.models import Project


def missions_of(project: Project, base_id: str, state: MissionState | None = None) -> MissionQuerySet:
    """Queued ones in the order they are claimed in, others latest first."""
    rows = Mission.objects.of(project, base_id)
    rows = rows.filter(state=state) if state else rows
    attempts = Attempt.objects.select_related("token").order_by("pk")
    rows = rows.prefetch_related(Prefetch("attempts", queryset=attempts))
    return rows.order_by("pk" if state is MissionState.QUEUED else "-pk")


def mission_counts(project: Project, base_id: str) -> dict[str, int]:
    counted = Mission.objects.of(project, base_id).order_by().values_list("state").annotate(number=Count("pk"))
    return {**dict.fromkeys(MissionState.values, 0), **dict(counted)}


def find_mission(project: Project, base_id: str, key: str) -> Mission | None:
    return missions_of(project, base_id).select_related("project").filter(key=key).first()


def results_of(mission: Mission) -> list[Result]:
    """Latest first, with packages and who handed it in."""
    rows = Result.objects.filter(mission=mission).select_related("attempt__token").order_by("-pk")
    return list(rows.prefetch_related("packages__token", "packages__quotes", "packages__outcomes"))
