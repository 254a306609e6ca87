"""The main job in a real browser, from an empty machine to a settled disagreement, with JavaScript and without."""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import RESULTS, open_context
from tests.browser.stack import EMAIL, ROOT, Stack

FALCON = sorted(path for path in (ROOT / "examples" / "falcon").iterdir() if path.name[:1].isdigit())
QUESTION = "Why was the Falcon launch date changed?"
PASSWORD = "three calm herons at dusk"
REASON = "Robert Smith sent the later date himself, with the cause."
JOB_SECONDS = 120


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    stack = Stack(tmp_path)
    stack.set_up()
    stack.start("--no-example")
    yield stack
    if stack.process is not None and stack.process.poll() is None:
        assert stack.stop() == 0, stack.log()


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "plain"])
def test_from_sign_in_to_a_settled_disagreement(chromium: Browser, stack: Stack, javascript: bool) -> None:
    context = open_context(chromium, javascript=javascript)
    page = context.new_page()
    page.set_default_timeout(15_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    try:
        sign_in(page, stack)
        make_project_and_base(page)
        import_nine_files(page, javascript=javascript)
        open_evidence(page)
        see_what_an_agent_sees(page)
        rule(page)
        see_the_other_superseded(page)
        export_and_verify(page)
    except BaseException:
        if not page.is_closed():
            page.screenshot(path=RESULTS / f"failed-{'js' if javascript else 'plain'}.png", full_page=True)
        errors.append(stack.log())
        raise
    if javascript:
        assert not page.evaluate("sessionStorage.getItem('breaches')")
    assert not errors, errors
    context.close()


def sign_in(page: Page, stack: Stack) -> None:
    RESULTS.mkdir(exist_ok=True)
    page.goto(stack.url)
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(stack.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your password")).to_be_visible()
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("heading", name="Projects", exact=True)).to_be_visible()


def make_project_and_base(page: Page) -> None:
    page.get_by_label("Name").fill("Falcon programme")
    page.get_by_role("button", name="Make project").click()
    expect(page.get_by_role("heading", name="This project reads no knowledge base")).to_be_visible()
    page.get_by_label("Name").fill("falcon-demo")
    page.get_by_role("button", name="Make and bind").click()
    expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    expect(page.locator("#bar")).to_contain_text("reads falcon-demo")


def import_nine_files(page: Page, *, javascript: bool) -> None:
    assert len(FALCON) == 9
    page.locator("input[type=file]").set_input_files(FALCON)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#report")).to_contain_text("taken")
    jobs = page.locator("#jobs")
    assert jobs.locator(".stage").count() == 11
    completed = jobs.locator("[data-state=done]", has_text="Completed")
    if javascript:
        expect(completed).to_be_visible(timeout=JOB_SECONDS * 1000)
        expect(page.locator("#jobs[hx-trigger]")).to_have_count(0)
        expect(page.locator("#bar .counts")).to_contain_text("9 sources")
    else:
        for _ in range(JOB_SECONDS * 2):
            if completed.count():
                break
            page.wait_for_timeout(500)
            page.get_by_role("link", name="Refresh now").click()
    expect(completed).to_be_visible()
    expect(page.locator("#all tbody tr")).to_have_count(9)


def open_evidence(page: Page) -> None:
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_label("Search this knowledge base").fill(QUESTION)
    page.get_by_role("button", name="Search").click()
    hit = page.locator("#results .stmt", has_text="April 10").first
    expect(hit).to_contain_text("Direct fact")
    expect(hit).to_contain_text("Disputed")
    hit.locator("[data-evidence]").click()
    expect(page).to_have_url(re.compile(r"/sources/[^/]+\?.*#e-"))
    anchor = page.url.rpartition("#")[2]
    mark = page.locator(f"#{anchor} + .anchor mark").first
    expect(mark).to_be_visible()
    expect(mark).to_contain_text("April 10")
    expect(page.locator(".stmt-rail > li[aria-current]")).to_have_count(1)


def see_what_an_agent_sees(page: Page) -> None:
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="What an agent would see").click()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Render").click()
    context = page.locator("[data-context]")
    expect(context).to_contain_text("CONFLICTS DETECTED")
    expect(context).to_contain_text("CITABLE SOURCES")


def rule(page: Page) -> None:
    page.get_by_role("link", name=re.compile("^Review")).first.click()
    page.locator("[data-inbox] li", has_text="2026-04-10").get_by_role("link").first.click()
    sides = page.locator(".side")
    expect(sides).to_have_count(2)
    expect(page.locator(".sides")).to_contain_text("2026-03-03")
    expect(page.locator(".sides")).to_contain_text("2026-04-10")
    expect(page.locator(".evidence mark").first).to_be_visible()
    expect(page.get_by_text("NOT APPLIED")).to_be_visible()
    expect(page.locator("input[name=ruling]:checked")).to_have_count(0)
    letter = sides.filter(has=page.locator(".value", has_text="2026-04-10")).locator(".letter").inner_text()
    page.get_by_label(re.compile(f"^{letter} holds")).check()
    page.get_by_label("Reason", exact=True).fill(REASON)
    page.get_by_role("button", name=re.compile("Record ruling")).click()
    page.locator("[data-toast]", has_text=f"Ruled: {letter} holds.").get_by_role("link").click()
    expect(page.get_by_role("heading", name=re.compile(f"The ruling: {letter} holds"))).to_be_visible()
    expect(page.get_by_role("complementary", name="Ruling").get_by_text(REASON)).to_be_visible()


def see_the_other_superseded(page: Page) -> None:
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_label("Search this knowledge base").fill(QUESTION)
    page.get_by_label("Include what no longer holds").check()
    page.get_by_role("button", name="Search").click()
    lost = page.locator("#results .stmt[data-status=superseded]", has_text="March 3").first
    expect(lost).to_contain_text("Superseded")
    held = page.locator("#results .stmt[data-status=active]", has_text="April 10").first
    expect(held).to_contain_text("Current")


def export_and_verify(page: Page) -> None:
    page.get_by_role("link", name="Export", exact=True).click()
    page.get_by_role("button", name="Make the file").click()
    download_link = page.get_by_role("link", name="Download")
    for _ in range(60):
        if download_link.count():
            break
        page.wait_for_timeout(500)
        refresh = page.get_by_role("link", name="Refresh now")
        if refresh.count():
            refresh.click()
    shown = page.locator("[data-sha256]").first.inner_text()
    with page.expect_download() as waiting:
        download_link.first.click()
    content = Path(waiting.value.path()).read_bytes()
    assert hashlib.sha256(content).hexdigest() == shown
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert b"April 10" in archive.read("statements.jsonl")
