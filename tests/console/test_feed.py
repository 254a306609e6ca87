"""Following the engine's feed: whatever happens on the way, the end is the same as if nothing had."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.audit.models import AuditEvent
from console.feed.actions import discard, replay
from console.feed.applying import HELD_AT_MOST, MOST_TRIES
from console.feed.following import Turn, follow_once
from console.feed.models import Follower, KnownView, Receipt
from console.feed.queries import dead_letters, standing
from console.gaps.models import Gap
from console.packages.models import Correction, Quote
from console.projects.models import Project
from knowledge.failures import Failed, Failure, Ok
from tests.console import fake
from tests.console.conftest import BY
from tests.console.telling import BASE, CrashError, Telling
from tests.console.test_callers import given_secret
from tests.console.test_packages import retrieved

INSTANCE = "fgi_5d0f27"
PAGE = "/p/falcon-programme/colony"
State = Receipt.State


@pytest.fixture
def telling(project: Project) -> Telling:
    found = fake.install(Telling())
    assert isinstance(found, Telling)
    return found


def turn(telling: Telling) -> Turn:
    done = follow_once(telling, top_k=8)
    assert isinstance(done, Ok), done
    return done.value


def view(base: str = BASE) -> tuple[int, int]:
    row = KnownView.objects.get(base_id=base, generation=Follower.objects.get().generation)
    return row.revision, row.epoch


def counts() -> dict[str, int]:
    return {state: Receipt.objects.filter(state=state).count() for state in State.values}


def test_events_are_kept_acted_on_once_and_acknowledged(telling: Telling) -> None:
    telling.happen("published")
    telling.happen("ruled")
    telling.tell()
    assert turn(telling).ended == 3
    assert counts() == {"waiting": 0, "applied": 3, "dead": 0, "discarded": 0}
    assert view() == (2, 1)
    assert turn(telling) == Turn(0, 0, 0)


def test_a_crash_between_reading_and_acting_loses_nothing(telling: Telling, project: Project) -> None:
    secret = given_secret(project, per_minute=1000)
    retrieved(secret)
    telling.happen("ruled")
    telling.crash_in = "effect"
    with pytest.raises(CrashError):
        follow_once(telling, top_k=8)
    assert counts()["waiting"] == 1
    turn(telling)
    assert counts()["applied"] == 1
    assert Correction.objects.filter(statement_id="ki_10").count() == 1


def test_what_someone_else_ruled_reaches_the_packages_that_hold_it(telling: Telling, project: Project) -> None:
    """Another console, or the engine's own command line: nobody pressed a button here."""
    secret = given_secret(project, per_minute=1000)
    key = retrieved(secret)["package"]
    telling.happen("ruled")
    turn(telling)
    (corrected,) = Correction.objects.all()
    assert (corrected.statement_id, corrected.cause, corrected.standing) == ("ki_10", "revision", "superseded")
    assert [package.key for package in corrected.packages.all()] == [key]
    telling.happen("published")
    turn(telling)
    assert [c.standing for c in Correction.objects.order_by("pk")] == ["superseded", "holds"]


def test_a_deletion_made_elsewhere_empties_what_quotes_it(telling: Telling, project: Project) -> None:
    retrieved(given_secret(project, per_minute=1000))
    quoted = Quote.objects.order_by("pk").first()
    assert quoted is not None
    source = next(each for each in telling.known_sources.values() if each.document_id == quoted.document_id)
    telling.states[source.document_id] = "deleted"
    telling.views[BASE] = (1, 1)
    telling.tell(event_type="knowledge.state.changed", causation_id=source.document_id)
    turn(telling)
    package = quoted.package
    package.refresh_from_db()
    assert package.purged_because == f"document {source.document_id} is deleted"
    assert package.body is None


def test_a_poisonous_event_blocks_nobody_and_waits_for_a_person(telling: Telling) -> None:
    telling.happen("published")
    telling.fault = "poison"
    telling.tell(event_type="knowledge.revision.published", view_id="soon")
    turn(telling)
    assert counts() == {"waiting": 0, "applied": 1, "dead": 3, "discarded": 0}
    causes = sorted(Receipt.objects.filter(state=State.DEAD).values_list("cause", flat=True))
    assert causes[0] == "It does not have the agreed shape: event is not an object."
    assert causes[2] == "It names no state of its base."
    assert dead_letters(BASE, with_unreadable=True) == 3
    assert dead_letters(BASE, with_unreadable=False) == 1
    assert view() == (2, 0)


