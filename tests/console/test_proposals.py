"""Proposals: filed once, changing nothing; the engine first, never by the maker of its token, none lost to a crash."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.bases import actions as bases
from console.people.models import User
from console.policy import Permission, Role
from console.projects.models import Membership, Project
from console.proposals import deciding
from console.proposals.models import Proposal, ProposalState
from console.tokens.actions import make_token, rotate_token
from console.tokens.models import AgentToken
from knowledge.failures import Failed, Failure
from knowledge.vocabulary import Band, ConflictStatus, Support
from tests.console import fake
from tests.console.conftest import person, signed_in
from tests.console.fake import FakeProvider
from tests.console.telling import Telling
from tests.console.test_agent_api import asked
from tests.console.test_review import ruling
from tests.console.working import QUESTION, done, proposed

PAGE = "/p/falcon-programme/colony/proposals"
TIMEOUT = Failed(Failure.TIMEOUT, "No reply within 10000 ms.")


def token_made_by(user: User, project: Project) -> str:
    return make_token(
        by=user.actor,
        project=project,
        name="planner-ant",
        permissions=[Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW],
        band=Band.TENANT,
        min_support=Support.UNVERIFIED_CLAIM,
        per_minute=10_000,
        expires_at=None,
    ).secret


@pytest.fixture
def secret(project: Project, owner: User) -> str:
    """Mara made it; Tomas may accept what it proposes."""
    return token_made_by(owner, project)


def state_of(proposal: Proposal) -> ProposalState:
    proposal.refresh_from_db()
    return ProposalState(proposal.state)


def accept(client: Client, proposal: Proposal) -> tuple[int, str]:
    answer = client.post(f"{PAGE}/{proposal.key}/accept", follow=True)
    return answer.status_code, answer.content.decode()


def test_a_proposal_changes_nothing_and_is_a_card_beside_its_evidence(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    before = engine.known_conflicts["cf_date"]
    proposal = proposed(secret)
    assert engine.known_conflicts["cf_date"] == before
    assert "resolve" not in engine.calls
    page = as_member.get(PAGE).content.decode()
    assert "B holds: 2026-04-10" in page
    assert "The mail is later and says why." in page
    assert page.count('aria-label="Side ') == 2
    assert proposal.package[:14] in page
    assert "Accept and apply" in page


def test_the_same_is_proposed_once_and_tells_what_became_of_it(secret: str, as_member: Client) -> None:
    first = proposed(secret)
    again = proposed(secret, ruling="neither", statement="")
    assert first.pk == again.pk
    assert (again.ruling, Proposal.objects.count()) == ("choose_side", 1)
    accept(as_member, first)
    assert Proposal.objects.get().state == ProposalState.APPLIED


def test_accepting_has_the_engine_record_it_first_and_in_the_name_of_the_person(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    proposal = proposed(secret)
    status, page = accept(as_member, proposal)
    assert (status, state_of(proposal)) == (200, ProposalState.APPLIED)
    assert "Applied: the engine recorded it in your name." in page
    made = engine.known_conflicts["cf_date"].ruling
    assert made is not None
    assert (made.actor, made.action) == ("Tomas", "choose_side")
    assert proposal.key in made.notes
    assert proposal.decision_id
    told = list(AuditEvent.objects.filter(target__in=(proposal.key, "cf_date")).order_by("pk"))
    assert [each.action for each in told] == [
        "proposal.made",
        "proposal.accepted",
        "conflict.ruled",
        "proposal.applied",
    ]


def test_nobody_accepts_what_their_own_token_proposed(
    secret: str, as_owner: Client, as_member: Client, owner: User, member: User, engine: FakeProvider
) -> None:
    proposal = proposed(secret)
    page = as_owner.get(PAGE).content.decode()
    assert "You made the token that proposed it" in page
    assert "Accept and apply" not in page
    status, page = accept(as_owner, proposal)
    assert (status, state_of(proposal)) == (403, ProposalState.OPEN)
    assert "Somebody else must accept it" in page
    assert "resolve" not in engine.calls
    made = rotate_token(by=member.actor, token=AgentToken.objects.get(), overlap=timedelta(hours=1))
    Proposal.objects.update(token=made.token)
    for client in (as_owner, as_member):
        assert accept(client, proposal)[0] == 403, "who rotated it made it, too"


def test_a_maker_of_an_earlier_release_is_known_by_name(secret: str, as_owner: Client, as_member: Client) -> None:
    AgentToken.objects.update(created_by_key="")
    proposal = proposed(secret)
    assert accept(as_owner, proposal)[0] == 403
    assert accept(as_member, proposal)[0] == 200
    assert state_of(proposal) == ProposalState.APPLIED


def test_a_viewer_reads_and_decides_nothing(secret: str, viewer: User, project: Project) -> None:
    proposal, client = proposed(secret), signed_in(viewer)
    assert "Accept and apply" not in client.get(PAGE).content.decode()
    for act in ("accept", "decline"):
        assert client.post(f"{PAGE}/{proposal.key}/{act}", {"reason": "x"}).status_code == 403
    assert state_of(proposal) == ProposalState.OPEN


def test_declining_needs_a_reason_and_keeps_the_conflict(secret: str, as_member: Client, engine: FakeProvider) -> None:
    proposal = proposed(secret)
    answer = as_member.post(f"{PAGE}/{proposal.key}/decline", {"reason": " "})
    assert answer.status_code == 422
    assert "Say why not" in answer.content.decode()
    as_member.post(f"{PAGE}/{proposal.key}/decline", {"reason": "The mail is a draft."})
    assert state_of(proposal) == ProposalState.DECLINED
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN
    assert "The mail is a draft." in as_member.get(f"{PAGE}?part=decided").content.decode()
    assert accept(as_member, proposal)[0] == 409
    assert "resolve" not in engine.calls


def test_a_ruling_that_came_before_is_told(secret: str, as_member: Client, as_owner: Client) -> None:
    proposal = proposed(secret)
    as_owner.post("/p/falcon-programme/review/cf_date", ruling())
    status, page = accept(as_member, proposal)
    assert (status, state_of(proposal)) == (409, ProposalState.OVERTAKEN)
    assert "Mara ruled on it meanwhile." in page
    assert "No proposal waits" in page
    assert done(secret, "review", _again(proposal.package))["state"] == "overtaken"


def test_a_proposal_after_the_ruling_is_refused(secret: str, as_owner: Client) -> None:
    package = done(secret, "retrieve", {"query": QUESTION})["package"]
    as_owner.post("/p/falcon-programme/review/cf_date", ruling())
    assert asked(secret, "review", _again(package))[0] == 409
    assert not Proposal.objects.exists()


def _again(package: str) -> dict[str, object]:
    return {"conflict": "cf_date", "package": package, "ruling": "neither", "reason": "x"}


def test_opening_the_page_tells_it_too(secret: str, as_member: Client, as_owner: Client) -> None:
    proposal = proposed(secret)
    as_owner.post("/p/falcon-programme/review/cf_date", ruling())
    assert "No proposal waits" in as_member.get(PAGE).content.decode()
    assert state_of(proposal) == ProposalState.OVERTAKEN
    assert "Ruled before" in as_member.get(f"{PAGE}?part=decided").content.decode()


def test_sides_that_moved_bind_it_to_nothing(secret: str, as_member: Client, engine: FakeProvider) -> None:
    proposal = proposed(secret)
    conflict = engine.known_conflicts["cf_date"]
    engine.known_conflicts["cf_date"] = replace(conflict, digest="sha256:moved")
    status, page = accept(as_member, proposal)
    assert (status, state_of(proposal)) == (409, ProposalState.OVERTAKEN)
    assert "The sides changed after the agent read them." in page
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN


def test_a_refusal_of_the_engine_leaves_it_open(secret: str, as_member: Client, engine: FakeProvider) -> None:
    proposal = proposed(secret)
    engine.failures["resolve"] = Failed(Failure.FORBIDDEN, "The token lacks review:write.")
    status, page = accept(as_member, proposal)
    assert (status, state_of(proposal)) == (409, ProposalState.OPEN)
    assert "The token lacks review:write." in page
    assert proposal.decided_by == ""


class Crash(BaseException):
    """As hard as an end of the process: nothing in the console catches it."""


def crashing(monkeypatch: pytest.MonkeyPatch, *, after: bool) -> None:
    """Between the engine's call and our record of it, or just before the call."""
    real: Callable[..., object] = bases.rule_on_conflict

    def act(**given: object) -> object:
        if after:
            real(**given)
        raise Crash

    monkeypatch.setattr(deciding, "rule_on_conflict", act)


