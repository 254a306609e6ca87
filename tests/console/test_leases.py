"""Workers, crashes, silence, double clicks, cancelling, in any order: never two results, nothing lost or overspent."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from console.missions import budget, finishing, leasing
from console.missions.actions import cancel_mission
from console.missions.models import Attempt, AttemptState, Mission, MissionState, Result
from console.projects.models import Project
from console.tokens.models import AgentToken
from knowledge.failures import Failed, Ok
from knowledge.tools.working import Amount, Handed
from tests.console.conftest import BY
from tests.console.test_callers import given_secret
from tests.console.working import queued

BUDGET = Amount(calls=6, facts=20, bytes=200)
QUESTIONS = ("When?", "Who?", "How much?")
LIVE = (MissionState.QUEUED, MissionState.CLAIMED)


class Leases(RuleBasedStateMachine):
    """``held`` is what each worker believes to hold, rightly or not; ``told`` what was charged and handed out."""

    project: Project
    tokens: list[AgentToken]

    def __init__(self) -> None:
        super().__init__()
        self.undo = transaction.atomic()
        self.undo.__enter__()
        self.clock = time_machine.travel(timezone.now(), tick=False)
        self.now = self.clock.start()
        self.held: dict[int, tuple[Mission, int]] = {}
        self.told: dict[str, list[int]] = {}
        self.taken: dict[int, str] = {}
        self.ended: set[int] = set()

    def teardown(self) -> None:
        self.clock.stop()
        transaction.set_rollback(True)
        self.undo.__exit__(None, None, None)

    @initialize()
    def begin(self) -> None:
        for question in QUESTIONS:
            queued(self.project, question, budget=BUDGET)

    @rule(question=st.sampled_from(QUESTIONS))
    def click_again(self, question: str) -> None:
        mission = queued(self.project, question, budget=BUDGET)
        if mission.tries == 0 and mission.state == MissionState.QUEUED:
            self.told.pop(mission.key, None)

    @rule(who=st.integers(0, 1), named=st.booleans(), which=st.integers(0, 2))
    def claim(self, who: int, *, named: bool, which: int) -> None:
        key = list(Mission.objects.order_by("pk").values_list("key", flat=True))[which] if named else ""
        worker = f"worker-{who}"
        found = leasing.claim(token=self.tokens[who], within=Mission.objects.all(), key=key, worker=worker)
        if isinstance(found, Ok) and found.value is not None:
            self.held[who] = (found.value.mission, found.value.attempt.fence)

    @rule(seconds=st.sampled_from([1, 120, 299, 301, 700]))
    def wait(self, seconds: int) -> None:
        self.now.shift(timedelta(seconds=seconds))

    @rule(who=st.integers(0, 1))
    def crash(self, who: int) -> None:
        """It forgets what it held, and says so to nobody."""
        self.held.pop(who, None)

    @rule(who=st.integers(0, 1))
    def renew(self, who: int) -> None:
        if who in self.held:
            mission, fence = self.held[who]
            leasing.renew(token=self.tokens[who], mission=mission, fence=fence)

    @rule(who=st.integers(0, 1), facts=st.integers(0, 9), size=st.integers(0, 90))
    def call(self, who: int, facts: int, size: int) -> None:
        charged = budget.charge_call(self.tokens[who])
        if isinstance(charged, Failed) or not charged:
            return
        spent = self.told.setdefault(charged, [0, 0, 0])
        spent[0] += 1
        if budget.charge_answer(charged, facts=facts, size=size) is None:
            spent[1] += facts
            spent[2] += size

    @rule(who=st.integers(0, 1), outcome=st.sampled_from(["done", "failed"]), twice=st.booleans())
    def finish(self, who: int, outcome: str, *, twice: bool) -> None:
        if who not in self.held:
            return
        mission, fence = self.held[who]
        handed = Handed(mission.key, fence, outcome, f"by {who} at {fence}", (), None)
        latest = Mission.objects.get(pk=mission.pk).fence
        told = [finishing.finish(token=self.tokens[who], mission=mission, handed=handed) for _ in range(1 + twice)]
        assert len({isinstance(each, Ok) for each in told}) == 1, "the same result once more is told the same"
        if isinstance(told[0], Ok):
            known = Result.objects.filter(mission=mission, attempt__fence=fence)
            assert known.count() == 1
            assert fence == latest or known.exists()

    @rule(which=st.integers(0, 2))
    def cancel(self, which: int) -> None:
        cancel_mission(by=BY, mission=Mission.objects.order_by("pk")[which])

    @rule()
    def look(self) -> None:
        leasing.release_overdue()

    @invariant()
    def queued_once_and_answered_once(self) -> None:
        assert Mission.objects.count() in (0, len(QUESTIONS))
        for mission in Mission.objects.all():
            answers = Result.objects.filter(mission=mission, outcome="done").count()
            assert answers == (1 if mission.state == MissionState.DONE else 0), "one answer, and never none of one done"

    @invariant()
    def one_worker_a_mission_and_one_mission_a_worker(self) -> None:
        working = Attempt.objects.working()
        assert working.count() == working.values("mission").distinct().count()
        assert working.count() == working.values("agent").distinct().count()
        for each in working.select_related("mission"):
            assert (each.mission.state, each.mission.fence) == (MissionState.CLAIMED, each.fence)

    @invariant()
    def none_is_lost(self) -> None:
        """What is claimed has a worker; what is neither done, failed nor cancelled can still be claimed."""
        for mission in Mission.objects.filter(state=MissionState.CLAIMED):
            assert mission.attempts.filter(state=AttemptState.WORKING, fence=mission.fence).exists()
        for mission in Mission.objects.filter(state__in=LIVE):
            assert mission.tries <= mission.most_tries
            assert mission.state == MissionState.CLAIMED or mission.tries < mission.most_tries

    @invariant()
    def nothing_is_overspent_and_all_is_counted(self) -> None:
        for mission in Mission.objects.all():
            spent = (mission.calls_spent, mission.facts_spent, mission.bytes_spent)
            assert spent == tuple(self.told.get(mission.key, (0, 0, 0)))
            assert mission.calls_spent <= BUDGET.calls
            assert mission.facts_spent <= BUDGET.facts
            assert mission.bytes_spent <= BUDGET.bytes


@pytest.mark.django_db(transaction=False)
def test_leases_hold_under_any_interleaving(project: Project) -> None:
    given_secret(project, works=True)
    given_secret(project, works=True)
    tokens = list(AgentToken.objects.order_by("pk"))

    class OfThis(Leases):
        pass

    OfThis.project, OfThis.tokens = project, tokens
    some: Any = settings(
        max_examples=30,
        stateful_step_count=40,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(OfThis, settings=some)
