"""What an act of a person overturns reaches every package that held it, exactly once, and nobody else."""

from typing import Any

import pytest
from django.test import Client

from console.packages.models import Comparison, Correction
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.test_packages import retrieved
from tests.console.test_review import CONFLICT, picks, ruling

QUEUE = "/p/falcon-programme/review"


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=1000)


def corrections(secret: str, cursor: str = "") -> tuple[list[dict[str, Any]], str]:
    status, found, _ = asked(secret, "corrections", **({"cursor": cursor} if cursor else {}))
    assert status == 200, found
    return found["data"]["items"], found["data"]["next_cursor"]


def told(items: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(each["statement_id"], each["verdict"], each["successor"], each["cause"]) for each in items]


def test_a_ruling_reaches_every_package_that_held_what_it_overturned(
    project: Project, secret: str, as_member: Client, engine: FakeProvider
) -> None:
    first, second = retrieved(secret)["package"], retrieved(secret)["package"]
    items, cursor = corrections(secret)
    assert items == []
    as_member.post(CONFLICT, ruling())
    items, later = corrections(secret, cursor)
    assert told(items) == [("ki_3", "superseded", "ki_10", "ruling")], "the side that holds was told rightly"
    assert sorted(items[0]["packages"]) == sorted([first, second])
    assert corrections(secret, later) == ([], later)
    assert corrections(secret)[0] == items, "an old cursor gets it, too"


def test_an_undo_corrects_again_and_a_third_act_not_for_nothing(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    retrieved(secret)
    as_member.post(CONFLICT, ruling())
    _, cursor = corrections(secret)
    decision = f"dec_cf_date_{engine.known_conflicts['cf_date'].ruling.action}"  # type: ignore[union-attr]
    as_member.post(f"{CONFLICT}/reopen", {"notes": "Too early.", "expected_decision": decision})
    items, cursor = corrections(secret, cursor)
    assert told(items) == [("ki_3", "contested", "", "undo")]
    as_member.post(CONFLICT, ruling(ruling="side:side_ki_3"))
    items, _ = corrections(secret, cursor)
    assert ("ki_3", "holds", "", "ruling") in told(items)
    assert ("ki_10", "superseded", "ki_3", "ruling") in told(items)


def test_one_token_hears_nothing_of_another(project: Project, secret: str, as_member: Client) -> None:
    mine = retrieved(secret)["package"]
    other = given_secret(project)
    theirs = retrieved(other)["package"]
    silent = given_secret(project)
    as_member.post(CONFLICT, ruling())
    assert corrections(secret)[0][0]["packages"] == [mine]
    assert corrections(other)[0][0]["packages"] == [theirs]
    assert corrections(silent) == ([], "")
    assert Correction.objects.get().packages.count() == 2


def test_many_rulings_at_once_correct_each(secret: str, as_member: Client, engine: FakeProvider) -> None:
    retrieved(secret)
    post = {"pick": picks(engine, "cf_date", "cf_adapter"), "ruling": "letter:B", "notes": "Later.", "record": "1"}
    assert as_member.post(f"{QUEUE}/many", post).status_code == 302
    assert told(corrections(secret)[0]) == [("ki_3", "superseded", "ki_10", "ruling")]


def test_a_ruling_that_needs_a_second_person_corrects_nothing_yet(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    retrieved(secret)
    engine.second_look = True
    as_member.post(CONFLICT, ruling())
    assert not Correction.objects.exists()


def test_a_step_of_a_document_corrects_what_rested_on_it(secret: str, as_member: Client, engine: FakeProvider) -> None:
    from dataclasses import replace

    from knowledge.vocabulary import Status

    retrieved(secret)
    key = engine.known_statements["ki_10"]
    engine.known_statements["ki_10"] = replace(key, status=Status.WITHHELD)  # as the engine would on the step
    address = "/p/falcon-programme/sources/src_mail/state"
    assert as_member.post(address, {"step": "suspended|under_review", "reason": "Being checked."}).status_code == 302
    items, _ = corrections(secret)
    assert told(items) == [("ki_10", "unavailable", "", "lifecycle")]


def test_what_could_not_be_compared_is_compared_later_and_told_once(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    retrieved(secret)
    engine.failures["statements_by_id"] = Failed(Failure.TIMEOUT, "x")
    as_member.post(CONFLICT, ruling())
    assert not Correction.objects.exists()
    assert Comparison.objects.get().reference == "cf_date"
    assert corrections(secret) == ([], ""), "still away"
    del engine.failures["statements_by_id"]
    items, cursor = corrections(secret)
    assert told(items) == [("ki_3", "superseded", "ki_10", "ruling")]
    assert corrections(secret, cursor)[0] == []
    assert not Comparison.objects.exists()


def test_the_preview_counts_the_packages_that_are_there(
    project: Project, secret: str, as_member: Client, engine: FakeProvider
) -> None:
    page = as_member.get(CONFLICT).content.decode()
    assert figure(page) == "0"
    retrieved(secret)
    asked(secret, "search", {"query": "When is the Falcon launch date?"})
    page = as_member.get(CONFLICT).content.decode()
    assert figure(page) == "1", "a search hands out no package"
    assert "research agent" in page


def figure(page: str) -> str:
    import re

    found = re.search(r"packages served</dt><dd><b class=\"num\">([\d,]+)</b>", page)
    assert found
    return found[1]


def test_a_package_page_names_its_corrections(project: Project, secret: str, viewer: Any, as_member: Client) -> None:
    key = retrieved(secret)["package"]
    as_member.post(CONFLICT, ruling())
    page = signed_in(viewer).get(f"/p/falcon-programme/knowledge/packages/{key}").content.decode()
    assert "Corrections" in page
    assert "by a ruling" in page
