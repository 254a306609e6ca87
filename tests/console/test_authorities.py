"""Governing documents that disagree: their owners are named and can be asked, and a ruling is a recorded exception."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from console.audit.models import AuditEvent
from tests.console.fake import FakeProvider
from tests.console.test_review import ruling

PAGE = "/p/falcon-programme/review/cf_date"


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