@pytest.mark.parametrize("after", [True, False], ids=["after the engine recorded", "before the engine was asked"])
def test_a_crash_is_found_again_and_the_engine_decides(
    secret: str, as_member: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    proposal = proposed(secret)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        with monkeypatch.context() as broken:
            crashing(broken, after=after)
            with pytest.raises(Crash):
                as_member.post(f"{PAGE}/{proposal.key}/accept")
        assert state_of(proposal) == ProposalState.APPLYING
        page = as_member.get(PAGE).content.decode()
        assert state_of(proposal) == ProposalState.APPLYING, "somebody may still be at it"
        if not after:
            assert "is not known yet" in page
        assert accept(as_member, proposal)[0] == 409, "it is not sent twice"
        clock.shift(deciding.IN_FLIGHT + timedelta(seconds=1))
        as_member.get(PAGE)
        wanted = ProposalState.APPLIED if after else ProposalState.OPEN
        assert state_of(proposal) == wanted
        assert bool(proposal.decision_id) == after
        if not after:
            assert "The engine did not record it." in as_member.get(PAGE).content.decode()
            assert accept(as_member, proposal)[0] == 200
    assert state_of(proposal) == ProposalState.APPLIED
    assert engine.calls.count("resolve") == 1


def test_an_answer_that_never_came_is_not_called_applied(
    secret: str, as_member: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine recorded it, and the answer was lost on the way."""
    proposal = proposed(secret)
    real = engine.resolve

    def lost(*given: object, **more: object) -> Failed:
        real(*given, **more)  # type: ignore[arg-type]
        return TIMEOUT

    with time_machine.travel(timezone.now(), tick=False) as clock:
        monkeypatch.setattr(engine, "resolve", lost)
        status, page = accept(as_member, proposal)
        assert (status, state_of(proposal)) == (409, ProposalState.APPLYING)
        assert "Nobody knows yet" in page
        clock.shift(deciding.IN_FLIGHT + timedelta(seconds=1))
        as_member.get(PAGE)
    assert state_of(proposal) == ProposalState.APPLIED


def test_two_looks_need_two_people(secret: str, as_member: Client, project: Project, engine: FakeProvider) -> None:
    proposal = proposed(secret)
    engine.second_look = True
    status, page = accept(as_member, proposal)
    assert (status, state_of(proposal)) == (200, ProposalState.OPEN)
    assert "First look kept." in page
    assert accept(as_member, proposal)[0] == 409
    assert state_of(proposal) == ProposalState.OPEN
    second = person(Role.REVIEWER, "Ines")
    Membership.objects.create(user=second, project=project)
    assert accept(signed_in(second), proposal)[0] == 200
    assert state_of(proposal) == ProposalState.APPLIED


def test_two_who_accept_at_once_ask_the_engine_once(
    secret: str, as_member: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = proposed(secret)
    real: Callable[..., object] = bases.rule_on_conflict
    told: list[int] = []

    def meanwhile(**given: object) -> object:
        told.append(as_member.post(f"{PAGE}/{proposal.key}/accept").status_code)
        return real(**given)

    with monkeypatch.context() as both:
        both.setattr(deciding, "rule_on_conflict", meanwhile)
        assert accept(as_member, proposal)[0] == 200
    assert told == [409]
    assert engine.calls.count("resolve") == 1


def test_a_foreign_proposal_is_as_good_as_unknown(
    secret: str, project: Project, other_project: Project, stranger: User
) -> None:
    proposal = proposed(secret)
    client = signed_in(stranger)
    page = "/p/site-operations/colony/proposals"
    assert "The mail is later" not in client.get(page).content.decode()
    told = [client.post(f"{page}/{key}/accept").status_code for key in (proposal.key, f"prp_{0:032x}")]
    assert told == [404, 404]
    assert state_of(proposal) == ProposalState.OPEN


def test_reading_alone_proposes_nothing(secret: str, project: Project, owner: User) -> None:
    AgentToken.objects.update(permissions=["read_knowledge"])
    assert asked(secret, "review", _again(f"pkg_{0:032x}"))[0] == 403
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("after", [True, False], ids=["after the engine recorded", "before the engine was asked"])
def test_the_pass_in_the_background_settles_what_a_crash_left_without_anybody_looking(
    secret: str, as_member: Client, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    engine = fake.install(Telling())
    proposal = proposed(secret)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        with monkeypatch.context() as broken:
            crashing(broken, after=after)
            with pytest.raises(Crash):
                as_member.post(f"{PAGE}/{proposal.key}/accept")
        engine.events.clear()  # the trail of rulings; this fake keeps its feed under the same name
        call_command("colony", "--once")
        assert state_of(proposal) == ProposalState.APPLYING, "somebody may still be at it"
        clock.shift(deciding.IN_FLIGHT + timedelta(seconds=1))
        engine.failures["brief"] = TIMEOUT
        call_command("colony", "--once")
        assert state_of(proposal) == ProposalState.APPLYING, "the engine did not say"
        del engine.failures["brief"]
        call_command("colony", "--once")
    assert state_of(proposal) == (ProposalState.APPLIED if after else ProposalState.OPEN)
    assert engine.calls.count("resolve") == after, "nothing is sent again"
    if after:
        assert AuditEvent.objects.filter(action="proposal.applied", actor_name="Proposals").exists()
