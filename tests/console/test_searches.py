"""Kept searches: one's own, in one project, asked again with one click."""

import pytest
from django.test import Client
from django.urls import reverse

from console.audit.models import AuditEvent
from console.people.models import User
from console.projects.models import Project
from console.searches.models import MOST, SavedSearch
from tests.console.conftest import signed_in

SEARCHES = reverse("searches", args=["falcon-programme"])
KNOWLEDGE = reverse("knowledge", args=["falcon-programme"])


def keep(client: Client, name: str = "Launch", **more: str) -> str:
    answer = client.post(SEARCHES, {"name": name, "q": "falcon  launch date", **more})
    return str(answer.headers.get("Location", answer.content.decode()))


def test_a_search_is_kept_from_its_results_and_asked_again(as_member: Client) -> None:
    assert "Keep this search" in as_member.get(KNOWLEDGE, {"q": "falcon launch date"}).content.decode()
    assert "Keep this search" not in as_member.get(KNOWLEDGE).content.decode()
    url = keep(as_member, historical="on")
    assert url == f"{KNOWLEDGE}?q=falcon+launch+date&historical=on"
    page = as_member.get(KNOWLEDGE).content.decode()
    assert f'href="{url.replace("&", "&amp;")}">Launch</a>' in page
    (event,) = AuditEvent.objects.filter(action="search.kept")
    assert "launch" not in f"{event.target}{event.before}{event.after}".lower()


def test_the_palette_finds_it_by_its_name_and_its_words(as_member: Client) -> None:
    keep(as_member, "Weekly look")
    for query in ("weekly", "LAUNCH date"):
        page = as_member.get(reverse("find", args=["falcon-programme"]), {"q": query}).content.decode()
        assert "Your searches" in page
        assert "Search for “falcon launch date”" in page


def test_nobody_else_and_no_other_project_sees_it(as_member: Client, viewer: User, project: Project) -> None:
    keep(as_member)
    theirs = signed_in(viewer)
    assert ">Launch</a>" not in theirs.get(KNOWLEDGE).content.decode()
    pk = SavedSearch.objects.get().pk
    theirs.post(SEARCHES, {"drop": str(pk)})
    assert SavedSearch.objects.filter(pk=pk).exists(), "only its owner drops a search"
    as_member.post(SEARCHES, {"drop": str(pk)})
    assert not SavedSearch.objects.exists()
    assert AuditEvent.objects.filter(action="search.dropped", target=str(pk)).count() == 1


def test_the_same_name_means_the_new_search(as_member: Client) -> None:
    keep(as_member)
    as_member.post(SEARCHES, {"name": "Launch", "q": "budget"})
    assert SavedSearch.objects.get().query == "budget"


@pytest.mark.parametrize(("data", "told"), [({"q": "x"}, "Give the search a name."), ({"name": "x"}, "Say what to")])
def test_what_is_missing_is_told_and_what_was_typed_stays(as_member: Client, data: dict[str, str], told: str) -> None:
    answer = as_member.post(SEARCHES, data)
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert 'value="x"' in answer.content.decode()


def test_there_is_an_end_to_them(as_member: Client) -> None:
    for at in range(MOST):
        keep(as_member, f"Search {at}")
    assert f"You keep {MOST} searches here." in keep(as_member, "One more")
    assert SavedSearch.objects.count() == MOST