def test_an_event_of_another_protocol_is_a_dead_letter_and_an_unknown_kind_is_none(telling: Telling) -> None:
    telling.tell(protocol_version=2)
    telling.tell(event_type="knowledge.weather.changed")
    turn(telling)
    assert counts() == {"waiting": 0, "applied": 1, "dead": 1, "discarded": 0}
    assert "build does not know" in Receipt.objects.get(state=State.APPLIED).outcome
    assert "protocol_version is 2" in Receipt.objects.get(state=State.DEAD).cause


def test_an_event_that_keeps_failing_is_tried_longer_apart_then_set_aside(
    telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling.happen("published")
    monkeypatch.setattr("console.feed.effects.move_view", _broken)
    began = timezone.now()
    with time_machine.travel(began, tick=False) as clock:
        for number in range(1, MOST_TRIES + 1):
            turn(telling)
            row = Receipt.objects.get()
            assert row.tries == number
            turn(telling)
            assert Receipt.objects.get().tries == number, "not before its time"
            clock.shift(timedelta(seconds=2 * 2**number))
    assert (row.state, row.cause) == (State.DEAD, "ZeroDivisionError while it was acted on")
    monkeypatch.undo()
    assert replay(by=BY, receipt=row)
    turn(telling)
    assert Receipt.objects.get().state == State.APPLIED
    assert AuditEvent.objects.filter(action="feed.replayed").count() == 1


def _broken(**_told: Any) -> bool:
    raise ZeroDivisionError


def test_a_dead_letter_is_set_aside_with_a_note_once(telling: Telling) -> None:
    telling.tell(event_type="knowledge.state.changed", view_id="x")
    turn(telling)
    row = Receipt.objects.get()
    assert discard(by=BY, receipt=row, note="A test of the engine's.")
    assert not discard(by=BY, receipt=row, note="Again.")
    assert not replay(by=BY, receipt=row)
    row.refresh_from_db()
    assert (row.state, row.note, row.decided_by) == (State.DISCARDED, "A test of the engine's.", BY.name)
    assert AuditEvent.objects.filter(action="feed.discarded").count() == 1


def test_what_this_build_cannot_read_stays_a_dead_letter(telling: Telling) -> None:
    telling.fault = "poison"
    turn(telling)
    row = Receipt.objects.filter(state=State.DEAD).first()
    assert row is not None
    assert not replay(by=BY, receipt=row)
    row.refresh_from_db()
    assert row.state == State.DEAD


def test_an_expired_cursor_starts_anew_says_so_and_finds_what_was_lost(telling: Telling) -> None:
    telling.happen("published")
    turn(telling)
    telling.happen("published")
    telling.happen("ruled")
    telling.prune()
    turn(telling)
    follower = Follower.objects.get()
    assert follower.resynchronised_why == "events between the last read and now are gone at the engine"
    assert view() == (3, 1), "told by the base itself"
    assert AuditEvent.objects.filter(action="feed.resynchronised").count() == 1


def test_a_restored_engine_is_followed_from_its_beginning(telling: Telling) -> None:
    telling.happen("published")
    telling.happen("published")
    turn(telling)
    telling.restore()
    telling.happen("ruled")
    turn(telling)
    assert Follower.objects.get().generation == "gen_4"
    assert view() == (2, 1), "an older store is an older state, and of another generation"


def test_a_late_event_never_moves_a_view_back(telling: Telling) -> None:
    for _ in range(6):
        telling.happen("published")
    telling.fault = "reorder"
    turn(telling)
    assert view() == (7, 0)
    assert counts()["applied"] == 6


def test_an_engine_that_is_away_costs_no_tries(telling: Telling, project: Project) -> None:
    retrieved(given_secret(project, per_minute=1000))
    telling.happen("ruled")
    telling.fault = "unreachable"
    assert isinstance(follow_once(telling, top_k=8), Failed)
    found = standing(INSTANCE)
    assert found is not None
    assert found.follower.failing_since is not None
    telling.crash_in = "down"
    turn(telling)
    assert Receipt.objects.get().tries == 0
    assert counts()["waiting"] == 1
    turn(telling)
    assert counts()["applied"] == 1
    found = standing(INSTANCE)
    assert found is not None
    assert (found.follower.failing_since, found.lag, found.counts) == (None, timedelta(), {"applied": 1})


def test_a_base_that_cannot_be_asked_about_holds_up_no_other(telling: Telling, project: Project) -> None:
    retrieved(given_secret(project, per_minute=1000))
    telling.happen("ruled")
    telling.happen("published", base="proj_unbound")
    telling.crash_in = "down"
    turn(telling)
    states = dict(Receipt.objects.values_list("base_id", "state"))
    assert states == {BASE: State.WAITING, "proj_unbound": State.APPLIED}


def test_a_base_that_keeps_failing_is_shown_as_held_and_is_a_persons_after_an_hour(
    telling: Telling, project: Project, as_member: Client
) -> None:
    retrieved(given_secret(project, per_minute=1000))
    telling.happen("ruled")
    with time_machine.travel(timezone.now(), tick=False) as clock:
        telling.failures["statements_by_id"] = Failed(Failure.TIMEOUT, "No reply within 5000 ms.")
        for _ in range(3):
            turn(telling)
        held = Receipt.objects.get()
        assert (held.state, held.tries, held.held_since) == (State.WAITING, 0, timezone.now())
        page = as_member.get(PAGE).content.decode()
        assert "held since" in page
        assert "could not be asked about this base" in page
        clock.shift(HELD_AT_MOST)
        turn(telling)
        assert Receipt.objects.get().state == State.DEAD
        page = as_member.get(PAGE).content.decode()
        assert "The engine answers, but could not be asked about this base." in page
        assert as_member.post(f"{PAGE}/feed/{held.pk}/retry").status_code == 302
        assert Receipt.objects.get().held_since is None
        del telling.failures["statements_by_id"]
        turn(telling)
    assert counts()["applied"] == 1


def test_a_base_that_recovers_is_held_no_more(telling: Telling, project: Project) -> None:
    retrieved(given_secret(project, per_minute=1000))
    telling.happen("ruled")
    telling.crash_in = "down"
    turn(telling)
    turn(telling)
    applied = Receipt.objects.get()
    assert (applied.state, applied.held_since, applied.cause) == (State.APPLIED, None, "")


def test_a_gap_is_closed_by_what_the_feed_tells(telling: Telling, project: Project) -> None:
    Gap.objects.create(
        project=project, base_id=BASE, digest="d", question="When is the launch of Falcon?", band="tenant",
        floor="unverified_claim", code="no_match", last_at=timezone.now(),
    )  # fmt: skip
    telling.known_bases[BASE] = telling.known_bases[BASE].__class__(
        **{name: getattr(telling.known_bases[BASE], name) for name in telling.known_bases[BASE].__slots__}
        | {"current_revision": 2}
    )
    telling.happen("published")
    turn(telling)
    assert Gap.objects.get().state == "closed"
    assert "1 gap closed" in Receipt.objects.get().outcome


@dataclass(frozen=True)
class Step:
    what: str
    fault: str = ""


FAULTS = (
    "",
    "",
    "duplicate",
    "reorder",
    "lose",
    "poison",
    "unreachable",
    "crash_before",
    "crash_effect",
    "down_effect",
)
STEPS = st.lists(
    st.one_of(
        st.builds(Step, st.sampled_from(("published", "ruled", "elsewhere", "exported"))),
        st.builds(Step, st.just("turn"), st.sampled_from(FAULTS)),
        st.builds(Step, st.sampled_from(("prune", "restore"))),
    ),
    min_size=2,
    max_size=24,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_interleaving_ends_where_the_clean_order_does(project: Project, steps: list[Step]) -> None:
    for model in (Receipt, Follower, KnownView, Correction):
        model.objects.all().delete()
    telling = Telling()
    fake.install(telling)
    retrieved(given_secret(project, per_minute=1000))
    began = timezone.now()
    with time_machine.travel(began, tick=False) as clock:
        for step in steps:
            act(telling, step)
            clock.shift(timedelta(seconds=30))
        for _ in range(3):
            clock.shift(timedelta(minutes=11))
            turn(telling)
    assert view() == telling.views[BASE], "the base is known as it is"
    assert not Receipt.objects.filter(state=State.WAITING).exists()
    dead = Receipt.objects.filter(state=State.DEAD)
    assert {row.type for row in dead} <= {""}, "only what nobody can read"
    keys = Receipt.objects.values_list("instance_id", "generation", "event_id")
    assert len(set(keys)) == len(keys)
    package = Correction.objects.filter(statement_id="ki_10").order_by("pk")
    now = "superseded" if telling.known_statements["ki_10"].status.value == "superseded" else "holds"
    told = [row.standing for row in package]
    assert (told[-1] if told else "holds") == now, "the package was told what stands now"
    assert all(one != other for one, other in pairwise(told)), "and nothing twice"


def act(telling: Telling, step: Step) -> None:
    if step.what in ("published", "ruled"):
        telling.happen(step.what)
    elif step.what == "elsewhere":
        telling.happen("published", base="proj_unbound")
    elif step.what == "exported":
        telling.tell()
    elif step.what in ("prune", "restore"):
        getattr(telling, step.what)()
    else:
        telling.fault = step.fault if not step.fault.endswith("_effect") else ""
        telling.crash_in = {"crash_effect": "effect", "down_effect": "down"}.get(step.fault, "")
        with suppress(CrashError):
            follow_once(telling, top_k=8)
        telling.fault = telling.crash_in = ""
