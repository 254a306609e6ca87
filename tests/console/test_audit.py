"""The audit trail: filters that hold together, kept in the address, and a table to take away."""

import csv
import io

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from console.audit.actions import record
from console.audit.models import Actor, AuditEvent
from console.projects.models import Project

ADA = Actor(key="user:90", name="Ada")


@pytest.fixture
def trail(project: Project) -> None:
    AuditEvent.objects.all().delete()
    for day, action, target in (
        ("2030-05-03", "project.bound", "falcon-programme"),
        ("2030-05-04", "ruling.made", "cf_date"),
        ("2030-05-05", "ruling.undone", "=HYPERLINK(1)"),
    ):
        with time_machine.travel(f"{day} 10:00Z"):
            record(by=ADA, action=action, target=target, project=project.slug, after={"value": "+1"})
    with time_machine.travel("2030-05-05 12:00Z"):
        record(by=Actor(key="command:up", name="Command"), action="session.started", target="ada@falcon.example")


def rows(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"{reverse('audit-table')}?{query}")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


@pytest.mark.usefixtures("trail")
@pytest.mark.parametrize(
    ("query", "actions"),
    [
        ("", ["session.started", "ruling.undone", "ruling.made", "project.bound"]),
        ("action=ruling", ["ruling.undone", "ruling.made"]),
        ("actor=ada", ["ruling.undone", "ruling.made", "project.bound"]),
        ("project=falcon-programme&action=project", ["project.bound"]),
        ("first=2030-05-04&last=2030-05-04", ["ruling.made"]),
        ("first=2030-05-05", ["session.started", "ruling.undone"]),
        ("first=yesterday&action=project", ["project.bound"]),
        ("action=nothing-like-it", ["session.started", "ruling.undone", "ruling.made", "project.bound"]),
    ],
)
def test_filters_hold_together(as_owner: Client, query: str, actions: list[str]) -> None:
    assert [row["what"] for row in rows(as_owner, query)] == actions


@pytest.mark.usefixtures("trail")
def test_no_cell_is_a_formula_to_a_spreadsheet(as_owner: Client) -> None:
    told = rows(as_owner, "action=ruling")[0]
    assert told["target"] == "'=HYPERLINK(1)"
    assert told["after"] == '{"value": "+1"}'
    assert told["at"] == "2030-05-05T10:00:00.000+00:00"


@pytest.mark.usefixtures("trail")
def test_a_day_that_is_none_is_told_and_stays_typed(as_owner: Client) -> None:
    page = as_owner.get(f"{reverse('audit')}?first=yesterday&actor=Ada").content.decode()
    assert "Write a day as 2026-03-09." in page
    assert 'value="yesterday"' in page
    assert "Ruling made" in page
    assert "Session started" not in page


@pytest.mark.usefixtures("trail")
def test_the_pages_of_a_filter_keep_it(as_owner: Client) -> None:
    for number in range(60):
        record(by=ADA, action="ruling.made", target=f"cf_{number}")
    page = as_owner.get(f"{reverse('audit')}?action=ruling").content.decode()
    assert 'href="?page=2&amp;action=ruling"' in page
    assert f'href="{reverse("audit-table")}?action=ruling"' in page
