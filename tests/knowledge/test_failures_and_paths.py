"""Refusals: what agents are told, and what the workspace fence keeps in."""

from pathlib import Path

import pytest

from knowledge.failures import Failed, Failure, Ok, failure_text
from knowledge.paths import Workspace

TIMEOUT_TEXT = """\
Knowledge retrieval is unavailable: the knowledge service did not respond within 5000ms.
The mission can continue without organizational knowledge, but evidence-backed context
could not be retrieved. Do NOT substitute recalled, assumed, or generally-known facts for
it, and do not present anything from this attempt as sourced."""


def test_a_timeout_reads_exactly_as_prescribed() -> None:
    assert failure_text(Failed(Failure.TIMEOUT, "", limit_ms=5000)) == TIMEOUT_TEXT


def test_every_kind_has_a_lead_of_its_own_and_the_same_instruction() -> None:
    texts = {kind: failure_text(Failed(kind, "reason of the operator")) for kind in Failure}
    leads = {kind: text.split("\n", 1)[0] for kind, text in texts.items()}
    assert len(set(leads.values())) == len(Failure)
    assert {text.split("\n", 1)[1] for text in texts.values()} == {TIMEOUT_TEXT.split("\n", 1)[1]}


def test_the_reason_for_the_operator_never_reaches_the_agent() -> None:
    assert all("10.0.0.5" not in failure_text(Failed(kind, "host 10.0.0.5 refused")) for kind in Failure)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    (root / "in" / "deep").mkdir(parents=True)
    (root / "in" / "a.txt").write_text("a")
    (root / "in" / "deep" / "b.txt").write_text("b")
    (root / "other.txt").write_text("o")
    (tmp_path / "outside.txt").write_text("s")
    return Workspace(root, (root / "in",))


@pytest.mark.parametrize("wanted", ["in/a.txt", "in/deep", "in/../in/a.txt", "in"])
def test_paths_inside_a_root_are_allowed(workspace: Workspace, wanted: str) -> None:
    assert isinstance(workspace.resolve(wanted), Ok)


@pytest.mark.parametrize(
    ("wanted", "failure"),
    [
        ("../outside.txt", Failure.FORBIDDEN),
        ("other.txt", Failure.FORBIDDEN),
        ("/etc/passwd", Failure.FORBIDDEN),
        ("in/missing.txt", Failure.NOT_FOUND),
        ("", Failure.INVALID),
        ("in/a.txt\x00.md", Failure.INVALID),
    ],
)
def test_paths_outside_or_missing_are_refused(workspace: Workspace, wanted: str, failure: Failure) -> None:
    outcome = workspace.resolve(wanted)
    assert isinstance(outcome, Failed)
    assert outcome.failure is failure


def test_a_link_out_of_the_workspace_is_followed_and_refused(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "in" / "link.txt").symlink_to(tmp_path / "outside.txt")
    (workspace.root / "in" / "folder").symlink_to(tmp_path)
    for wanted in ("in/link.txt", "in/folder/outside.txt"):
        outcome = workspace.resolve(wanted)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.FORBIDDEN


def test_gathering_checks_each_file_and_names_what_it_leaves_out(workspace: Workspace, tmp_path: Path) -> None:
    inside = workspace.root / "in"
    (inside / "link.txt").symlink_to(tmp_path / "outside.txt")
    (inside / ".ssh").mkdir()
    (inside / ".ssh" / "config").write_text("x")
    (inside / "server.PEM").write_text("x")
    gathered = workspace.gather(inside)
    assert [path.name for path in gathered.files] == ["a.txt", "b.txt"]
    assert {skipped.path for skipped in gathered.skipped} == {"link.txt", ".ssh", "server.PEM"}


def test_without_roots_nothing_may_be_read(workspace: Workspace) -> None:
    assert isinstance(Workspace(workspace.root).resolve("in/a.txt"), Failed)


def test_a_root_outside_the_workspace_opens_nothing(workspace: Workspace, tmp_path: Path) -> None:
    assert isinstance(Workspace(workspace.root, (tmp_path,)).resolve("in/a.txt"), Failed)
