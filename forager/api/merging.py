"""What may be one entity, and what people decide about it. A decision is recorded at once, a job applies it."""

from collections.abc import Sequence

from forager.api import entities, shapes
from forager.api.access import Scope
from forager.api.conflicts import refused
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound
from forager.api.items import EXPANSIONS, present, visible
from forager.api.paging import paginate
from forager.api.shapes.queue import Passage, PlaceShape
from forager.api.times import rfc3339
from forager.model.models import Decision, KnowledgeBase, Mention, MergeCandidate
from forager.pipeline import lease
from forager.review import merging, passages
from forager.review.rulings import RulingRefused

MOST_ITEMS = 3
"""Statements shown beside each name of a candidate."""


@endpoint("GET", "/projects/<base>/merge-candidates", Scope.READ, query=shapes.CandidateQuery, answer=shapes.Page)
def list_candidates(call: Call[shapes.CandidateQuery, None], base: str) -> shapes.Page:
    """What may be one entity, by what was decided about it."""
    row = call.base(base)
    rows = MergeCandidate.objects.at(row.current_revision).filter(base=row)
    if "status" in call.query:
        rows = rows.filter(status=call.query["status"])
    return paginate(
        rows,
        ("candidate_id",),
        lambda found: _shapes(row, found, with_items=False),
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        total=rows.count(),
        view_id=row.view_id,
    )


@endpoint("GET", "/merge-candidates/<candidate>", Scope.READ, answer=shapes.MergeCandidate)
def get_candidate(call: Call[None, None], candidate: str) -> shapes.MergeCandidate:
    """One candidate with statements that name each of its two sides."""
    base, row = _candidate(call, candidate)
    return _shapes(base, [row], with_items=True)[0]


@endpoint("GET", "/merge-candidates/<candidate>/brief", Scope.READ, query=shapes.PairQuery, answer=shapes.PairBrief)
def get_pair_brief(call: Call[shapes.PairQuery, None], candidate: str) -> shapes.PairBrief:
    """All a decision about two names needs: the candidate, its excerpts in context, and its place in a list."""
    base, row = _candidate(call, candidate)
    told = _shapes(base, [row], with_items=True)[0]
    return {
        "project_id": base.pk,
        "candidate": told,
        "passages": _passages(told),
        "place": _place(base, row, call.query.get("status", "")),
        "view_id": base.view_id,
    }


@endpoint(
    "POST", "/merge-candidates/<candidate>/accept", Scope.REVIEW,
    body=shapes.DecideCandidate, answer=shapes.MergeCandidate, errors=(409,),
)  # fmt: skip
def accept_candidate(call: Call[None, shapes.DecideCandidate], candidate: str) -> shapes.MergeCandidate:
    """Two names are one; they are joined by the job that is answered, and by every run after it."""
    return _decide(call, candidate, merging.MERGE)


@endpoint(
    "POST", "/merge-candidates/<candidate>/reject", Scope.REVIEW,
    body=shapes.DecideCandidate, answer=shapes.MergeCandidate, errors=(409,),
)  # fmt: skip
def reject_candidate(call: Call[None, shapes.DecideCandidate], candidate: str) -> shapes.MergeCandidate:
    """Two names are two; they are never proposed again, nor joined by a rule."""
    return _decide(call, candidate, merging.APART)


@endpoint(
    "POST", "/entities/<entity>/merge", Scope.REVIEW, body=shapes.MergeEntity, answer=shapes.Merged, errors=(409,)
)
def merge_entity(call: Call[None, shapes.MergeEntity], entity: str) -> shapes.Merged:
    """Joins an entity with another that no rule proposed."""
    base, _ = entities.visible_entity(call, entity)
    try:
        merging.merge(base.pk, entity, call.body["other_id"], _who(call.body))
    except RulingRefused as error:
        raise refused(error) from error
    return _merged(base, entity)


@endpoint(
    "POST", "/entities/<entity>/unmerge", Scope.REVIEW, body=shapes.UnmergeEntity, answer=shapes.Merged, errors=(409,)
)
def unmerge_entity(call: Call[None, shapes.UnmergeEntity], entity: str) -> shapes.Merged:
    """Takes a name out of an entity; what a person joined stands exactly as before."""
    base, _ = entities.visible_entity(call, entity)
    try:
        merging.unmerge(base.pk, entity, call.body["alias"], _who(call.body))
    except RulingRefused as error:
        raise refused(error) from error
    return _merged(base, entity)


