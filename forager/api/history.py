"""What was said before: every version of a statement and of what it is about, with the reason each one ended."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from forager.api import shapes
from forager.api.times import rfc3339, rfc3339_or_none
from forager.model import states
from forager.model.models import ConflictMember, Decision, Evidence, KnowledgeBase, Revision, Source, Statement
from forager.search.backend import HIDDEN

MOST = 200
READ_AGAIN, WITHDRAWN, RULING, NEWER_VERSION, REJECTED, RETIRED = (
    "read_again", "withdrawn", "ruling", "newer_version", "rejected", "retired",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """What the reasons are read from, fetched once for all rows."""

    published: Mapping[int, datetime]
    rulings: Mapping[str, datetime]
    newer: Mapping[str, datetime]
    sources: Mapping[str, list[str]]
    bands: Mapping[str, set[str]]
    begins: frozenset[tuple[str, int]]


def versions(base: KnowledgeBase, row: Statement) -> list[shapes.PastVersion]:
    """Of the statement and of the others about the same attribute, oldest first, the last 200."""
    found = _rows(base, row)
    known = _known(base, found)
    return [_entry(one, known) for one in found]


def _rows(base: KnowledgeBase, row: Statement) -> list[Statement]:
    """None that rests only on documents that are off now, whenever it was said."""
    same = Q(item_id=row.item_id) | (Q(attribute_key=row.attribute_key) if row.attribute_key else Q())
    rows = Statement.objects.filter(same, base=base, rev_from__lte=base.current_revision).exclude(status__in=HIDDEN)
    found = list(rows.order_by("-rev_from", "-recorded_at", "-item_id")[:MOST])[::-1]
    rested = Evidence.objects.filter(base=base, item_id__in=[s.item_id for s in found])
    off = set(rested.filter(source__document__state__in=states.OFF).values_list("item_id", flat=True))
    told = set(rested.exclude(source__document__state__in=states.OFF).values_list("item_id", flat=True))
    return [s for s in found if s.item_id in told or s.item_id not in off]


def _known(base: KnowledgeBase, rows: Sequence[Statement]) -> _Known:
    ids = sorted({s.item_id for s in rows})
    ends = [s.rev_to for s in rows if s.rev_to]
    members = ConflictMember.objects.filter(item_id__in=ids, side__conflict__base=base)
    conflicts = dict(members.values_list("item_id", "side__conflict__conflict_id"))
    made = Decision.objects.filter(base=base, kind="ruling", state="standing", target_id__in=set(conflicts.values()))
    decided = dict(made.order_by("decided_at").values_list("target_id", "decided_at"))
    evidence = Evidence.objects.filter(base=base, item_id__in=ids).exclude(source__document__state__in=states.OFF)
    sources: dict[str, list[str]] = {}
    bands: dict[str, set[str]] = {}
    rested = evidence.order_by("source_id").values_list("item_id", "source_id", "source__document__band").distinct()
    for item, source, band in rested:
        sources.setdefault(item, []).append(source)
        bands.setdefault(item, set()).add(band)
    return _Known(
        published=dict(Revision.objects.filter(base=base, sequence__in=ends).values_list("sequence", "published_at")),
        rulings={item: decided[c] for item, c in conflicts.items() if c in decided},
        newer=_newer(evidence.exclude(source__superseded_by="").values_list("item_id", "source__superseded_by")),
        sources=sources,
        bands=bands,
        begins=frozenset((s.item_id, s.rev_from) for s in rows),
    )


def _newer(pairs: Iterable[tuple[str, str]]) -> dict[str, datetime]:
    """When the version came in that took the place of the one a statement stood in."""
    successors = dict(pairs)
    came = dict(Source.objects.filter(pk__in=set(successors.values())).values_list("pk", "registered_at"))
    return {item: came[source] for item, source in successors.items() if source in came}


def _entry(row: Statement, known: _Known) -> shapes.PastVersion:
    because, at = _end(row, known)
    return {
        "item_id": row.item_id,
        "scope": "general" if known.bands.get(row.item_id) == {"general"} else "tenant",
        "statement": row.text,
        "attribute_key": row.attribute_key or None,
        "attribute_value": row.attribute_value or None,
        "support": row.support,
        "confidence": row.confidence,
        "status": row.status,
        "effective_date": row.effective_date or None,
        "recorded_at": rfc3339(row.recorded_at),
        "revision_from": row.rev_from,
        "revision_to": row.rev_to if because in (READ_AGAIN, WITHDRAWN) else None,
        "ended_at": rfc3339_or_none(at),
        "ended_because": because,
        "superseded_by": row.superseded_by or None,
        "source_ids": known.sources.get(row.item_id, []),
    }


def _end(row: Statement, known: _Known) -> tuple[str, datetime | None]:
    if row.rev_to is not None and row.rev_to in known.published:
        again = (row.item_id, row.rev_to) in known.begins
        return (READ_AGAIN if again else WITHDRAWN), known.published[row.rev_to]
    if row.status == "superseded":
        if row.superseded_by:
            return RULING, known.rulings.get(row.item_id)
        return NEWER_VERSION, known.newer.get(row.item_id)
    if row.status == "archived":
        if row.review_status == "rejected":
            return REJECTED, None
        return (RULING, known.rulings[row.item_id]) if row.item_id in known.rulings else (RETIRED, None)
    return "", None
