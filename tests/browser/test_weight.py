# ruff: noqa: F401, F811 - the fixtures of the console's tests are used here by name
"""What a page weighs when it is opened for the first time, and that nothing jumps when a part of it is exchanged."""

import gzip
from collections.abc import Iterator
from functools import partial

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect
from pytest_django.live_server_helper import LiveServer

from console.connection.providers import forget_probe
from console.people.models import User
from console.projects.models import Project
from knowledge.vocabulary import JobStatus
from tests.browser.conftest import open_context
from tests.browser.test_pictures import PAGES, PROJECT
from tests.console import fake, falcon
from tests.console.conftest import console_settings, member, owner, project, signed_in, viewer
from tests.console.fake import FakeProvider

MOST_BYTES = 250_000
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map(({ node }) => node && (node.id || node.className || node.nodeName));
    window.shifts.push(`${entry.value.toFixed(4)} ${moved.join(", ")}`);
  }
}).observe({ type: "layout-shift" });
window.settled = 0;
document.addEventListener("htmx:afterSettle", () => { window.settled += 1; });
"""
TWO_FRAMES = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"
)


@pytest.fixture(params=[1440, 360])
def context(
    chromium: Browser,
    live_server: LiveServer,
    transactional_db: None,
    owner: User,
    project: Project,
    request: pytest.FixtureRequest,
) -> Iterator[BrowserContext]:
    forget_probe()
    context = open_context(chromium, width=int(request.param))
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(owner).cookies[name].value, "url": live_server.url}])
    yield context
    context.close()
    forget_probe()


def test_no_first_load_is_heavy(context: BrowserContext, live_server: LiveServer) -> None:
    """Every body counted as gzip makes it, as it is served in production; nothing of it comes from a cache."""
    fake.install(FakeProvider())
    page, weights = context.new_page(), dict[str, int]()
    context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    for name, url in PAGES.items():
        answers: list[Response] = []
        keep = partial(list.append, answers)
        page.on("response", keep)
        page.goto(live_server.url + url, wait_until="networkidle")
        page.remove_listener("response", keep)
        assert len(answers) > 8, (name, "styles and scripts were not fetched anew")
        weights[name] = sum(len(gzip.compress(each.body())) for each in answers if each.status == 200)
    heavy = {name: weight for name, weight in weights.items() if weight > MOST_BYTES}
    assert not heavy, heavy
    print("heaviest:", max(weights.items(), key=lambda each: each[1]))  # noqa: T201 - shown with -s


def hears(page: Page) -> bool:
    """Whether the watch is awake: a block put on top of the page must be told."""
    page.evaluate("document.getElementById('main').prepend(document.createElement('textarea'))")
    page.evaluate(TWO_FRAMES)
    return bool(page.evaluate("window.shifts"))


def settle(page: Page, swaps: int) -> list[str]:
    """What moved by the time ``swaps`` parts were exchanged and painted."""
    page.wait_for_function("(swaps) => window.settled >= swaps", arg=swaps)
    page.evaluate(TWO_FRAMES)
    return list(page.evaluate("window.shifts"))


def test_nothing_jumps_when_a_job_goes_on(context: BrowserContext, live_server: LiveServer) -> None:
    provider = fake.install(FakeProvider())
    provider.known_jobs = [falcon.job(JobStatus.RUNNING, done=4)]
    page = context.new_page()
    page.goto(f"{live_server.url}{PAGES['sources']}")
    page.wait_for_load_state("load")
    page.evaluate(SHIFTS)
    provider.known_jobs = [falcon.job(JobStatus.RUNNING, done=7)]
    assert settle(page, 2) == []
    assert hears(page)
    expect(page.locator("#jobs .stage[data-stage=done]")).to_have_count(7)


def test_nothing_jumps_when_review_is_narrowed(context: BrowserContext, live_server: LiveServer) -> None:
    fake.install(FakeProvider())
    page = context.new_page()
    page.goto(f"{live_server.url}{PROJECT}/review")
    page.wait_for_load_state("load")
    page.evaluate(SHIFTS)
    page.locator("form[hx-target='#conflicts']").evaluate("(form) => form.requestSubmit()")
    assert settle(page, 1) == []
    assert hears(page)
    expect(page.locator("#conflicts [data-inbox] > li")).to_have_count(4)
