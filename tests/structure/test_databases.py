"""Which database there is, is asked in few rooms; everything else runs on both."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("forager/search/", "forager/model/dialect.py", "forager/settings.py", "console/database.py", "stores/")
"""Those that may know."""
TELLING = re.compile(
    r"connection\.vendor ==|PRAGMA|sqlite_master|json_extract|json_each|pg_[a-z]+\(|VACUUM|COLLATE|INSERT OR|"
    r"FOR UPDATE|ON CONFLICT|tsvector|SHOW server_version"
)


def test_no_other_room_asks_which_database_there_is() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for package in ("forager", "console", "knowledge", "stores")
        for path in sorted((ROOT / package).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(ROOMS)
        for match in TELLING.finditer(path.read_text("utf-8"))
    ]
    assert found == []


def test_both_databases_are_told_apart_where_it_is_said() -> None:
    assert any(TELLING.search(path.read_text("utf-8")) for path in (ROOT / "forager/search").glob("*.py"))
