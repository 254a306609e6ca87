# ruff: noqa: F401, F811 - the fixtures of the console's tests are used here by name
"""The pictures of the operators' guide: taken by every run, written beside the guide only when asked for.

``ANTHILL_GUIDE_PICTURES=1`` writes them to docs/pictures.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from console.connection.providers import forget_probe
from console.people.models import User
from console.projects.models import Project
from knowledge.vocabulary import JobStatus
from tests.browser.conftest import open_context
from tests.browser.test_pictures import PAGES, token_of
from tests.console import fake, falcon
from tests.console.conftest import console_settings, member, owner, project, signed_in, viewer
from tests.console.fake import FakeProvider

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "operator-guide.md").read_text("utf-8")
PICTURES = {
    "sources": PAGES["sources"],
    "source": PAGES["source"],
    "knowledge": PAGES["knowledge"],
    "agent-view": PAGES["agent-view"],
    "timeline": PAGES["timeline"],
    "entity-graph": PAGES["entity-graph"],
    "review": PAGES["review"],
    "decision": PAGES["decision"],
    "export": PAGES["export"],
    "tokens": "/settings/tokens",
}
MOST_BYTES = 150_000


@pytest.fixture
def page(
    chromium: Browser, live_server: LiveServer, transactional_db: None, owner: User, project: Project
) -> Iterator[Page]:
    forget_probe()
    provider = fake.install(FakeProvider())
    provider.known_jobs = [falcon.job(JobStatus.RUNNING, done=4)]
    provider.create_export(None, format="jsonl")  # type: ignore[arg-type]
    token_of(project, "planner-ant")
    context = open_context(chromium, width=1200)
    name = django_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(owner).cookies[name].value, "url": live_server.url}])
    yield context.new_page()
    context.close()
    forget_probe()


def test_the_guide_shows_the_console_as_it_is(page: Page, live_server: LiveServer, tmp_path: Path) -> None:
    folder = DOCS / "pictures" if os.environ.get("ANTHILL_GUIDE_PICTURES") else tmp_path
    folder.mkdir(exist_ok=True)
    page.set_viewport_size({"width": 1200, "height": 760})
    for name, url in PICTURES.items():
        page.goto(live_server.url + url)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.screenshot(path=folder / f"{name}.png")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name


def test_every_picture_of_the_guide_is_there_and_no_other() -> None:
    named = re.findall(r"\]\(pictures/([\w-]+)\.png\)", GUIDE)
    assert sorted(named) == sorted(PICTURES)
    assert sorted(path.stem for path in (DOCS / "pictures").glob("*.png")) == sorted(PICTURES)
    assert all(path.stat().st_size < MOST_BYTES for path in (DOCS / "pictures").glob("*.png"))
