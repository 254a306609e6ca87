"""Who ruled what, by person and day, and as a table to take away."""

import csv
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from console.audit.models import AuditEvent
from console.people.models import User
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from knowledge.reviewing import ReviewEvent
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider

PAGE = reverse("review-history", args=["falcon-programme"])
TABLE = reverse("review-history-table", args=["falcon-programme"])


@pytest.fixture
def trail(engine: FakeProvider) -> FakeProvider:
    """450 decisions, two a day, back from 9 March; one reason starts as a formula would."""
    like = ReviewEvent("", "cf_date", "choose_side", "open", "resolved", "Mara", "Dated.", None)
    days = [datetime(2026, 3, 9, 22 - at % 2, 30, tzinfo=UTC).timestamp() - (at // 2) * 86_400 for at in range(450)]
    engine.events = [
        replace(
            like,
            id=f"rvw_{at}",
            actor="Tomás Oduya" if at % 2 else "Mara",
            notes="=1+1" if at == 0 else f"Reason {at}",
            at=datetime.fromtimestamp(day, UTC),
        )
        for at, day in enumerate(days)
    ]
    return engine


def taken(client: Client, **asked: str) -> list[list[str]]:
    answer = client.get(TABLE, asked)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="review-history.csv"'
    return list(csv.reader(b"".join(answer).decode().splitlines()))  # type: ignore[arg-type]


def test_a_person_and_days_narrow_the_page_and_the_table_alike(as_member: Client, trail: FakeProvider) -> None:
    asked = {"actor": "oduya", "first": "2026-03-01", "last": "2026-03-07"}
    page = as_member.get(PAGE, asked).content.decode()
    assert page.count('<td data-label="Who">') == 7
    assert ">Mara</div>" not in page
    assert f'href="{TABLE}?actor=oduya&amp;first=2026-03-01&amp;last=2026-03-07" download' in page
    head, *rows = taken(as_member, **asked)
    assert head == ["at", "who", "what", "target", "before", "after", "reason"]
    assert [row[1] for row in rows] == ["Tomás Oduya"] * 7
    assert rows[0][0].startswith("2026-03-07")
    assert rows[-1][0].startswith("2026-03-01")


def test_the_table_is_whole_however_many_pages_the_engine_has(as_member: Client, trail: FakeProvider) -> None:
    rows = taken(as_member)[1:]
    assert len(rows) == 450
    assert len({tuple(row) for row in rows}) == 450
    assert rows[0][-1] == "'=1+1", "no cell is a formula"
    event = AuditEvent.objects.get(action="file.downloaded")
    assert event.target == "review-history.csv"


def test_a_table_that_cannot_be_whole_is_not_made(as_member: Client, trail: FakeProvider) -> None:
    trail.failures["review_events"] = Failed(Failure.TIMEOUT, "Slow.", limit_ms=10)
    answer = as_member.get(TABLE)
    assert answer.status_code == 503
    assert "text/html" in answer.headers["Content-Type"]
    assert AuditEvent.objects.get(action="file.downloaded").after["refused"] == "timeout"


def test_a_day_that_is_none_is_told_and_the_rest_holds(as_member: Client, trail: FakeProvider) -> None:
    page = as_member.get(PAGE, {"actor": "mara", "first": "last week"}).content.decode()
    assert "Write a day as 2026-03-09." in page
    assert ">Tomás Oduya</div>" not in page


def test_none_that_matches_leads_back_to_all(as_member: Client, trail: FakeProvider) -> None:
    page = as_member.get(PAGE, {"actor": "nobody"}).content.decode()
    assert "No decision matches" in page
    assert f'<a href="{PAGE}">Show every decision.</a>' in page


def test_who_may_not_take_things_away_reads_and_gets_no_table(
    viewer: User, project: Project, trail: FakeProvider
) -> None:
    client = signed_in(viewer)
    assert TABLE not in client.get(PAGE).content.decode()
    assert client.get(TABLE).status_code == 403


def test_pages_of_the_history_keep_the_filter(as_member: Client, trail: FakeProvider) -> None:
    page = as_member.get(PAGE, {"actor": "Mara"}).content.decode()
    assert 'href="?actor=Mara&amp;cursor=50">Older</a>' in page
