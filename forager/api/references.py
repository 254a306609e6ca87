"""Whether what a caller holds of statements still stands, now, in this base, for this caller."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping

from django.db.models import F
from django.db.models.functions import Substr

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.items import present, told
from forager.api.shapes import briefs
from forager.api.shapes.requests import StandingCheck
from forager.api.sources import shape
from forager.model import states
from forager.model.models import Evidence, KnowledgeBase, Source
from forager.search import narrowing
from forager.search.backend import Where

OK, UNAVAILABLE = "ok", "unavailable"


@endpoint(
    "POST", "/projects/<base>/references/check", Scope.READ,
    body=shapes.ReferencesCheck, answer=shapes.CheckedReferences,
)  # fmt: skip
def check_references(call: Call[None, shapes.ReferencesCheck], base: str) -> shapes.CheckedReferences:
    """Each reference is ok or unavailable: same code, same number of queries, and no cause is told."""
    body, row = call.body, call.base(base)
    where = Where(row, include_historical=body.get("include_historical", False), band=body.get("band", ""))
    wanted = {r["item_id"] for r in body["references"]}
    seen = set(narrowing.readable(where).filter(item_id__in=wanted).values_list("item_id", flat=True))
    evidence = _evidence(row, wanted, where.band)
    return {
        "items": _checked(body["references"], seen, evidence),
        "view_id": row.view_id,
    }


@endpoint("POST", "/projects/<base>/references/standing", Scope.READ, body=StandingCheck, answer=briefs.Standing)
def get_standing(call: Call[None, StandingCheck], base: str) -> briefs.Standing:
    """References checked, past ones too, with what they name as it stands, what came after, and their sources."""
    body, row = call.body, call.base(base)
    where = Where(row, include_historical=True, band=body.get("band", ""))
    wanted = {r["item_id"] for r in body["references"]}
    rows = list(narrowing.readable(where).filter(item_id__in=wanted).order_by("item_id"))
    later = {each.superseded_by for each in rows if each.superseded_by}
    successors = list(narrowing.readable(where).filter(item_id__in=later).order_by("item_id"))
    evidence, seen = _evidence(row, wanted, where.band), {each.item_id for each in rows}
    named = {r["source_id"] for r in body["references"] if "source_id" in r}
    sources = Source.objects.filter(base=row, pk__in=named).select_related("document").order_by("pk")
    return {
        "items": _checked(body["references"], seen, evidence),
        "knowledge": present(row, rows, frozenset()),
        "successors": present(row, successors, frozenset()),
        "sources": [shape(each) for each in sources],
        "view_id": row.view_id,
    }


def _checked(
    references: list[shapes.Reference], seen: set[str], evidence: Mapping[str, list[Evidence]]
) -> list[shapes.CheckedReference]:
    return [
        {"item_id": r["item_id"], "state": OK if _stands(r, seen, evidence[r["item_id"]]) else UNAVAILABLE}
        for r in references
    ]


def _evidence(base: KnowledgeBase, items: set[str], band: str) -> dict[str, list[Evidence]]:
    rows = told(base).filter(item_id__in=items).select_related("source")
    rows = rows.filter(source__document__band=band, source__document__state__in=states.SPEAKS) if band else rows
    found: dict[str, list[Evidence]] = defaultdict(list)
    for row in rows.annotate(said=Substr("source__stored__text", F("start") + 1, F("end") - F("start"))):
        found[row.item_id].append(row)
    return found


def _stands(reference: shapes.Reference, seen: set[str], evidence: list[Evidence]) -> bool:
    """A statement alone must be visible; where a span is named, that very span must still say it."""
    if reference["item_id"] not in seen:
        return False
    return len(reference) == 1 or any(_matches(reference, row) for row in evidence)


def _matches(reference: shapes.Reference, row: Evidence) -> bool:
    holds: dict[str, object] = {
        "item_id": row.item_id,
        "evidence_id": row.evidence_id,
        "source_id": row.source_id,
        "version": row.source.content_hash,
        "start": row.start,
        "end": row.end,
        "excerpt_hash": row.excerpt_hash,
    }
    if row.missing_excerpt or any(holds[name] != value for name, value in reference.items()):
        return False
    said: str = getattr(row, "said", "") or ""
    return hashlib.sha256(said.encode()).hexdigest() == row.excerpt_hash
