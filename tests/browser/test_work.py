"""The places where work is decided, by the keyboard alone: with JavaScript, and without."""

import re
from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from console.connection.providers import forget_probe
from console.gaps.models import Gap
from console.missions.models import Mission
from console.people.models import User
from console.projects.models import Project
from console.proposals.models import Proposal
from console.study.models import Finding
from tests.browser.colony import fill_colony
from tests.browser.conftest import open_context
from tests.browser.handed import hand_out
from tests.browser.worked import work_on
from tests.console import fake
from tests.console.conftest import console_settings, member, owner, project, signed_in, viewer  # noqa: F401
from tests.console.fake import FakeProvider

PROJECT = "/p/falcon-programme"
MOST_TABS = 200


@pytest.fixture(params=[True, False], ids=["javascript", "plain"])
def page(
    request: pytest.FixtureRequest,
    chromium: Browser,
    live_server: LiveServer,
    transactional_db: None,
    owner: User,  # noqa: F811
    project: Project,  # noqa: F811
) -> Iterator[Page]:
    forget_probe()
    fill_colony(fake.install(FakeProvider()), project)
    context = open_context(chromium, javascript=request.param)
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(owner).cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    yield page
    context.close()
    forget_probe()


def at(page: Page, live_server: LiveServer, place: str, title: str) -> None:
    page.goto(f"{live_server.url}{PROJECT}{place}")
    expect(page.get_by_role("heading", name=title, level=1, exact=True)).to_be_visible()
    page.wait_for_load_state("load")


def reach(page: Page, wanted: Locator) -> None:
    """Moves the focus there as a person does who has no mouse: with the tabulator."""
    expect(wanted).to_be_visible()
    for _ in range(MOST_TABS):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no key leads to {wanted}")


def press(page: Page, wanted: Locator, key: str = "Enter") -> None:
    reach(page, wanted)
    page.keyboard.press(key)


def write(page: Page, wanted: Locator, words: str) -> None:
    reach(page, wanted)
    page.keyboard.type(words)


def test_a_search_is_narrowed_and_widened_again(page: Page, live_server: LiveServer) -> None:
    at(page, live_server, "/knowledge", "Knowledge")
    write(page, page.get_by_label("Search this knowledge base"), "falcon date")
    page.keyboard.press("Enter")
    found = page.locator("#res-h")
    expect(found).to_have_text(re.compile("^5 "))
    whole = found.inner_text()
    press(page, page.get_by_role("navigation", name="Support").get_by_role("link").first)
    expect(page.get_by_text("Narrowed to:")).to_be_visible()
    expect(found).not_to_have_text(whole)
    press(page, page.get_by_role("link", name="Take back").first)
    expect(page.get_by_text("Narrowed to:")).to_be_hidden()
    expect(found).to_have_text(whole)


def test_findings_are_studied_and_set_aside(page: Page, live_server: LiveServer) -> None:
    at(page, live_server, "/colony", "Colony")
    before = Finding.objects.open().count()
    press(page, page.get_by_role("checkbox", name="Choose ").first, "Space")
    press(page, page.get_by_role("button", name="Study the chosen"))
    expect(page.get_by_role("checkbox", name="Choose ")).to_have_count(before - 1)
    press(page, page.get_by_role("checkbox", name="Choose ").first, "Space")
    press(page, page.get_by_role("button", name="Not now"))
    expect(page.get_by_role("checkbox", name="Choose ")).to_have_count(before - 2)
    assert Mission.objects.count() == 1
    assert Finding.objects.open().count() == before - 2


def test_a_mission_is_queued_read_and_cancelled(page: Page, live_server: LiveServer) -> None:
    at(page, live_server, "/colony/missions", "Missions")
    press(page, page.get_by_role("button", name="Queue it"))
    expect(page.get_by_text("Give it a title")).to_be_visible()
    write(page, page.get_by_label("Title"), "Ask about the spares")
    write(page, page.get_by_label("Questions"), "Where is the spare propeller kept?")
    press(page, page.get_by_role("button", name="Queue it"))
    expect(page.get_by_role("heading", name="Ask about the spares", level=1)).to_be_visible()
    press(page, page.get_by_role("button", name="Cancel it"))
    expect(page.get_by_role("button", name="Cancel it")).to_be_hidden()
    assert [each.state for each in Mission.objects.all()] == ["cancelled"]


def test_a_proposal_is_declined_with_its_reason(page: Page, live_server: LiveServer, project: Project) -> None:  # noqa: F811
    work_on(project)
    at(page, live_server, "/colony/proposals", "Proposals")
    press(page, page.locator("details.fold > summary", has_text="Decline…"))
    press(page, page.get_by_role("button", name="Decline it"))
    expect(page.get_by_text("Say why not")).to_be_visible()
    write(page, page.get_by_label("Why not"), "The mail is signed.")
    press(page, page.get_by_role("button", name="Decline it"))
    expect(page.get_by_role("heading", name="No proposal waits")).to_be_visible()
    assert not Proposal.objects.filter(state="open").exists()


def test_a_gap_is_set_aside_with_its_reason(page: Page, live_server: LiveServer, project: Project) -> None:  # noqa: F811
    hand_out(project)
    at(page, live_server, "/knowledge/gaps", "Gaps")
    before = Gap.objects.filter(state="open").count()
    press(page, page.locator("details.fold > summary").first)
    write(page, page.get_by_label("Why nobody needs to answer it").first, "Nobody here asks that.")
    press(page, page.get_by_role("button", name="Set it aside").first)
    expect(page.locator("details.fold > summary")).to_have_count(before - 1)
    assert Gap.objects.filter(state="open").count() == before - 1
