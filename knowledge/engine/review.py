"""Review over the engine's HTTP contract: the queue, rulings, their trail, and decisions about names."""

from collections.abc import Sequence
from dataclasses import asdict

from knowledge.engine.bodies import bulk_body, decision_body, naming_body, ruled_by
from knowledge.engine.calls import EngineCalls
from knowledge.engine.client import Query
from knowledge.engine.reading import safe_id
from knowledge.engine.wire import Row
from knowledge.engine.wire_engine import read_base, read_review_event
from knowledge.engine.wire_entities import read_candidate, read_decision, read_merged
from knowledge.engine.wire_review import read_brief, read_outcomes, read_pair, read_queue, read_ruled
from knowledge.engine.wire_statements import read_conflict
from knowledge.failures import Failed, Outcome
from knowledge.provider import WHOLE_TRAIL, BulkItem, Decision, Naming, QueueFilter, Trail
from knowledge.records import Base, Conflict, Entity, MergeCandidate, Page
from knowledge.reviewing import Brief, PairBrief, Queue, ReviewEvent, Ruled, RulingOutcome, StoredDecision
from knowledge.scope import KnowledgeScope


class ReviewCalls(EngineCalls):
    """What a reviewer asks and does. A ruling and its undoing are bound to what was read."""

    def merge_candidates(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = ""
    ) -> Outcome[Page[MergeCandidate]]:
        return self._page(scope, "merge-candidates", read_candidate, {"status": status, "cursor": cursor})

    def merge_candidate(self, scope: KnowledgeScope, candidate_id: str, *, status: str = "open") -> Outcome[PairBrief]:
        """One with what a decision needs; ``status`` names the list its place is told of."""
        known = safe_id(candidate_id)
        if isinstance(known, Failed):
            return known
        call = self._get(f"merge-candidates/{known.value}/brief", {"status": status})
        return self._reading.one(scope, call, "pair_brief", read_pair)

    def decide_candidate(
        self, scope: KnowledgeScope, candidate_id: str, naming: Naming, *, is_one: bool
    ) -> Outcome[MergeCandidate]:
        path = "merge-candidates/{}/accept" if is_one else "merge-candidates/{}/reject"
        body = {**naming_body(naming), "expected_digest": naming.expected_digest}
        return self._act(scope, path, candidate_id, body, "merge_candidate", read_candidate)

    def join_entities(self, scope: KnowledgeScope, entity_id: str, other_id: str, naming: Naming) -> Outcome[Entity]:
        body = {**naming_body(naming), "other_id": other_id}
        return self._act(scope, "entities/{}/merge", entity_id, body, "merged", read_merged)

    def separate_name(self, scope: KnowledgeScope, entity_id: str, alias: str, naming: Naming) -> Outcome[Entity]:
        body = {**naming_body(naming), "alias": alias}
        return self._act(scope, "entities/{}/unmerge", entity_id, body, "merged", read_merged)

    def conflicts(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = "", page_size: int = 50
    ) -> Outcome[Page[Conflict]]:
        query: Query = {"status": status, "cursor": cursor, "page_size": page_size}
        return self._page(scope, "conflicts", read_conflict, query)

    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Outcome[Conflict]:
        return self._one(scope, "conflicts/{}", conflict_id, "conflict", read_conflict)

    def resolve(self, scope: KnowledgeScope, conflict_id: str, decision: Decision) -> Outcome[Ruled]:
        body = decision_body(decision)
        return self._act(scope, "conflicts/{}/resolve", conflict_id, body, "ruled", read_ruled)

    def resolve_each(
        self, scope: KnowledgeScope, items: Sequence[BulkItem], decision: Decision
    ) -> Outcome[tuple[RulingOutcome, ...]]:
        call = self._post(f"projects/{scope.base_id}/conflicts/resolve", bulk_body(items, decision))
        return self._changed(scope, self._reading.one(scope, call, "resolved", read_outcomes))

    def reopen(
        self, scope: KnowledgeScope, conflict_id: str, *, actor: str, notes: str, expected_decision: str = ""
    ) -> Outcome[Conflict]:
        body = ruled_by(actor, notes)
        if expected_decision:
            body["expected_decision"] = expected_decision
        return self._act(scope, "conflicts/{}/reopen", conflict_id, body, "conflict", read_conflict)

    def queue(
        self,
        scope: KnowledgeScope,
        where: QueueFilter,
        *,
        cursor: str = "",
        after: str = "",
        page_size: int = 50,
    ) -> Outcome[Queue]:
        query: Query = {**_filters(where), "cursor": cursor, "after": after, "page_size": page_size}
        call = self._get(f"projects/{scope.base_id}/review-queue", query)
        return self._reading.listed(scope, call, lambda value: read_queue(Row(value, "queue")), "items")

    def queued(self, scope: KnowledgeScope, conflict_ids: Sequence[str]) -> Outcome[Queue]:
        call = self._get(f"projects/{scope.base_id}/review-queue", {"ids": ",".join(conflict_ids)})
        return self._reading.listed(scope, call, lambda value: read_queue(Row(value, "queue")), "items")

    def brief(self, scope: KnowledgeScope, conflict_id: str, where: QueueFilter) -> Outcome[Brief]:
        known = safe_id(conflict_id)
        if isinstance(known, Failed):
            return known
        call = self._get(f"conflicts/{known.value}/brief", _filters(where))
        return self._reading.one(scope, call, "brief", read_brief)

    def ask_two(self, scope: KnowledgeScope, *, is_asked: bool) -> Outcome[Base]:
        body: dict[str, object] = {"second_look": is_asked}
        return self._act(scope, "projects/{}", scope.base_id, body, "project", read_base, method="PATCH")

    def note_served(
        self, scope: KnowledgeScope, *, package_id: str, agent: str, statement_ids: Sequence[str]
    ) -> Outcome[int]:
        body: dict[str, object] = {"package_id": package_id, "agent": agent, "item_ids": list(statement_ids)}
        call = self._post(f"projects/{scope.base_id}/served", body)
        return self._reading.one(scope, call, "served", lambda row: row.number("known"))

    def decisions(self, scope: KnowledgeScope, *, state: str = "") -> Outcome[Page[StoredDecision]]:
        return self._page(scope, "decisions", read_decision, {"state": state})

    def review_events(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, where: Trail = WHOLE_TRAIL
    ) -> Outcome[Page[ReviewEvent]]:
        asked: Query = {"cursor": cursor, "page_size": page_size, **asdict(where)}
        return self._page(scope, "review-events", read_review_event, asked)


def _filters(where: QueueFilter) -> Query:
    return {
        "tab": where.tab,
        "type": where.type,
        "attribute": where.attribute,
        "assignee": where.assignee,
        "min_sources": where.min_sources or "",
        "older_than": where.older_than or "",
    }
