"""Packages on pages: the list, the exact bytes, what became of them, and the readers of a statement."""

import hashlib
import html
import json
import re

import pytest
from django.test import Client

from console.packages.models import Package
from console.people.models import User
from console.projects.models import Project
from console.tokens.models import AgentToken
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.test_packages import retrieved

LIST = "/p/falcon-programme/knowledge/packages"


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=1000)


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    return answer.content.decode()


def bytes_of(page: str) -> str:
    found = re.search(r"<pre class=\"ctx\"[^>]*data-context>(.*?)</pre>", page, re.DOTALL)
    assert found
    return html.unescape(re.sub(r"</?(?:b|mark)[^>]*>", "", found[1]))


def test_the_page_shows_the_bytes_that_left(secret: str, as_member: Client) -> None:
    data = retrieved(secret, attempt="attempt-7", purpose="the weekly report")
    page = shown(as_member, f"{LIST}/{data['package']}")
    assert bytes_of(page).rstrip("\n") == data["text"].rstrip("\n")
    for words in (data["digest"], data["manifest_digest"], "attempt-7", "the weekly report", "req_of_the_agent"):
        assert words in page
    assert page.count("Contested") >= 2
    assert "No answer was checked against it." in page


def test_the_manifest_goes_out_as_the_bytes_its_digest_is_of(secret: str, as_member: Client) -> None:
    data = retrieved(secret)
    answer = as_member.get(f"{LIST}/{data['package']}/manifest.json")
    assert hashlib.sha256(answer.content).hexdigest() == data["manifest_digest"]
    told = json.loads(answer.content)
    assert told["digest"] == data["digest"]
    assert "launch" not in answer.content.decode()


def test_a_list_tells_latest_first_and_by_statement(secret: str, as_member: Client) -> None:
    assert "Nothing was handed out yet" in shown(as_member, LIST)
    first, second = retrieved(secret, attempt="a-1")["package"], retrieved(secret, attempt="a-2")["package"]
    asked(secret, f"packages/{first}/outcome", {"outcome": "consumer_failed", "raw": "half"})
    page = shown(as_member, LIST)
    assert page.index(second) < page.index(first)
    assert "2 packages" in page
    assert "Consumer failed" in page
    assert "Not checked since" in page
    assert "0 packages" in shown(as_member, f"{LIST}?statement=ki_nobody")
    assert first in shown(as_member, f"{LIST}?statement=ki_10")


def test_older_ones_are_a_page_away(secret: str, as_member: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.pages.packages.PER_PAGE", 2)
    keys = [retrieved(secret)["package"] for _ in range(3)]
    page = shown(as_member, LIST)
    assert keys[0] not in page
    older = re.search(r'href="(\?before=\d+)"', page)
    assert older
    assert keys[0] in shown(as_member, LIST + older[1])


def test_a_check_is_kept_for_the_list(secret: str, viewer: User, engine: FakeProvider) -> None:
    key, client = retrieved(secret)["package"], signed_in(viewer)
    assert client.post(f"{LIST}/{key}").status_code == 302
    row = Package.objects.get()
    assert row.standing == "contested"
    assert row.checked_at is not None
    del engine.known_statements["ki_10"]
    client.post(f"{LIST}/{key}")
    assert "Withdrawn or gone" in shown(client, LIST)


def test_what_may_not_be_shown_is_not(secret: str, as_member: Client, engine: FakeProvider) -> None:
    """Nor what repeats it: findings and what the consumer said."""
    data = retrieved(secret)
    answer = "It has moved to April 10, 2027. knowledge:falcon-programme/ki_10"
    asked(secret, "cite", {"package": data["package"], "answer": answer})
    asked(secret, f"packages/{data['package']}/outcome", {"outcome": "answered", "raw": answer})
    kept = engine.known_statements.pop("ki_10")
    page = shown(as_member, f"{LIST}/{data['package']}")
    assert "It comes back when that does." in page
    assert "April 10" not in page
    assert re.search(r"\d findings?", page)
    engine.known_statements["ki_10"] = kept
    assert shown(as_member, f"{LIST}/{data['package']}").count("April 10, 2027") >= 2
    del engine.known_statements["ki_10"], engine.known_sources["src_mail"]
    page = shown(as_member, f"{LIST}/{data['package']}")
    assert "Emptied" in page
    assert "April 10" not in page
    assert data["digest"] in page


def test_outcomes_and_findings_stand_beside_the_bytes(secret: str, as_member: Client) -> None:
    key = retrieved(secret)["package"]
    answer = "It has moved to April 11, 2026. knowledge:falcon-programme/ki_10"
    asked(secret, "cite", {"package": key, "answer": answer})
    asked(secret, f"packages/{key}/outcome", {"outcome": "answered", "raw": "<script>alert(1)</script>"})
    page = shown(as_member, f"{LIST}/{key}")
    assert "another day" in page
    assert "2026-04-11" in page
    assert "Answered" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_packages_of_another_project_are_none(
    secret: str, project: Project, other_project: Project, stranger: User
) -> None:
    key, client = retrieved(secret)["package"], signed_in(stranger)
    assert key not in shown(client, "/p/site-operations/knowledge/packages")
    foreign = client.get(f"/p/site-operations/knowledge/packages/{key}")
    unknown = client.get(f"/p/site-operations/knowledge/packages/pkg_{0:032x}")
    assert foreign.status_code == unknown.status_code == 404
    assert key not in foreign.content.decode().replace(f"packages/{key}", "")


def test_a_statement_names_its_readers(secret: str, as_member: Client) -> None:
    page = shown(as_member, "/p/falcon-programme/knowledge/ki_10")
    assert "No agent of this project was handed it yet." in page
    key = retrieved(secret)["package"]
    retrieved(secret)
    page = shown(as_member, "/p/falcon-programme/knowledge/ki_10")
    assert "2 packages, 1 agent" in page
    assert f"{LIST}/{key}" in page
    assert "No agent of this project" in shown(as_member, "/p/falcon-programme/knowledge/ki_opt")


def test_the_ledger_stands_on_the_page_and_as_json(secret: str, as_owner: Client) -> None:
    retrieved(secret)
    pk = AgentToken.objects.get().pk
    page = shown(as_owner, f"/settings/tokens/{pk}")
    assert "Honesty ledger" in page
    told = json.loads(as_owner.get(f"/settings/tokens/{pk}/ledger.json").content)
    assert (told["project"], told["totals"]["asked"], told["totals"]["served"]) == ("falcon-programme", 1, 1)
    assert as_owner.get("/settings/tokens/999999/ledger.json").status_code == 404
