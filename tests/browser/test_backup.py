"""A backup over real processes: made while documents are read, restored elsewhere, and gone on with there."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests import earlier
from tests.browser.stack import EMAIL, Stack
from tests.browser.test_supervisor import mark, sign_in, wait_for

pytestmark = pytest.mark.sqlite
PROJECT = "/p/falcon-programme"
REASON = "The memo is signed, the mail is not."
PASSWORD = "three calm herons at dusk"
NOTES = {
    f"note-{at}.txt": "\n\n".join(f"The fee of Pier {at} at berth {line} is {at + line} EUR." for line in range(40))
    for at in range(200)
}


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    stack = Stack(tmp_path / "home")
    stack.set_up()
    yield stack
    _stop(stack)


def _stop(stack: Stack) -> None:
    if stack.process is not None and stack.process.poll() is None:
        assert stack.stop() == 0, stack.log()


def client(stack: Stack) -> httpx2.Client:
    return httpx2.Client(base_url=stack.url, follow_redirects=True, timeout=60)


def rule(visitor: httpx2.Client) -> str:
    """Settles the launch date; answers its address."""
    queue = visitor.get(f"{PROJECT}/review").text
    for address in sorted(set(re.findall(rf"{PROJECT}/review/cf_\w+", queue))):
        page = visitor.get(address)
        if "Launch date of" in page.text:
            found = {name: re.search(rf'name="{name}" value="([^"]*)"', page.text) for name in ("digest", "sides")}
            told = {name: each.group(1) if each else "" for name, each in found.items()}
            side = re.search(r'value="(side:[^"]+)"', page.text)
            assert side
            form = {**told, "ruling": side.group(1), "notes": REASON} | mark(page)
            assert visitor.post(address, data=form).status_code == 200
            return address
    raise AssertionError(queue)


def load_notes(visitor: httpx2.Client) -> None:
    page = visitor.get(f"{PROJECT}/sources")
    files = [("files", (name, text.encode(), "text/plain")) for name, text in NOTES.items()]
    assert visitor.post(f"{PROJECT}/sources", data=mark(page), files=files).status_code == 200


def job_state(stack: Stack) -> set[str]:
    with closing(sqlite3.connect(stack.folder / "engine" / "engine.sqlite3")) as file:
        return {state for (state,) in file.execute("SELECT status FROM forager_job")}


def audit(stack: Stack, action: str) -> int:
    with closing(sqlite3.connect(stack.folder / "console.sqlite3")) as file:
        found: int = file.execute("SELECT count(*) FROM audit_auditevent WHERE action = ?", [action]).fetchone()[0]
    return found


def test_made_while_documents_are_read_and_restored_elsewhere_all_goes_on(stack: Stack, tmp_path: Path) -> None:
    stack.start()
    with client(stack) as visitor:
        sign_in(visitor, stack)
        wait_for(lambda: job_state(stack) == {"completed"}, stack)
        ruled = rule(visitor)
        load_notes(visitor)
        assert visitor.post("/settings/backup", data=mark(visitor.get("/settings/backup"))).status_code == 200
        wait_for(lambda: "The console and engine fgi_" in visitor.get("/settings/backup").text, stack)
        assert job_state(stack) & {"queued", "running"}, "it was made while the worker read"
        page = visitor.get("/settings/backup").text
        (address,) = re.findall(r"/settings/backup/bkp_\w+/file", page)
        content = visitor.get(address).content
        assert hashlib.sha256(content).hexdigest() in page
        wait_for(lambda: job_state(stack) == {"completed"}, stack)
    _stop(stack)
    file = tmp_path / "taken.anthill"
    file.write_bytes(content)
    _goes_on(Stack(tmp_path / "elsewhere"), file, ruled)


def _goes_on(other: Stack, file: Path, ruled: str) -> None:
    assert "Everybody signs in again" in other._manage("restore", str(file))
    assert earlier.engine(other.folder, "verify").splitlines()[-1].partition(": ")[2].startswith("0 findings in ")
    other.start()
    try:
        wait_for(lambda: job_state(other) == {"completed"}, other)
        wait_for(lambda: audit(other, "feed.resynchronised") == 1, other)
        with client(other) as visitor:
            page = visitor.get("/sign-in")
            visitor.post("/sign-in", data={"email": EMAIL, "password": PASSWORD} | mark(page))
            assert "Engine ready" in visitor.get("/connection").text
            assert REASON in visitor.get(ruled).text
            assert "berth 7" in visitor.get(f"{PROJECT}/knowledge?q=fee+of+Pier+7").text
            backups = visitor.get("/settings/backup").text
            assert "This console came back from it" in backups
            trail = visitor.get("/settings/audit?action=backup").text
            assert "Backup restored" in trail
    finally:
        _stop(other)
    assert earlier.engine(other.folder, "verify").splitlines()[-1].partition(": ")[2].startswith("0 findings in ")