def _merged(base: KnowledgeBase, entity: str) -> shapes.Merged:
    job = lease.enqueue(base, force=False)
    return {"project_id": base.pk, "entity": entities.many(base, [entity])[0], "job_id": job.pk}


def _who(body: shapes.DecideCandidate | shapes.MergeEntity | shapes.UnmergeEntity) -> merging.Who:
    return merging.Who(body["actor"], body.get("notes", ""))


def _decide(call: Call[None, shapes.DecideCandidate], candidate: str, action: str) -> shapes.MergeCandidate:
    base, _ = _candidate(call, candidate)
    try:
        merging.decide(candidate, action, _who(call.body), expected_digest=call.body["expected_digest"])
    except RulingRefused as error:
        raise refused(error) from error
    job = lease.enqueue(base, force=False)
    answer = _shapes(*_one(_candidate(call, candidate)), with_items=True)[0]
    return {**answer, "job_id": job.pk}


def _one(found: tuple[KnowledgeBase, MergeCandidate]) -> tuple[KnowledgeBase, list[MergeCandidate]]:
    return found[0], [found[1]]


def _candidate[Q, B](call: Call[Q, B], candidate: str) -> tuple[KnowledgeBase, MergeCandidate]:
    found = MergeCandidate.objects.filter(candidate_id=candidate).select_related("base").order_by("-rev_from").first()
    if found is None:
        raise NotFound
    call.fence(found.base_id)
    row = MergeCandidate.objects.at(found.base.current_revision).filter(base=found.base, candidate_id=candidate).first()
    if row is None:
        raise NotFound
    return found.base, row


def _shapes(base: KnowledgeBase, rows: Sequence[MergeCandidate], *, with_items: bool) -> list[shapes.MergeCandidate]:
    known = {e["id"]: e for e in entities.many(base, {i for row in rows for i in (row.left_id, row.right_id)})}
    made = Decision.objects.in_bulk([row.decision_id for row in rows if row.decision_id])
    return [
        {
            "id": row.candidate_id,
            "project_id": row.base_id,
            "kind": row.kind,
            "reason": row.reason,
            "confidence": row.confidence,
            "status": row.status,
            "sides": [_side(base, known[i], with_items=with_items) for i in (row.left_id, row.right_id) if i in known],
            "decision": _decision(made.get(row.decision_id)),
            "digest": merging.digest_of(row),
            "detected_at": rfc3339(row.detected_at),
        }
        for row in rows
    ]


def _place(base: KnowledgeBase, row: MergeCandidate, status: str) -> PlaceShape:
    """Also of one that has left the list, as when it was just decided: what came after it comes after it still."""
    listed = MergeCandidate.objects.at(base.current_revision).filter(base=base)
    if status:
        listed = listed.filter(status=status)
    ids = listed.values_list("candidate_id", flat=True)
    earlier = ids.filter(candidate_id__lt=row.candidate_id)
    return {
        "position": earlier.count() + 1 if not status or row.status == status else 0,
        "total": ids.count(),
        "before": earlier.order_by("-candidate_id").first(),
        "after": ids.filter(candidate_id__gt=row.candidate_id).order_by("candidate_id").first(),
    }


def _passages(told: shapes.MergeCandidate) -> list[Passage]:
    evidence = [each for side in told["sides"] for item in side["items"] for each in item.get("evidence", [])]
    return [
        {"evidence_id": p.evidence_id, "before": p.before, "after": p.after, "state": p.state}
        for p in passages.around(evidence)
    ]


def _side(base: KnowledgeBase, entity: shapes.Entity, *, with_items: bool) -> shapes.EntitySide:
    """The entity with the first statements that name it, by id."""
    if not with_items:
        return {"entity": entity, "item_ids": [], "items": []}
    named = Mention.objects.at(base.current_revision).filter(base=base, entity_id=entity["id"])
    rows = list(visible(base).filter(item_id__in=named.values("item_id")).order_by("item_id")[:MOST_ITEMS])
    return {
        "entity": entity,
        "item_ids": [row.item_id for row in rows],
        "items": present(base, rows, EXPANSIONS),
    }


def _decision(row: Decision | None) -> shapes.EntityDecision | None:
    if row is None:
        return None
    return {"action": row.action, "notes": row.notes, "actor": row.actor, "decided_at": rfc3339(row.decided_at)}
