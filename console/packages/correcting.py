"""After an act of a person: which served statements no longer stand as they were told, and in which packages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

import structlog
from django.db import transaction

from console.packages.models import Correction, Quote
from knowledge.failures import Failed
from knowledge.provider import KnowledgeProvider
from knowledge.records import Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Status

log = structlog.get_logger("console.packages")

HOLDS = "holds"
PAST = "past"
STANDINGS = {
    Status.DISPUTED: "contested",
    Status.SUPERSEDED: "superseded",
    Status.ARCHIVED: "unavailable",
    Status.WITHHELD: "unavailable",
    Status.UNRESOLVED: "unavailable",
    Status.UNKNOWN: "unavailable",
}


class Cause(StrEnum):
    RULING = "ruling"
    UNDO = "undo"
    LIFECYCLE = "lifecycle"


def correct(
    *, scope: KnowledgeScope, provider: KnowledgeProvider, statement_ids: Iterable[str], cause: Cause, reference: str
) -> int:
    """Compares what was told last with what stands now; returns how many packages got a correction.

    A disputed statement that a ruling confirms was told rightly and needs none.
    """
    told = _told(scope.base_id, list(dict.fromkeys(statement_ids)))
    if not told:
        return 0
    live = provider.statements_by_id(scope, list(told))
    if isinstance(live, Failed):
        log.warning("packages.not_compared", cause=cause.value, reference=reference, failure=live.failure.value)
        return 0
    known = {each.id: each for each in live.value.items}
    return _write(scope.base_id, told, known, cause, reference)


@transaction.atomic
def _write(
    base_id: str, told: Mapping[str, Mapping[int, str]], known: Mapping[str, Statement], cause: Cause, reference: str
) -> int:
    affected: set[int] = set()
    corrected = _corrected(base_id, told)
    for statement_id, by_package in told.items():
        statement = known.get(statement_id)
        now = STANDINGS.get(statement.status, HOLDS) if statement else "unavailable"
        last = {package: corrected.get((statement_id, package), was) for package, was in by_package.items()}
        mine = [
            package
            for package, was in last.items()
            if now != was and (now != HOLDS or (statement_id, package) in corrected)
        ]
        if mine:
            successor = (statement.superseded_by or "") if statement and now == "superseded" else ""
            row = Correction.objects.create(
                base_id=base_id,
                cause=cause.value,
                reference=reference[:200],
                statement_id=statement_id,
                standing=now,
                successor_id=successor,
            )
            row.packages.set(mine)
            affected.update(mine)
    return len(affected)


def _told(base_id: str, statement_ids: list[str]) -> dict[str, dict[int, str]]:
    """By statement and package, how it was served; a past one was told as superseded."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    quotes = Quote.objects.filter(package__base_id=base_id, statement_id__in=statement_ids)
    for statement_id, package, standing in quotes.values_list("statement_id", "package_id", "standing"):
        found[statement_id][package] = "superseded" if standing == PAST else standing
    return found


def _corrected(base_id: str, told: Mapping[str, object]) -> dict[tuple[str, int], str]:
    """What a package was told last by a correction."""
    rows = Correction.objects.filter(base_id=base_id, statement_id__in=list(told)).order_by("pk")
    return {
        (key, package): standing for key, package, standing in rows.values_list("statement_id", "packages", "standing")
    }


def statements_of_document(base_id: str, document_id: str) -> list[str]:
    """Those of the document that any package of the base quotes."""
    quotes = Quote.objects.filter(package__base_id=base_id, document_id=document_id)
    return list(quotes.order_by().values_list("statement_id", flat=True).distinct())
