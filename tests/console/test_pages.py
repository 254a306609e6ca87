"""Each screen, plain and with htmx, against the same assertions."""

import re

import pytest
from django.test import Client

from console.people.models import User
from console.projects.models import Project
from tests.console.conftest import signed_in

SCREENS = [
    ("/p/falcon-programme/sources", "01-kickoff-memo.md", "all"),
    ("/p/falcon-programme/sources/src_mail", "The launch date has moved to April 10", ""),
    ("/p/falcon-programme/knowledge", "The budget for Falcon is $1.35M.", "results"),
    ("/p/falcon-programme/knowledge?q=Why+was+the+Falcon+launch+date+changed%3F", "April 10, 2026", "results"),
    ("/p/falcon-programme/knowledge/ki_10", "How it was read", ""),
    ("/p/falcon-programme/knowledge/agent?q=launch", "KNOWLEDGE CONTEXT", "context"),
    ("/p/falcon-programme/knowledge/entities", "Robert Smith", "entities"),
    ("/p/falcon-programme/knowledge/entities/ent_falcon", "A shorter form", ""),
    ("/p/falcon-programme/knowledge/entities/candidates", "Robert Smyth", "candidates"),
    ("/p/falcon-programme/knowledge/entities/candidates/mc_smith", "their names differ by one letter", ""),
    ("/p/falcon-programme/review", "Launch date of Project Falcon", "conflicts"),
    ("/p/falcon-programme/review/cf_date", "NOT APPLIED", ""),
    ("/p/falcon-programme/review/history", "No decision yet", ""),
    ("/p/falcon-programme/export", "No file yet", "history"),
    ("/connection", "fgi_5d0f27", ""),
    ("/settings/projects", "Falcon programme", ""),
    ("/settings/projects/falcon-programme", "Members of Falcon programme", ""),
    ("/settings/people", "Mara", ""),
    ("/settings/audit", "Project made", "events"),
    ("/settings/backup", "No backup yet", "made"),
    ("/settings/password", "Your password", ""),
    ("/p/falcon-programme/base", "Make one and bind it", ""),
    ("/-/components/", "NOT APPLIED", ""),
]


@pytest.mark.parametrize(("url", "words", "region"), SCREENS)
def test_each_screen_is_a_whole_page_without_javascript(as_owner: Client, url: str, words: str, region: str) -> None:
    answer = as_owner.get(url)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert words in page
    assert page.count("<h1") == 1
    assert "Falcon programme" in page


@pytest.mark.parametrize(("url", "words", "region"), [screen for screen in SCREENS if screen[2]])
def test_each_region_is_the_same_part_for_htmx(as_owner: Client, url: str, words: str, region: str) -> None:
    answer = as_owner.get(url, headers={"HX-Request": "true", "HX-Target": region})
    page = answer.content.decode()
    assert words in page
    assert f'id="{region}"' in page
    assert "<html" not in page
    assert "HX-Target" in answer["Vary"]


def test_an_unknown_target_gets_the_whole_page(as_owner: Client) -> None:
    answer = as_owner.get("/p/falcon-programme/sources", headers={"HX-Request": "true", "HX-Target": "x"})
    assert "<html" in answer.content.decode()


def test_a_history_restore_gets_the_whole_page(as_owner: Client) -> None:
    headers = {"HX-Request": "true", "HX-Target": "all", "HX-History-Restore-Request": "true"}
    assert "<html" in as_owner.get("/p/falcon-programme/sources", headers=headers).content.decode()


def test_no_page_carries_inline_script_or_style(as_owner: Client) -> None:
    for url, _words, _region in SCREENS:
        page = as_owner.get(url).content.decode()
        assert " style=" not in page, url
        assert " onclick=" not in page, url
        assert "<style" not in page, url


def test_a_project_without_a_base_offers_to_bind_or_make_one(as_owner: Client, project: Project) -> None:
    project.binding.delete()
    page = as_owner.get("/p/falcon-programme/sources").content.decode()
    assert "This project reads no knowledge base" in page
    assert "Make and bind" in page


def test_invisible_characters_of_documents_are_shown(as_owner: Client) -> None:
    page = as_owner.get("/p/falcon-programme/sources/src_memo").content.decode()
    assert "⟨U+202E⟩" in page
    assert "\u202e" not in page


def test_excluded_text_is_muted_and_says_why(as_owner: Client) -> None:
    page = as_owner.get("/p/falcon-programme/sources/src_mail").content.decode()
    assert "Quoted older mail. Not counted as evidence." in page
    assert 'id="e-ev_10_mail"' in page


def test_a_missing_object_is_404_with_the_frame(as_owner: Client) -> None:
    answer = as_owner.get("/p/falcon-programme/sources/src_nothing")
    assert answer.status_code == 404
    assert "There is nothing here for you" in answer.content.decode()


def test_the_map_of_keys_names_the_places_of_the_rail_and_no_other(as_member: Client, viewer: User) -> None:
    """A key is shown where it works: a place that this person or this build has not is not in the map."""
    for client in (as_member, signed_in(viewer)):
        page = client.get("/p/falcon-programme/sources").content.decode()
        group = page[page.index('aria-label="Places"') :].partition("</section>")[0]
        mapped = re.findall(r"<kbd>g</kbd> <kbd>(.)</kbd></dt><dd>([^<]*)</dd>", group)
        rail = page[page.index('class="rail"') : page.index('class="foot-more"')]
        assert mapped == re.findall(r'data-place="(.)".*?</svg>([^<]*)<', rail)
        assert ("c" in dict(mapped)) == ('data-place="c"' in rail)
