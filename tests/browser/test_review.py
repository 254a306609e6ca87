"""Twenty prepared disagreements ruled by keyboard, many at once by keyboard, undo, and a second reviewer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from console.audit.models import AuditEvent
from console.connection.providers import forget_probe
from console.people.models import User
from console.projects.models import Project
from knowledge.provider import Decision
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import ConflictStatus
from tests.browser.conftest import open_context
from tests.browser.test_keys import arrived
from tests.console import fake, falcon
from tests.console.conftest import console_settings, member, owner, project, signed_in, viewer  # noqa: F401
from tests.console.fake import FakeProvider

QUEUE = "/p/falcon-programme/review"
SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
RULINGS = [
    (("2", "q"), "choose_side", "side_ki_10", "The newer source holds."),
    (("1", "w"), "choose_side", "side_ki_3", "The source of authority says so."),
    (("d", "r"), "not_a_conflict", None, "They speak of different things."),
    (("0", "y"), "neither", None, "Both are out of date."),
]


@pytest.fixture
def engine() -> FakeProvider:
    provider = FakeProvider()
    some = provider.known_conflicts["cf_date"]
    provider.known_conflicts = {
        f"cf_{at:02}": replace(some, id=f"cf_{at:02}", subject=f"Part {at:02}", digest=falcon.sha(f"cf_{at:02}"))
        for at in range(20)
    }
    return fake.install(provider)


@pytest.fixture
def page(
    chromium: Browser,
    live_server: LiveServer,
    transactional_db: None,
    engine: FakeProvider,
    owner: User,  # noqa: F811
    project: Project,  # noqa: F811
) -> Iterator[Page]:
    forget_probe()
    fake.install(engine)
    context = open_context(chromium)
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(owner).cookies[name].value, "url": live_server.url}])
    page = context.new_page()
    page.goto(live_server.url + QUEUE)
    arrived(page, "Review")
    yield page
    context.close()
    forget_probe()


def title(at: int) -> str:
    return f"Launch date of Part {at:02}"


def press(page: Page, *keys: str) -> int:
    for key in keys:
        page.keyboard.press(key)
    return len(keys)


def test_twenty_disagreements_take_three_keys_each(page: Page, engine: FakeProvider) -> None:
    press(page, "j", "Enter")
    for at in range(20):
        arrived(page, title(at))
        expect(page.locator("input[name=ruling]:checked")).to_have_count(0)
        keys, action, winner, reason = RULINGS[at % len(RULINGS)]
        assert press(page, *keys, "Enter") <= 3
        arrived(page, title(at + 1) if at < 19 else "Review")
        ruling = engine.known_conflicts[f"cf_{at:02}"].ruling
        assert ruling is not None
        assert (ruling.action, ruling.winner_id, ruling.notes) == (action, winner, reason)
        still_open = [one for one in engine.known_conflicts.values() if one.status is ConflictStatus.OPEN]
        assert len(still_open) == 19 - at
    expect(page.get_by_role("heading", name="No open disagreements")).to_be_visible()
    told = [event.after["presses"] for event in AuditEvent.objects.filter(action="conflict.ruled")]
    assert len(told) == 20
    assert set(told) <= {2, 3}, "the browser counts the keys of a ruling as they were pressed"


def test_the_last_ruling_is_taken_back_with_one_key(page: Page, engine: FakeProvider) -> None:
    press(page, "j", "Enter")
    arrived(page, title(0))
    press(page, "2", "q", "Enter")
    arrived(page, title(1))
    expect(page.locator("[data-toast]")).to_contain_text("Ruled: B holds.")
    press(page, "u")
    arrived(page, title(0))
    expect(page.locator("[data-toast]")).to_contain_text("Open again.")
    assert engine.known_conflicts["cf_00"].status is ConflictStatus.OPEN
    expect(page.locator("input[name=ruling]:checked")).to_have_count(0)


def test_many_are_picked_and_ruled_with_the_same_keys(page: Page, engine: FakeProvider) -> None:
    press(page, "j", "x", "j", "j", "x")
    expect(page.get_by_role("button", name="Rule on 2 picked…")).to_be_enabled()
    page.get_by_role("button", name="Rule on 2 picked…").focus()
    press(page, "Enter")
    arrived(page, "Rule on 2 disagreements")
    expect(page.locator("input[name=ruling]:checked")).to_have_count(0)
    press(page, "1", "q", "Enter")
    arrived(page, "2 of 2 rulings recorded")
    ruled = {one.id for one in engine.known_conflicts.values() if one.status is not ConflictStatus.OPEN}
    assert ruled == {"cf_00", "cf_02"}


def test_keys_are_letters_while_one_types(page: Page, engine: FakeProvider) -> None:
    press(page, "j", "Enter")
    arrived(page, title(0))
    press(page, "n")
    expect(page.get_by_label("Reason", exact=True)).to_be_focused()
    page.keyboard.type("d, 2, q, j and ? are letters here")
    expect(page.locator("input[name=ruling]:checked")).to_have_count(0)
    expect(page.get_by_label("Reason", exact=True)).to_have_value("d, 2, q, j and ? are letters here")
    press(page, "Escape")
    page.get_by_label("Keep this reason as a phrase").focus()
    press(page, "q")
    expect(page.get_by_label("Reason", exact=True)).to_have_value(
        "d, 2, q, j and ? are letters here The newer source holds."
    )


def test_who_was_second_is_told_and_keeps_the_reason(page: Page, engine: FakeProvider) -> None:
    press(page, "j", "Enter")
    arrived(page, title(0))
    digest = engine.known_conflicts["cf_00"].digest
    engine.resolve(SCOPE, "cf_00", Decision("neither", "Tomás Oduya", "Both are out.", digest))
    press(page, "2", "q", "Enter")
    expect(page.get_by_role("heading", name="Someone ruled before you")).to_be_visible()
    expect(page.get_by_text("Tomás Oduya recorded Neither holds")).to_be_visible()
    expect(page.locator("section", has_text="Your reason, not saved")).to_contain_text("The newer source holds.")
    ruling = engine.known_conflicts["cf_00"].ruling
    assert ruling is not None
    assert ruling.actor == "Tomás Oduya"


def test_next_and_previous_walk_the_queue(page: Page) -> None:
    press(page, "j", "j", "Enter")
    arrived(page, title(1))
    press(page, "j")
    arrived(page, title(2))
    press(page, "k")
    arrived(page, title(1))
    expect(page.get_by_text("2 of 20, risk")).to_be_visible()


def test_the_palette_opens_finds_and_goes(page: Page) -> None:
    press(page, "Control+k")
    box = page.get_by_role("textbox", name="Find anything")
    expect(box).to_be_focused()
    expect(page.locator("#palette .found a").first).to_be_visible()
    page.keyboard.type("schedule")
    expect(page.locator("#palette .found a", has_text="02-schedule-update.eml")).to_be_visible()
    expect(page.locator("#palette [role=status]")).to_have_text("1 found")
    press(page, "ArrowDown", "Enter")
    arrived(page, "02-schedule-update.eml")
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
