"""Findings of a base, for pages."""

from collections.abc import Sequence

from django.db.models import Count

from console.study.models import Decision, Finding, FindingQuerySet, StudyPass


def findings_of(base_id: str, decision: Decision) -> FindingQuerySet:
    return Finding.objects.of(base_id).filter(decision=decision)


def finding_counts(base_id: str) -> dict[str, int]:
    """By decision; zero where there is none."""
    rows = Finding.objects.of(base_id).order_by().values("decision").annotate(n=Count("pk"))
    return dict.fromkeys(Decision.values, 0) | {row["decision"]: row["n"] for row in rows}


def chosen_findings(base_id: str, keys: Sequence[int]) -> list[Finding]:
    """Those of the base among the given ones, in their order on the page."""
    return list(Finding.objects.of(base_id).filter(pk__in=keys))


def last_pass(base_id: str) -> StudyPass | None:
    return StudyPass.objects.filter(base_id=base_id).first()
