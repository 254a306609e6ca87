"""What can be set, asked, refused, told and run is in the docs, and nothing there is made up."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EVENT = re.compile(r"[a-z]+\.[a-z_]+")
NO_EVENTS = re.compile(r"\.(csv|json|log|zip)$")
INTERNAL = {"FORAGER_CRASH_AT", "FORAGER_SERVE_PID", "FORAGER_CHILD"}
"""Passed between the engine's own processes, or for its tests."""


def calls(folder: str) -> Iterator[ast.Call]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield from (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))


def told(page: str, heading: str = "") -> set[str]:
    """The words in backticks in the first column of a page's tables, from a heading on."""
    text = (DOCS / page).read_text("utf-8")
    text = text[text.index(heading) :]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def named(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def constants(*nodes: ast.AST) -> Iterator[str]:
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value


def test_every_event_of_the_audit_is_told() -> None:
    found = set[str]()
    for call in calls("console"):
        if named(call) in ("record", "note", "_note"):
            arguments = [*call.args, *(k.value for k in call.keywords if k.arg == "action")]
            found |= {word for word in constants(*arguments) if EVENT.fullmatch(word) and not NO_EVENTS.search(word)}
    assert len(found) > 50
    missing = found - told("events.md")
    assert not missing


def test_every_event_that_is_told_of_is_in_the_code() -> None:
    code = {word for call in calls("console") for word in constants(call)}
    for path in (ROOT / "console").rglob("*.py"):
        code |= set(constants(ast.parse(path.read_text("utf-8"))))
    for path in (ROOT / "forager").rglob("*.py"):
        code |= set(constants(ast.parse(path.read_text("utf-8"))))
    assert not told("events.md") - code


def test_every_variable_of_the_engine_is_told() -> None:
    found = set[str]()
    for path in (ROOT / "forager").rglob("*.py"):
        words = constants(ast.parse(path.read_text("utf-8")))
        found |= {word for word in words if re.fullmatch(r"FORAGER_[A-Z_]+", word)}
    assert len(found) > 10
    known = told("engine-api.md", "## Settings of the engine")
    assert not found - known - INTERNAL
    assert not {word for word in known if word.startswith("FORAGER_")} - found


def test_every_code_of_the_engine_is_told() -> None:
    source = (ROOT / "forager" / "api" / "errors.py").read_text("utf-8")
    codes = set(re.findall(r'status, code(?:, message)? = \d+, "([a-z_]+)"', source)) | {"internal_error"}
    assert len(codes) > 10
    table = (DOCS / "engine-api.md").read_text("utf-8").partition("## Error codes")[2]
    assert not {code for code in codes if f"`{code}`" not in table}


def test_every_command_of_the_engine_is_told() -> None:
    """Also those below another, as in `token create`."""
    made = [call for call in calls("forager") if named(call) == "add_parser"]
    names = {word for call in made for word in constants(call.args[0])}
    table = " ".join(told("engine-api.md", "## Commands of the engine"))
    assert len(names) > 10
    assert not {name for name in names if name not in table}


def test_every_command_of_the_console_is_told() -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    text = " ".join(path.read_text("utf-8") for path in pages)
    commands = {path.stem for path in (ROOT / "console" / "management" / "commands").glob("[a-z]*.py")}
    assert not {name for name in commands if f"manage.py {name}" not in text}
