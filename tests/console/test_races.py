"""What the console holds by SQLite having one writer, on a database that has many: raced for real, on PostgreSQL."""

import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from django_otp.oath import totp

from console.audit.models import AuditEvent
from console.missions import leasing
from console.missions.actions import cancel_mission
from console.missions.finishing import finish
from console.missions.models import Attempt, Mission, MissionState, Result
from console.people import twofactor
from console.people.actions import NotAllowed, change_person
from console.people.models import User
from console.policy import Permission, Role
from console.projects.models import Project
from console.proposals import filing
from console.proposals.models import Proposal
from console.tokens.actions import make_token
from console.tokens.models import AgentToken, CallWindow
from console.tokens.rate import take_turn
from knowledge.failures import Failed, Ok
from knowledge.tools.working import Handed, Proposed
from knowledge.vocabulary import Band, Support
from tests.console.conftest import BY, person
from tests.console.working import queued
from tests.racing import race

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MANY = 6


def token(project: Project, name: str, per_minute: int = 1000) -> AgentToken:
    return make_token(
        by=BY,
        project=project,
        name=name,
        permissions=[Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW],
        band=Band.TENANT,
        min_support=Support.UNVERIFIED_CLAIM,
        per_minute=per_minute,
        expires_at=None,
    ).token


def failures(results: list[Any]) -> list[Exception]:
    return [each for each in results if isinstance(each, Exception)]


def test_of_two_administrators_who_leave_at_once_one_stays(project: Project, owner: User) -> None:
    people = [owner, *(person(Role.ADMINISTRATOR, f"Admin{at}") for at in range(3))]

    def leave(user: User) -> Callable[[], User]:
        return lambda: change_person(by=BY, user=user, name=user.name, role=Role.VIEWER, is_active=True)

    found = race([leave(user) for user in people])
    assert [type(each) for each in failures(found)] == [NotAllowed]
    assert User.objects.filter(role=Role.ADMINISTRATOR.value, is_active=True).count() == 1


def test_a_minute_holds_as_many_calls_as_the_token_may_make(project: Project) -> None:
    mine = token(project, "busy ant", per_minute=5)
    found = race([lambda: take_turn(mine)] * 12)
    assert failures(found) == []
    assert sum(turn.wait_seconds == 0 for turn in found if not isinstance(turn, Exception)) == 5
    assert CallWindow.objects.get(token=mine).calls == 5


def test_a_mission_is_claimed_by_one_and_a_token_works_on_one(project: Project) -> None:
    missions = [queued(project, f"When does pier {at} open?") for at in range(3)]
    tokens = [token(project, f"ant {at}") for at in range(MANY)]

    def claim(one: AgentToken) -> Callable[[], Any]:
        within = Mission.objects.filter(pk__in=[each.pk for each in missions])
        return lambda: leasing.claim(token=one, within=within, key="", worker="w")

    found = race([claim(one) for one in tokens])
    assert failures(found) == []
    got = [each.value.mission.pk for each in found if isinstance(each, Ok) and each.value is not None]
    assert len(got) == len(set(got))
    left = [one for one in tokens if not Attempt.objects.filter(token=one).exists()]
    got += [each.value.mission.pk for each in (claim(one)() for one in left) if isinstance(each, Ok) and each.value]
    assert sorted(got) == sorted(each.pk for each in missions)
    assert set(Mission.objects.values_list("state", "fence", "tries")) == {(MissionState.CLAIMED, 1, 1)}

    again = [queued(project, f"Who owns pier {at}?") for at in range(2)]
    one = token(project, "eager ant")
    rest = Mission.objects.filter(pk__in=[each.pk for each in again])
    found = race([lambda at=at: leasing.claim(token=one, within=rest, key="", worker=str(at)) for at in range(4)])  # type: ignore[misc]
    assert failures(found) == []
    assert Attempt.objects.filter(token=one).count() == 1


@pytest.mark.parametrize("late", ["hand in", "keep"])
@pytest.mark.parametrize("first", ["taken back", "cancelled"])
def test_who_comes_while_a_claim_is_taken_back_comes_too_late(project: Project, first: str, late: str) -> None:
    """As on two hosts whose clocks differ: one thinks the claim overdue while the agent hands in at the other."""
    mission, mine = queued(project), token(project, "late ant")
    claimed = leasing.claim(token=mine, within=Mission.objects.all(), key=mission.key, worker="w")
    assert isinstance(claimed, Ok)
    assert claimed.value is not None
    fence, is_under_way = claimed.value.attempt.fence, Event()

    def take_back() -> None:
        with transaction.atomic():
            if first == "cancelled":
                cancel_mission(by=BY, mission=mission)
            else:
                leasing.release_overdue(timezone.now() + leasing.LEASE * 2)
            is_under_way.set()
            time.sleep(0.4)

    def come() -> Any:
        assert is_under_way.wait(10)
        if late == "keep":
            return leasing.renew(token=mine, mission=mission, fence=fence)
        return finish(token=mine, mission=mission, handed=Handed(mission.key, fence, "done", "Noon.", (), None))

    _, found = race([take_back, come])
    assert found == leasing.LATE
    mission.refresh_from_db()
    assert mission.state == (MissionState.CANCELLED if first == "cancelled" else MissionState.QUEUED)
    assert not Result.objects.exists()
    assert not Attempt.objects.working().exists()


def test_proposals_are_filed_once_and_not_beyond_their_bound(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "MOST_UNDECIDED", 3)
    mine = token(project, "planner ant")

    def propose(conflict: str) -> Callable[[], Any]:
        told = Proposed(conflict, "d1", "neither", "", "", "", "Neither is right.", "")
        return lambda: filing.file_proposal(token=mine, base_id="proj_falcon", proposed=told)

    same = race([propose("cf_1")] * MANY)
    assert failures(same) == []
    assert Proposal.objects.count() == 1
    found = race([propose(f"cf_{at}") for at in range(2, 8)])
    assert failures(found) == []
    assert Proposal.objects.count() == 3
    assert sum(isinstance(each, Failed) for each in found) == 4
    assert AuditEvent.objects.filter(action="proposal.made").count() == 3


def test_a_code_of_the_second_factor_opens_once(project: Project, member: User) -> None:
    devices = race([lambda: twofactor.begin(user=member)] * MANY)
    assert failures(devices) == []
    assert len({device.pk for device in devices if not isinstance(device, Exception)}) == 1
    device = twofactor.begin(user=member)
    code = f"{totp(device.bin_key):06d}"
    twofactor.confirm(user=member, code=code)
    device.refresh_from_db()
    device.last_t = -1
    device.save()
    code = f"{totp(device.bin_key):06d}"
    found = race([lambda: twofactor.check(user=member, code=code)] * MANY)
    assert len(failures(found)) == MANY - 1
    assert {type(each) for each in failures(found)} == {twofactor.WrongCode}
