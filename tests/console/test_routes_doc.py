"""The page of routes is what there is."""

from pathlib import Path

from console.management.commands.routesdoc import page

DOCS = Path(__file__).resolve().parents[2] / "docs" / "routes.md"


def test_every_route_is_told_with_what_it_asks_for() -> None:
    assert DOCS.read_text("utf-8").splitlines() == list(page()), "run manage.py routesdoc > docs/routes.md"
