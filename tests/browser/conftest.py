"""A real Chromium, with every breach of the content policy and every error of a page collected."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
RESULTS = Path(os.environ.get("ANTHILL_PICTURES") or Path(__file__).resolve().parents[2] / "test-results")
BREACHES = """
document.addEventListener("securitypolicyviolation", (event) => {
  const kept = JSON.parse(sessionStorage.getItem("breaches") || "[]");
  kept.push(`${event.violatedDirective} ${event.blockedURI}`);
  sessionStorage.setItem("breaches", JSON.stringify(kept));
});
"""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = os.environ.get("ANTHILL_CHROMIUM") or next(
        (
            each
            for each in ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
            if Path(each).exists()
        ),
        None,
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_context(
    browser: Browser, *, javascript: bool = True, width: int = 1440, scheme: str = "light"
) -> BrowserContext:
    context = browser.new_context(
        java_script_enabled=javascript,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        accept_downloads=True,
        reduced_motion="reduce",
    )
    context.add_init_script(BREACHES)
    return context
