"""Words that must not stand where they stand: the engine's name outside its boundary, this machine in any file."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTING = re.compile(r"knowledge_forager_\w+|FORAGER_[A-Z_]+", re.IGNORECASE)
AT_HOME = ("console/connection/", "knowledge/engine/", "templates/pages/connection/")
OUTSIDE = ("console/", "knowledge/", "templates/")


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return listed.splitlines()


def lines_naming_the_engine(paths: list[str]) -> list[str]:
    found = []
    for path in paths:
        if not path.startswith(OUTSIDE) or path.startswith(AT_HOME) or "/migrations/" in path:
            continue
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), start=1):
            if "forager" in SETTING.sub("", line).casefold():
                found.append(f"{path}:{number}: {line.strip()}")
    return found


def test_the_engine_is_named_only_where_it_is_meant() -> None:
    assert lines_naming_the_engine(tracked()) == []


def test_the_check_itself_finds_the_word() -> None:
    assert "forager" in (ROOT / "console/connection/children.py").read_text().casefold()
    assert SETTING.sub("", "uses FORAGER here").casefold() == "uses forager here"


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    pattern = "|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/[a-z]"))
    hits = subprocess.run(
        ["git", "grep", "-nIE", pattern, "--", ".", ":!uv.lock"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert hits.stdout == ""


def test_every_file_is_small_enough_to_read() -> None:
    long = {
        path: count
        for path in tracked()
        if path.endswith((".py", ".html", ".css", ".js")) and "/migrations/" not in path and "/vendor/" not in path
        if (count := len((ROOT / path).read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
