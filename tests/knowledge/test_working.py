"""Budgets, results held to all their packages, and proposals, with what is worked on in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from knowledge.context import build_context, render
from knowledge.context.join import joined
from knowledge.failures import Failed, Failure, Ok, Outcome, failure_text
from knowledge.tools.keeping import Sheet
from knowledge.tools.shapes import SearchAnswer
from knowledge.tools.tasks import ClaimAnswer, FinishAnswer, MissionsAnswer, ReviewAnswer
from knowledge.tools.working import Amount, Filed, Handed, Lease, Proposed, Task
from knowledge.vocabulary import ConflictStatus, Support
from tests.knowledge.shelf import SCOPE, Shelf, falcon_launch, statement
from tests.knowledge.test_tools import MISSION, PACKAGE, Agent, Library, answered, refused

SPENT = Failed(Failure.BUDGET_EXHAUSTED, "spent")
TASK = Task(MISSION, "Launch", "answer", ("When?",), (), "claimed", Amount(2, 10, 9_000), Amount(0, 0, 0), 2)


@dataclass
class MemoryWork:
    """One mission that is worked on, with ``calls`` and ``facts`` left of it."""

    calls: int = 10
    facts: int = 10
    charged: list[tuple[str, int, int]] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    asked: list[Proposed] = field(default_factory=list)

    def charge_call(self) -> str | Failed:
        if not self.calls:
            return SPENT
        self.calls -= 1
        return MISSION

    def charge_answer(self, mission: str, *, facts: int, size: int) -> Failed | None:
        if facts > self.facts:
            return SPENT
        self.facts -= facts
        self.charged.append((mission, facts, size))
        return None

    def claimable(self) -> Sequence[Task]:
        return [TASK, TASK]

    def claim(self, mission: str, worker: str) -> Outcome[Lease | None]:
        return Ok(None) if worker == "late" else Ok(Lease(TASK, 3, "2026-03-01T00:05:00Z", 300))

    def renew(self, mission: str, fence: int) -> Outcome[Lease]:
        return Ok(Lease(TASK, fence, "2026-03-01T00:05:00Z", 300))

    def finish(self, handed: Handed) -> Outcome[str]:
        self.handed.append(handed)
        return Ok(handed.outcome)

    def proposed(self, conflict_id: str, digest: str) -> Filed | None:
        return None

    def propose(self, proposed: Proposed) -> Outcome[Filed]:
        self.asked.append(proposed)
        return Ok(Filed("prp_1", "open", proposed.ruling, True))


def test_a_call_pays_for_itself_and_for_all_it_hands_out() -> None:
    work = MemoryWork()
    agent = Agent(falcon_launch(), work=work)
    data = answered(agent, "search").data
    assert isinstance(data, SearchAnswer)
    assert work.charged == [(MISSION, len(data.hits), len(data.model_dump_json().encode()))]
    assert work.calls == 9


def test_a_spent_mission_pays_for_nothing_and_says_so() -> None:
    agent = Agent(falcon_launch(), work=MemoryWork(calls=0))
    found = refused(agent, "search")
    assert found.failure is Failure.BUDGET_EXHAUSTED
    assert "the budget of the mission" in failure_text(found)
    assert (agent.calls[0].failure, agent.calls[0].served_ids) == (Failure.BUDGET_EXHAUSTED, ())


def test_what_goes_beyond_the_budget_leaves_in_no_part_and_is_frozen_nowhere() -> None:
    agent = Agent(falcon_launch(), work=MemoryWork(facts=1))
    before = len(agent.packages.held)
    assert refused(agent, "retrieve").failure is Failure.BUDGET_EXHAUSTED
    assert len(agent.packages.held) == before
    assert agent.calls[0].served_ids == ()


def test_the_tools_of_the_work_itself_are_free() -> None:
    agent = Agent(falcon_launch(), work=MemoryWork(calls=0, facts=0))
    missions = answered(agent, "missions", {"limit": 1}).data
    assert isinstance(missions, MissionsAnswer)
    assert [each.id for each in missions.items] == [MISSION]
    claimed = answered(agent, "claim").data
    assert isinstance(claimed, ClaimAnswer)
    assert (claimed.fence, claimed.lease_seconds) == (3, 300)
    none = answered(agent, "claim", {"worker": "late"}).data
    assert isinstance(none, ClaimAnswer)
    assert (none.mission, none.fence) == (None, 0)


def test_a_result_is_held_to_all_of_its_packages() -> None:
    """Each half is given in another package; alone, either would look made up."""
    work = MemoryWork()
    agent = Agent(Library([statement("ki_1", "The roof is red."), statement("ki_2", "The door is blue.")]), work=work)
    keys = [keep(agent, one) for one in ("ki_1", "ki_2")]
    answer = "“The roof is red.” knowledge:falcon/ki_1 “The door is blue.” knowledge:falcon/ki_2"
    given = {"mission": MISSION, "fence": 3, "outcome": "done", "result": answer, "packages": keys}
    data = answered(agent, "finish", given).data
    assert isinstance(data, FinishAnswer)
    assert (data.holds, data.grounding, data.cited_never_admitted) == (True, "grounded", [])
    assert work.handed[0].packages == tuple(keys)
    alone = answered(agent, "finish", {**given, "packages": keys[:1]}).data
    assert isinstance(alone, FinishAnswer)
    assert (alone.holds, alone.cited_never_admitted) == (False, ["ki_2"])


def test_a_result_without_a_package_is_not_grounded() -> None:
    agent = Agent(falcon_launch(), work=MemoryWork())
    given: dict[str, object] = {"mission": MISSION, "fence": 3, "outcome": "failed", "result": "Nothing speaks of it."}
    data = answered(agent, "finish", given).data
    assert isinstance(data, FinishAnswer)
    assert (data.state, data.holds, data.grounding) == ("failed", False, "not grounded")


def test_a_package_of_somebody_else_keeps_all_of_it_from_being_handed_in() -> None:
    work = MemoryWork()
    agent = Agent(falcon_launch(), work=work)
    given = {"mission": MISSION, "fence": 3, "outcome": "done", "result": "x", "packages": [f"pkg_{99:032x}"]}
    assert refused(agent, "finish", given).failure is Failure.NOT_FOUND
    assert work.handed == []


def keep(agent: Agent, key: str) -> str:
    shelf = agent.provider
    assert isinstance(shelf, Library)
    built = build_context(Shelf([each for each in shelf.statements_held if each.id == key]), SCOPE, "what")
    assert isinstance(built, Ok)
    sheet = Sheet("context", render(built.value), built.value, "1:1", "t", Support.UNVERIFIED_CLAIM, "q")
    return agent.packages.freeze(sheet, "req_0").package


def test_contexts_join_with_one_number_a_statement() -> None:
    built = build_context(falcon_launch(), SCOPE, "launch date")
    assert isinstance(built, Ok)
    twice = joined([built.value, built.value])
    assert [fact.label for fact in twice.facts] == list(range(1, len(built.value.facts) + 1))
    assert [entry.facts for entry in twice.conflicts] == [entry.facts for entry in built.value.conflicts]
    assert twice.facts_without_provenance() == ()


REVIEW: dict[str, object] = {
    "package": PACKAGE,
    "ruling": "choose_side",
    "statement": "knowledge:falcon/ki_2b",
    "reason": "The mail is later and names the cause.",
}


def proposing(**changes: object) -> tuple[Agent, MemoryWork, dict[str, object]]:
    """``changes`` of the conflict since the package was frozen."""
    work, launch = MemoryWork(), falcon_launch()
    now = [replace(each, **changes) for each in launch.conflicts_held]  # type: ignore[arg-type]
    agent = Agent(Library(launch.statements_held, launch.ranked, now, launch.entities_held), work=work)
    return agent, work, {**REVIEW, "conflict": now[0].id}


def test_a_proposal_is_bound_to_what_the_package_told_and_changes_nothing() -> None:
    agent, work, given = proposing()
    data = answered(agent, "review", given).data
    assert isinstance(data, ReviewAnswer)
    assert (data.proposal, data.state, data.base_changed) == ("prp_1", "open", False)
    assert "has not changed" in data.told
    (told,) = work.asked
    kept = next(iter(agent.packages.held.values())).context
    assert kept is not None
    conflict = kept.conflicts[0].conflict
    assert (told.conflict_id, told.digest) == (conflict.id, conflict.digest)
    assert "ki_2b" in next(side for side in conflict.sides if side.id == told.side_id).statement_ids


def test_a_conflict_that_is_not_in_the_package_is_as_unknown_as_none() -> None:
    agent, work, given = proposing()
    found = refused(agent, "review", {**given, "conflict": "cf_of_another_project"})
    assert found.failure is Failure.NOT_FOUND
    assert work.asked == []


def test_sides_that_moved_and_a_ruling_made_meanwhile_are_told() -> None:
    for change in ({"digest": "other"}, {"status": ConflictStatus.RESOLVED}):
        agent, work, given = proposing(**change)
        assert refused(agent, "review", given).failure is Failure.CONFLICT
        assert work.asked == []


def test_a_ruling_that_lacks_what_it_needs_is_refused_by_field() -> None:
    agent, work, given = proposing()
    both = refused(agent, "review", {**given, "ruling": "both", "told_apart_by": "time"})
    side = refused(agent, "review", {**given, "statement": "ki_nobody"})
    assert [dict(each.fields).keys() for each in (both, side)] == [{"told_apart_by"}, {"statement"}]
    assert work.asked == []
