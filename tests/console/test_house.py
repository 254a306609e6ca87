"""The house's own rules: components say what they take, nobody names the engine, slices know each other downward."""

import ast
import re
from pathlib import Path

import pytest

from console import env

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
COMPONENTS = sorted((TEMPLATES / "components").glob("*.html"))
PAGES = sorted(path for path in (TEMPLATES / "pages").rglob("*.html") if path.name != "components.html")
TITLED_BY_CONTENT = ("statement.html", "unbound.html", "state.html", "sources/detail.html")
ENGINE_ROOMS = ("console/connection/",)
ORDER = [
    "audit",
    "people",
    "projects",
    "phrases",
    "searches",
    "connection",
    "backups",
    "tokens",
    "packages",
    "gaps",
    "bases",
    "missions",
    "proposals",
    "agents",
]
LOW = [f"console.{name}" for name in ("http", "policy", "env", "keyfile", "wording", "measures", "database")]


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: path.stem)
def test_a_component_says_what_it_takes(path: Path) -> None:
    assert path.read_text("utf-8").startswith("{# Takes: ")


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: path.stem)
def test_every_component_stands_in_the_gallery_or_the_frame_around_it(path: Path) -> None:
    """By itself or inside another that does."""
    shown, waiting = set[str](), ["pages/components.html", "base.html"]
    while waiting:
        text = (TEMPLATES / waiting.pop()).read_text("utf-8")
        found = set(re.findall(r"components/[\w-]+\.html", text)) - shown
        shown |= found
        waiting += sorted(found)
    assert f"components/{path.name}" in shown


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.stem)
def test_components_get_only_what_they_are_given(path: Path) -> None:
    for tag in re.findall(r"{%\s*include\s+\"components/[^%]*%}", path.read_text("utf-8")):
        assert re.search(r"\bonly\s*%}$", tag), tag


def test_the_engine_is_named_only_where_it_is_meant() -> None:
    for folder, suffix in (("console", "*.py"), ("templates", "*.html")):
        for path in (ROOT / folder).rglob(suffix):
            name = path.relative_to(ROOT).as_posix()
            text = re.sub(r"knowledge_forager_\w+|ANTHILL_KNOWLEDGE_FORAGER_\w+", "", path.read_text("utf-8"))
            if not name.startswith(ENGINE_ROOMS):
                assert "forager" not in text.lower(), name


@pytest.mark.parametrize("slice_", ORDER)
def test_slices_know_each_other_only_downward(slice_: str) -> None:
    below = {f"console.{name}" for name in ORDER[: ORDER.index(slice_) + 1]} | set(LOW)
    for path in (ROOT / "console" / slice_).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("console."):
                    assert any(name == each or name.startswith(f"{each}.") for each in below), (path.name, name)


def test_only_one_room_reads_htmx_headers() -> None:
    for path in (ROOT / "console").rglob("*.py"):
        if path.name != "http.py":
            assert "HX-" not in path.read_text("utf-8"), path


def test_every_setting_is_documented() -> None:
    told = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for setting in env.TABLE:
        assert f"`{setting.name}`" in told
        assert setting.help in told


def test_a_wrong_value_names_its_setting(tmp_path: Path) -> None:
    with pytest.raises(env.SettingError, match="console_port"):
        env.read({"ANTHILL_CONSOLE_PORT": "many"}, tmp_path / "none.toml")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "anthill.toml"
    file.write_text("knowledge_top_k = 4\nknowledge_enabled = true\n", "utf-8")
    values = env.read({"ANTHILL_KNOWLEDGE_TOP_K": "6"}, file)
    assert values.number("knowledge_top_k") == 6
    assert values.flag("knowledge_enabled")
    assert not env.read({}, tmp_path / "none.toml").flag("knowledge_enabled")


def test_an_unknown_setting_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "anthill.toml"
    file.write_text("knowlege_top_k = 4\n", "utf-8")
    with pytest.raises(env.SettingError, match="knowlege_top_k"):
        env.read({}, file)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_page_says_what_it_is_for(path: Path) -> None:
    """One sentence below its title; a page whose title is the thing itself needs none."""
    text = path.read_text("utf-8")
    if 'class="page-head"' in text and not path.as_posix().endswith(TITLED_BY_CONTENT):
        assert re.search(r"</h1>\s*<p>", text), path


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_empty_place_leads_on(path: Path) -> None:
    for found in re.findall(r'<div class="empty">(.*?)</div>', path.read_text("utf-8"), re.DOTALL):
        assert "<a " in found, f"{path.name}: nothing to do next in {found[:120]}"
