"""Governing documents that disagree: their owners are named and can be asked, and a ruling is a recorded exception."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from console.audit.models import AuditEvent
from console.bases.actions import Hand, rule_on_each
from console.projects.models import Project
from console.projects.scopes import Reading, reading_of
from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import BulkItem, Decision
from tests.console.conftest import BY
from tests.console.fake import FakeProvider
from tests.console.test_review import QUEUE, picks, ruling

PAGE = "/p/falcon-programme/review/cf_date"
MANY = f"{QUEUE}/many"


@pytest.fixture
def governed(engine: FakeProvider) -> FakeProvider:
    for key, owner in (("src_memo", "Robert Smith"), ("src_mail", "")):
        source = engine.known_sources[key]
        engine.known_sources[key] = replace(source, authoritative=True, owner=owner)
    return engine


def read_with(client: Client) -> str:
    """What the form of the page carries along."""
    found = re.search(r'name="authorities" value="([^"]+)"', client.get(PAGE).content.decode())
    assert found is not None
    return found[1]


def the_event() -> dict[str, object]:
    return dict(AuditEvent.objects.get(action="conflict.ruled").after)


def test_the_page_names_the_owners_and_what_a_ruling_is(as_member: Client, governed: FakeProvider) -> None:
    page = as_member.get(PAGE).content.decode()
    assert "Documents that govern disagree" in page
    assert "A: 01-kickoff-memo.md, owner Robert Smith; B: 02-schedule-update.eml, without an owner." in page
    assert '<option value="Robert Smith">' in page


def test_one_governing_document_is_no_contradiction(as_member: Client, engine: FakeProvider) -> None:
    engine.known_sources["src_memo"] = replace(engine.known_sources["src_memo"], authoritative=True, owner="R")
    assert "Documents that govern disagree" not in as_member.get(PAGE).content.decode()


def test_the_owner_can_be_asked(as_member: Client, governed: FakeProvider) -> None:
    asked = ruling(ruling="needs_evidence", assignee="Robert Smith", authorities=read_with(as_member))
    assert as_member.post(PAGE, asked).status_code == 302
    assert governed.known_conflicts["cf_date"].assignee == "Robert Smith"
    assert (the_event()["authorities"], the_event()["asked_owner"]) == (2, True)


def test_nobody_else_from_outside_can_be_asked(as_member: Client, governed: FakeProvider) -> None:
    assert (
        as_member.post(
            PAGE, ruling(ruling="needs_evidence", assignee="Somebody", authorities=read_with(as_member))
        ).status_code
        == 422
    )
    assert governed.known_conflicts["cf_date"].assignee == ""


@pytest.mark.parametrize("is_told", [True, False], ids=["as the form tells", "read when the form does not tell"])
def test_a_ruling_is_a_recorded_exception(as_member: Client, governed: FakeProvider, *, is_told: bool) -> None:
    as_member.post(PAGE, ruling(authorities=read_with(as_member) if is_told else "made up"))
    told = the_event()
    assert (told["exception"], told["owners"], told["authorities"]) == (True, "Robert Smith", 2)
    assert "kept in the audit as an exception" in as_member.get(PAGE).content.decode()


def test_any_other_ruling_is_none(as_member: Client) -> None:
    as_member.post(PAGE, ruling())
    assert "exception" not in the_event()


def test_a_ruling_on_many_keeps_the_exceptions_of_those_that_were_recorded(
    as_member: Client, governed: FakeProvider
) -> None:
    listed = picks(governed, "cf_date", "cf_adapter")
    posted = {"pick": listed, "record": "1", "ruling": "neither", "notes": "Both are old."}
    assert as_member.post(MANY, posted).status_code == 302
    event = AuditEvent.objects.get(action="conflict.ruled_each").after
    assert event["recorded"] == "cf_date,cf_adapter"
    assert (event["exception"], event["exceptions"], event["owners"]) == (True, "cf_date", "Robert Smith")


def test_asking_an_owner_about_many_is_no_exception(as_member: Client, governed: FakeProvider) -> None:
    items = [BulkItem("cf_date", governed.known_conflicts["cf_date"].digest, "")]
    asked = Decision("needs_evidence", "Mara", "Which holds?", "", assignee="Robert Smith")
    assert isinstance(rule_on_each(hand=the_hand(governed), items=items, decision=asked), Ok)
    event = AuditEvent.objects.get(action="conflict.ruled_each").after
    assert event["authorities"] == "cf_date"
    assert "exception" not in event


def test_sources_that_cannot_be_read_are_said_to_be_unread(as_member: Client, governed: FakeProvider) -> None:
    governed.failures["source"] = Failed(Failure.TIMEOUT, "No reply.")
    items = [BulkItem("cf_date", governed.known_conflicts["cf_date"].digest, "")]
    rule_on_each(hand=the_hand(governed), items=items, decision=Decision("neither", "Mara", "Both are old.", ""))
    assert AuditEvent.objects.get(action="conflict.ruled_each").after["authorities"] == "not read"


def the_hand(engine: FakeProvider) -> Hand:
    project = Project.objects.get()
    reading = reading_of(project)
    assert isinstance(reading, Reading)
    return Hand(by=BY, project=project, scope=reading.scope, provider=engine)
