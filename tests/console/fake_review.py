"""The review half of the provider in memory: a queue by risk, rulings bound to what was read, undo, two looks."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import WHOLE_TRAIL, BulkItem, Decision, QueueFilter, Trail
from knowledge.records import Base, Conflict, Engine, Page, Ruling, Source, Statement
from knowledge.reviewing import (
    Brief,
    Passage,
    Place,
    Preview,
    Queue,
    Queued,
    Reach,
    Record,
    ReviewEvent,
    Ruled,
    RulingOutcome,
    StoredDecision,
    Weight,
)
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus, Status
from tests.console import falcon

GONE = Failed(Failure.NOT_FOUND, "The engine does not know this.")
DISMISSED = {"not_a_conflict": ConflictStatus.DISMISSED, "needs_evidence": ConflictStatus.OPEN}


class FakeReview:
    """``lock`` makes a ruling as atomic as a transaction does."""

    engine_outcome: Outcome[Engine]
    failures: dict[str, Failed]
    calls: list[str]
    known_bases: dict[str, Base]
    known_sources: dict[str, Source]
    known_statements: dict[str, Statement]
    known_conflicts: dict[str, Conflict]
    known_decisions: list[StoredDecision]
    events: list[ReviewEvent]
    served: dict[str, tuple[str, tuple[str, ...]]]
    second_look: bool
    first_looks: dict[str, Decision]
    lock: threading.Lock

    def _do[T](self, name: str, value: T | Failed) -> Outcome[T]:
        self.calls.append(name)
        if name in self.failures:
            return self.failures[name]
        if isinstance(self.engine_outcome, Failed):
            return self.engine_outcome
        return value if isinstance(value, Failed) else Ok(value)

    def _page[T](self, name: str, items: Iterable[T]) -> Outcome[Page[T]]:
        found = tuple(items)
        return self._do(name, Page(found, None, len(found), "1:0"))

    def conflicts(
        self, scope: KnowledgeScope, *, status: str = "", cursor: str = "", page_size: int = 50
    ) -> Outcome[Page[Conflict]]:
        return self._page("conflicts", self.known_conflicts.values())

    def conflict(self, scope: KnowledgeScope, conflict_id: str) -> Outcome[Conflict]:
        return self._do("conflict", self.known_conflicts.get(conflict_id) or GONE)

    def queue(
        self, scope: KnowledgeScope, where: QueueFilter, *, cursor: str = "", after: str = "", page_size: int = 50
    ) -> Outcome[Queue]:
        rows = self._rows(where)
        behind = cursor or after
        if behind:
            key = _key(self._queued(self.known_conflicts[behind])) if behind in self.known_conflicts else (0, "")
            rows = [row for row in rows if _key(row) > key]
        page = tuple(rows[:page_size])
        more = page[-1].conflict.id if len(rows) > page_size else None
        return self._do("queue", self._answer(page, more, len(self._rows(where)), where))

    def queued(self, scope: KnowledgeScope, conflict_ids: Sequence[str]) -> Outcome[Queue]:
        rows = tuple(self._queued(self.known_conflicts[one]) for one in conflict_ids if one in self.known_conflicts)
        return self._do("queued", self._answer(rows, None, len(rows), QueueFilter()))

    def brief(self, scope: KnowledgeScope, conflict_id: str, where: QueueFilter) -> Outcome[Brief]:
        found = self.known_conflicts.get(conflict_id)
        if found is None:
            return self._do("brief", GONE)
        known = tuple(self.known_statements[each] for each in found.statement_ids if each in self.known_statements)
        ids = [row.conflict.id for row in self._rows(where)]
        at = ids.index(conflict_id) if conflict_id in ids else -1
        first = self.first_looks.get(conflict_id)
        brief = Brief(
            conflict=replace(found, statements=known),
            weight=self._queued(found).weight,
            passages=tuple(
                self._passage(each.id, each.source_id, each.start, each.end) for one in known for each in one.evidence
            ),
            sources=tuple(self.known_sources[each] for each in found.source_ids if each in self.known_sources),
            trail=tuple(event for event in self.events if event.target_id == conflict_id),
            previews=_previews(found),
            reach=self._reach(found),
            place=Place(at + 1, len(ids), ids[at - 1] if at > 0 else "", ids[at + 1] if 0 <= at < len(ids) - 1 else ""),
            decision_id=_decision_id(found),
            second_look=self.second_look,
            awaits_second=first.actor if first else "",
        )
        return self._do("brief", brief)

    def resolve(self, scope: KnowledgeScope, conflict_id: str, decision: Decision) -> Outcome[Ruled]:
        with self.lock:
            made = self._ruled(conflict_id, decision)
        return self._do("resolve", made)

    def resolve_each(
        self, scope: KnowledgeScope, items: Sequence[BulkItem], decision: Decision
    ) -> Outcome[tuple[RulingOutcome, ...]]:
        outcomes = []
        with self.lock:
            for one in items:
                mine = replace(decision, expected_digest=one.expected_digest, side_id=one.side_id)
                made = self._ruled(one.conflict_id, mine)
                refused = RulingOutcome(one.conflict_id, "refused", made.reason if isinstance(made, Failed) else "")
                outcomes.append(
                    refused
                    if isinstance(made, Failed)
                    else RulingOutcome(one.conflict_id, made.outcome, made.message, made.decision_id)
                )
        return self._do("resolve_each", tuple(outcomes))

    def reopen(
        self, scope: KnowledgeScope, conflict_id: str, *, actor: str, notes: str, expected_decision: str = ""
    ) -> Outcome[Conflict]:
        found = self.known_conflicts.get(conflict_id)
        if found is None:
            return self._do("reopen", GONE)
        if expected_decision and expected_decision != _decision_id(found):
            return self._do(
                "reopen", Failed(Failure.CONFLICT, "Tomas recorded neither at 09:43 UTC. Nothing was taken back.")
            )
        outcome = self._do("reopen", replace(found, status=ConflictStatus.OPEN, ruling=None))
        if isinstance(outcome, Ok):
            self.known_conflicts[conflict_id] = outcome.value
            for each in found.statement_ids:
                was = self.known_statements[each]
                self.known_statements[each] = replace(was, status=Status.DISPUTED, superseded_by=None)
            self._event(found, "reopen", actor, notes)
        return outcome

    def ask_two(self, scope: KnowledgeScope, *, is_asked: bool) -> Outcome[Base]:
        outcome = self._do("ask_two", self.known_bases.get(scope.base_id) or GONE)
        if isinstance(outcome, Ok):
            self.second_look = is_asked
        return outcome

    def note_served(
        self, scope: KnowledgeScope, *, package_id: str, agent: str, statement_ids: Sequence[str]
    ) -> Outcome[int]:
        self.served[package_id] = (agent, tuple(statement_ids))
        return self._do("note_served", len(statement_ids))

    def decisions(self, scope: KnowledgeScope, *, state: str = "") -> Outcome[Page[StoredDecision]]:
        return self._page("decisions", [each for each in self.known_decisions if state in ("", each.state)])

    def review_events(
        self, scope: KnowledgeScope, *, cursor: str = "", page_size: int = 50, where: Trail = WHOLE_TRAIL
    ) -> Outcome[Page[ReviewEvent]]:
        since, until = (datetime.fromisoformat(each) if each else None for each in (where.since, where.until))
        found = [
            each
            for each in self.events
            if where.actor.casefold() in each.actor.casefold()
            and (not since or (each.at and each.at >= since))
            and (not until or (each.at and each.at < until))
        ]
        first = int(cursor or 0)
        more = str(first + page_size) if len(found) > first + page_size else None
        return self._do("review_events", Page(tuple(found[first : first + page_size]), more, None, "1:0"))

    def _ruled(self, conflict_id: str, decision: Decision) -> Ruled | Failed:
        found = self.known_conflicts.get(conflict_id)
        if found is None:
            return GONE
        if found.status is not ConflictStatus.OPEN:
            who = found.ruling.actor if found.ruling else ""
            return Failed(Failure.CONFLICT, f"This conflict was ruled on in between. {who} recorded it.")
        if found.digest != decision.expected_digest:
            return Failed(Failure.CONFLICT, "The sides changed after they were read. Nothing was recorded.")
        first = self.first_looks.get(conflict_id)
        if self.second_look and decision.action != "needs_evidence":
            if first is None:
                self.first_looks[conflict_id] = decision
                return Ruled(found, "", "awaiting", "Kept unseen until a second person has looked.")
            if first.actor_key == decision.actor_key:
                return Failed(Failure.CONFLICT, "You gave the first look. A second person must give the other.")
            del self.first_looks[conflict_id]
        if "resolve" in self.failures or isinstance(self.engine_outcome, Failed):
            return Failed(Failure.UNAVAILABLE, "Away.")
        status = DISMISSED.get(decision.action, ConflictStatus.RESOLVED)
        ruled = replace(found, status=status, ruling=_ruling(decision), assignee=decision.assignee)
        self._settle(ruled, decision)
        return Ruled(ruled, _decision_id(ruled), "recorded", "")

    def _settle(self, ruled: Conflict, decision: Decision) -> None:
        self.known_conflicts[ruled.id] = ruled
        winner = next((side for side in ruled.sides if side.id == decision.side_id), None)
        for side in ruled.sides if winner else ():
            for each in side.statement_ids:
                lost = winner is not None and side.id != winner.id
                status = Status.SUPERSEDED if lost else Status.ACTIVE
                by = winner.statement_ids[0] if lost and winner else None
                self.known_statements[each] = replace(self.known_statements[each], status=status, superseded_by=by)
        self._event(ruled, decision.action, decision.actor, decision.notes)

    def _event(self, about: Conflict, action: str, actor: str, notes: str) -> None:
        name = f"rvw_{len(self.events)}"
        after = "open" if action == "reopen" else about.status.value
        self.events.insert(0, ReviewEvent(name, about.id, action, "open", after, actor, notes, falcon.AT))

    def _rows(self, where: QueueFilter) -> list[Queued]:
        rows = [self._queued(each) for each in self.known_conflicts.values() if _wanted(each, where)]
        return sorted(rows, key=_key)

    def _queued(self, found: Conflict) -> Queued:
        mine = set(found.statement_ids)
        served = sum(bool(mine & set(items)) for _agent, items in self.served.values())
        uncertainty = 20 if found.type == "duplicate_source" else 100
        weight = Weight(served, uncertainty, 9, (1 + served) * uncertainty * 9, len(found.source_ids))
        first = self.first_looks.get(found.id)
        return Queued(replace(found, statements=()), weight, first.actor if first else "")

    def _answer(self, rows: tuple[Queued, ...], more: str | None, total: int, where: QueueFilter) -> Queue:
        tabs = ("open", "assigned", "maybe", "solved")
        mine = [each for each in self.known_conflicts.values() if _wanted(each, QueueFilter(where.tab))]
        orphaned = sum(each.state == "orphaned" for each in self.known_decisions)
        counted = [
            (tab, len([c for c in self.known_conflicts.values() if _wanted(c, QueueFilter(tab))])) for tab in tabs
        ]
        kinds = sorted({each.type for each in mine})
        return Queue(
            rows, more, total, "1:0",
            tabs=(*counted, ("orphaned", orphaned)),
            types=tuple((kind, sum(each.type == kind for each in mine)) for kind in kinds),
            assignees=tuple((name, 1) for name in sorted({each.assignee for each in mine if each.assignee})),
            record=Record(len(self.events), sum(each.action == "reopen" for each in self.events), 0, 0),
            second_look=self.second_look,
        )  # fmt: skip

    def _reach(self, found: Conflict) -> Reach:
        mine = set(found.statement_ids)
        held = [(agent, items) for agent, items in self.served.values() if mine & set(items)]
        return Reach(len(held), tuple(sorted({agent for agent, _items in held})), 0)

    def _passage(self, evidence_id: str, source_id: str, start: int, end: int) -> Passage:
        whole = falcon.TEXTS[source_id]
        before, after = whole[:start].rpartition("\n\n")[2], whole[end:].partition("\n\n")[0]
        return Passage(evidence_id, before, after, "whole")


def _wanted(each: Conflict, where: QueueFilter) -> bool:
    is_open, maybe = each.status is ConflictStatus.OPEN, each.certainty == "candidate"
    tabs = {
        "open": is_open and not maybe,
        "assigned": is_open and bool(each.assignee),
        "maybe": is_open and maybe,
        "solved": each.status in (ConflictStatus.RESOLVED, ConflictStatus.DISMISSED),
    }
    return (
        tabs[where.tab]
        and where.type in ("", each.type)
        and where.attribute.lower() in each.attribute_key.lower()
        and where.assignee in ("", each.assignee)
        and len(each.source_ids) >= where.min_sources
        and where.older_than <= 9
    )


def _key(row: Queued) -> tuple[int, str]:
    return -row.weight.risk, row.conflict.id


def _decision_id(found: Conflict) -> str:
    return f"dec_{found.id}_{found.ruling.action}" if found.ruling and found.status is not ConflictStatus.OPEN else ""


def _previews(found: Conflict) -> tuple[Preview, ...]:
    if found.status is not ConflictStatus.OPEN:
        return (Preview("reopen", "", (("disputed", found.statement_ids),)),)
    rows = []
    for side in found.sides:
        others = tuple(each for each in found.statement_ids if each not in side.statement_ids)
        rows.append(Preview("choose_side", side.id, (("superseded", others), ("active", side.statement_ids))))
    every = found.statement_ids
    return (
        *rows,
        Preview("both", "", (("active", every),)),
        Preview("neither", "", (("archived", every),)),
        Preview("not_a_conflict", "", (("active", every),)),
        Preview("needs_evidence", "", ()),
    )


def _ruling(decision: Decision) -> Ruling:
    return Ruling(
        decision.action, decision.side_id or None, decision.discriminator_kind, decision.discriminator_value,
        decision.notes, decision.actor, falcon.AT,
    )  # fmt: skip
