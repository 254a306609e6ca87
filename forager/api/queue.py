"""The review queue and what a ruling needs to be made: one request each."""

from collections.abc import Mapping, Sequence
from typing import Any

from forager.api import sources
from forager.api.access import Scope
from forager.api.conflict_shapes import shape, shaped
from forager.api.conflicts import conflict_at, event_shape
from forager.api.endpoint import Call, endpoint
from forager.api.errors import ValidationFailed
from forager.api.paging import decode, encode
from forager.api.shapes import Conflict as Told
from forager.api.shapes import queue as shapes
from forager.model.models import Conflict, Decision, KnowledgeBase, ReviewEvent, Source
from forager.review import looks, passages, preview, queue, risk, serving
from forager.review.queue import Asked

TRAIL = 20
FILTERS = ("tab", "type", "attribute", "assignee", "min_sources", "older_than")


@endpoint("GET", "/projects/<base>/review-queue", Scope.READ, query=shapes.QueueQuery, answer=shapes.Queue)
def get_queue(call: Call[shapes.QueueQuery, None], base: str) -> shapes.Queue:
    """Disagreements by risk (ruled ones newest first), with the arithmetic, the counts and what was done lately."""
    row, size = call.base(base), call.query.get("page_size", 50)
    asked, found = _from(row, call.query)
    if "ids" in call.query:
        found, size = queue.these(row, asked, _ids(call.query["ids"])), shapes.MOST_AT_ONCE
    page = list(found.prefetch_related("sides__members")[: size + 1])
    more, page = len(page) > size, page[:size]
    waiting, shown = _waiting(row, page), shaped(row, page, with_items=False)
    return {
        "items": [_queued(each, told, asked, waiting) for each, told in zip(page, shown, strict=True)],
        "next_cursor": encode([str(asked.day), *queue.key_of(page[-1], asked)]) if more else None,
        "page_size": size,
        "total": queue.rows(row, asked).count(),
        "view_id": row.view_id,
        "counts": queue.counts(row, asked),  # type: ignore[typeddict-item]
        "record": queue.record(row),  # type: ignore[typeddict-item]
        "second_look": row.second_look,
    }


@endpoint("GET", "/conflicts/<conflict>/brief", Scope.READ, query=shapes.BriefQuery, answer=shapes.Brief)
def get_brief(call: Call[shapes.BriefQuery, None], conflict: str) -> shapes.Brief:
    """All a ruling needs: the sides in context, their sources, what was ruled, what each ruling would change."""
    base, row = conflict_at(call, conflict)
    asked = _asked(call.query)
    weighed = risk.ordered(Conflict.objects.filter(pk=row.pk), asked.day).get()
    is_moot = row.status == "moot"
    told = shape(base, row, with_items=True)
    trail = ReviewEvent.objects.filter(base=base, target_id=conflict).order_by("-at", "-id")[:TRAIL]
    return {
        "project_id": base.pk,
        "conflict": told,
        "weight": _weight(weighed, asked),
        "passages": [] if is_moot else _passages(told),
        "sources": [] if is_moot else _sources(told["source_ids"]),
        "trail": [event_shape(each) for each in trail],
        "previews": [] if is_moot else [_preview(each) for each in preview.previews(base, row)],
        "reach": _reach(preview.reach(base, row)),
        "place": _place(queue.place(base, asked, row)),
        "decision_id": row.decision_id or None,
        "second_look": base.second_look,
        "awaits_second": _waiting(base, [row]).get(row.conflict_id),
        "view_id": base.view_id,
    }


@endpoint("POST", "/projects/<base>/served", Scope.READ, body=shapes.Serve, answer=shapes.ServedShape)
def note_served(call: Call[None, shapes.Serve], base: str) -> shapes.ServedShape:
    """Tells that a context package with these statements was handed to an agent; it weighs in the queue at once."""
    row = call.base(base)
    package = serving.Package(call.body["package_id"], call.body["agent"], call.body["item_ids"])
    return {"project_id": row.pk, "known": serving.record(row.pk, package)}


def _asked(query: Mapping[str, Any], day: int = 0) -> Asked:
    given: dict[str, Any] = {name: query[name] for name in FILTERS if query.get(name)}
    return Asked(**given, day=day or risk.today())


def _from(base: KnowledgeBase, query: shapes.QueueQuery) -> tuple[Asked, Any]:
    """What is asked for and the rows from the cursor, or from behind a conflict, on."""
    if query.get("cursor"):
        day, *key = decode(query["cursor"], [False, False, False])
        asked = _asked(query, _number(day))
        return asked, queue.after(queue.rows(base, asked), asked, _key(asked, key))
    asked = _asked(query)
    found = queue.rows(base, asked)
    if not query.get("after"):
        return asked, found
    behind = Conflict.objects.at(base.current_revision).filter(base=base, conflict_id=query["after"])
    row = risk.ordered(behind, asked.day).first()
    return asked, queue.after(found, asked, queue.key_of(row, asked)) if row else found


def _ids(text: str) -> list[str]:
    listed = list(dict.fromkeys(each for each in text.split(",") if each))
    if len(listed) > shapes.MOST_AT_ONCE:
        raise ValidationFailed(fields={"ids": f"at most {shapes.MOST_AT_ONCE} at once"})
    return listed


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValidationFailed(fields={"cursor": "not a cursor of this list"})
    return int(text)


def _key(asked: Asked, key: Sequence[str]) -> tuple[str, str]:
    """The key in a cursor, checked to be one of this order."""
    if asked.is_by_risk:
        return str(_number(key[0])), key[1]
    decode(encode([key[0]]), [True])
    return key[0], key[1]


def _waiting(base: KnowledgeBase, rows: Sequence[Conflict]) -> dict[str, str]:
    """Who gave the first of two looks, by conflict; what they said is not told."""
    digests = {row.conflict_id: row.digest for row in rows}
    made = Decision.objects.filter(base=base, state=looks.AWAITING, target_id__in=list(digests))
    return {d.target_id: d.actor for d in made if d.read_digest == digests[d.target_id]}


def _queued(row: Conflict, told: Told, asked: Asked, waiting: Mapping[str, str]) -> shapes.Queued:
    return {**told, "weight": _weight(row, asked), "awaits_second": waiting.get(row.conflict_id)}


def _weight(row: Conflict, asked: Asked) -> shapes.Weight:
    return {
        "served": row.served,
        "uncertainty": row.uncertainty,
        "days": max(1, asked.day - row.opened_day + 1),
        "risk": getattr(row, "risk", 0),
        "sources": row.source_count,
    }


def _passages(told: Any) -> list[shapes.Passage]:
    evidence = [each for item in told["items"] for each in item["evidence"]]
    return [
        {"evidence_id": p.evidence_id, "before": p.before, "after": p.after, "state": p.state}
        for p in passages.around(evidence)
    ]


def _sources(ids: Sequence[str]) -> list[Any]:
    rows = Source.objects.filter(pk__in=ids).select_related("document").order_by("path", "id")
    return [sources.shape(each) for each in rows]


def _preview(found: preview.Preview) -> shapes.PreviewShape:
    changes: list[shapes.ChangeShape] = [{"status": c.status, "item_ids": list(c.items)} for c in found.changes]
    return {"action": found.action, "side_id": found.side_id or None, "changes": changes}


def _reach(found: preview.Reach) -> shapes.ReachShape:
    return {"packages": found.packages, "agents": list(found.agents), "exports": found.exports}


def _place(found: queue.Place) -> shapes.PlaceShape:
    return {
        "position": found.position,
        "total": found.total,
        "before": found.before or None,
        "after": found.after or None,
    }
