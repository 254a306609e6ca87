"""After an act of a person: which served statements no longer stand as they were told, and in which packages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum

import structlog
from django.db import transaction

from console.packages.models import Comparison, Correction, Quote
from knowledge.failures import Failed
from knowledge.provider import KnowledgeProvider
from knowledge.records import Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Status

log = structlog.get_logger("console.packages")

HOLDS = "holds"
PAST = "past"
AT_ONCE = 20
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
    REVISION = "revision"


def correct(
    *, scope: KnowledgeScope, provider: KnowledgeProvider, statement_ids: Iterable[str], cause: Cause, reference: str
) -> int:
    """Compares what was told last with what stands now; returns how many packages got a correction, -1 for later.

    A disputed statement that a ruling confirms was told rightly and needs none.
    """
    compare_waiting(scope, provider)
    told = _told(scope.base_id, list(dict.fromkeys(statement_ids)))
    if not told:
        return 0
    waiting = Comparison.objects.create(
        base_id=scope.base_id, cause=cause.value, reference=reference[:200], statement_ids=list(told)
    )
    return _compare(scope, provider, waiting)


def compare_waiting(scope: KnowledgeScope, provider: KnowledgeProvider) -> None:
    """What could not be compared when it happened; oldest first, until the engine does not answer."""
    for waiting in Comparison.objects.filter(base_id=scope.base_id)[:AT_ONCE]:
        if Comparison.objects.filter(pk=waiting.pk).exists() and _compare(scope, provider, waiting) < 0:
            return


def _compare(scope: KnowledgeScope, provider: KnowledgeProvider, waiting: Comparison) -> int:
    """How many packages got a correction; -1 when the engine could not be asked, and it waits on."""
    told = _told(scope.base_id, waiting.statement_ids)
    live = provider.statements_by_id(scope, waiting.statement_ids)
    if isinstance(live, Failed):
        log.warning("packages.not_compared", reference=waiting.reference, failure=live.failure.value)
        return -1
    return _write(told, {each.id: each for each in live.value.items}, waiting)


@transaction.atomic
def _write(told: Mapping[str, Mapping[int, str]], known: Mapping[str, Statement], waiting: Comparison) -> int:
    base_id, affected = waiting.base_id, set[int]()
    waiting.delete()
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
                cause=waiting.cause,
                reference=waiting.reference,
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
