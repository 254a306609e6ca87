"""Keys and focus: what a mouse can do, a keyboard can."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from console.connection.providers import forget_probe
from console.people.models import User
from console.projects.models import Project
from tests.browser.conftest import open_context
from tests.console import fake
from tests.console.conftest import console_settings, member, owner, project, signed_in, viewer  # noqa: F401
from tests.console.fake import FakeProvider

PROJECT = "/p/falcon-programme"


@pytest.fixture
def page(
    chromium: Browser,
    live_server: LiveServer,
    transactional_db: None,
    owner: User,  # noqa: F811
    project: Project,  # noqa: F811
) -> Iterator[Page]:
    forget_probe()
    fake.install(FakeProvider())
    context = open_context(chromium)
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(owner).cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    page.goto(live_server.url + PROJECT + "/review")
    yield page
    context.close()
    forget_probe()


def arrived(page: Page, title: str) -> None:
    """Keys are pressed on the page they are meant for, once its own scripts listen."""
    expect(page.get_by_role("heading", name=title, level=1, exact=True)).to_be_visible()
    page.wait_for_load_state("load")


def test_a_ruling_is_made_with_the_keyboard_alone(page: Page) -> None:
    arrived(page, "Review")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    arrived(page, "Requirement of the legacy adapter")
    for key, words in (
        ("1", "A holds"),
        ("b", "Both hold"),
        ("0", "Neither holds"),
        ("d", "Not a conflict"),
        ("2", "B holds"),
    ):
        page.keyboard.press(key)
        expect(page.get_by_role("button", name=f"Record ruling: {words}")).to_be_visible()
    page.get_by_label("Reason", exact=True).press_sequentially("b, e and 1 are only letters here")
    expect(page.get_by_role("button", name="Record ruling: B holds")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-toast]")).to_contain_text("Ruled: B holds.")


def test_a_pair_of_names_is_decided_with_the_keyboard_alone(page: Page) -> None:
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="Entities", exact=True).click()
    page.get_by_role("link", name="1 pair of names may be one").click()
    arrived(page, "Who is who")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    arrived(page, "Robert Smith and Robert Smyth")
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Record ruling: Not the same")).to_be_visible()
    page.get_by_label("Reason", exact=True).focus()
    page.keyboard.type("Two people.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Kept apart. This pair is not proposed again.")).to_be_visible()


def test_pairs_of_names_are_walked_with_the_keys_of_review(page: Page) -> None:
    smith = fake.current.known_candidates["mc_smith"]
    fake.current.known_candidates["mc_zoe"] = replace(smith, id="mc_zoe", reason="they share a desk")
    page.goto(page.url.replace("/review", "/knowledge/entities/candidates/mc_smith?show=open"))
    arrived(page, "Robert Smith and Robert Smyth")
    page.keyboard.press("j")
    expect(page.get_by_text("Proposed because they share a desk")).to_be_visible()
    page.wait_for_load_state("load")
    page.keyboard.press("k")
    expect(page.get_by_text("Proposed because their names differ by one letter")).to_be_visible()


def test_places_are_reached_with_two_keys(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("s")
    arrived(page, "Sources")
    page.keyboard.press("g")
    page.keyboard.press("k")
    arrived(page, "Knowledge")
    page.keyboard.press("/")
    expect(page.get_by_label("Search this knowledge base")).to_be_focused()


def test_a_search_moves_the_focus_to_what_was_found(page: Page) -> None:
    page.goto(page.url.replace("/review", "/knowledge"))
    page.get_by_label("Search this knowledge base").fill("launch")
    page.keyboard.press("Enter")
    expect(page.locator("#results [data-found]")).to_be_focused()
    expect(page.locator("#live")).to_have_text("2 statements found. Showing what holds now.")
    assert page.url.endswith("?q=launch"), "what was left empty is not in the address"


def test_the_first_field_in_error_has_the_focus(page: Page) -> None:
    page.goto(page.url + "/cf_date")
    page.get_by_role("button", name="Record ruling").click()
    expect(page.locator(":invalid:focus")).to_be_visible()


def test_the_skip_link_comes_first(page: Page) -> None:
    page.goto(page.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_menu_closes_with_escape_and_gives_the_focus_back(page: Page) -> None:
    picker = page.locator(".pick > summary")
    picker.click()
    expect(page.get_by_role("link", name="All projects, or make one…")).to_be_visible()
    page.keyboard.press("Escape")
    expect(picker).to_be_focused()
    expect(page.get_by_role("link", name="All projects, or make one…")).to_be_hidden()


def test_a_whole_folder_is_chosen_with_a_button_and_keeps_its_shape(page: Page, tmp_path: Path) -> None:
    for name in ("minutes.txt", "annex/list.txt"):
        path = tmp_path / "handbook" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("The fee is 10 EUR.")
    page.goto(page.url.replace("/review", "/sources"))
    arrived(page, "Sources")
    with page.expect_file_chooser() as asked:
        page.get_by_role("button", name="Choose a folder…").click()
    asked.value.set_files(tmp_path / "handbook")
    expect(page.locator("[data-chosen]")).to_contain_text("2 files chosen:")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="2 documents taken")).to_be_visible()
    assert {"handbook/minutes.txt", "handbook/annex/list.txt"} <= {
        each.path for each in fake.current.known_sources.values()
    }
