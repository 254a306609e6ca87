"""The table and the chart of the measurements say what was measured, and what follows from it."""

import xml.etree.ElementTree as ET

import pytest

from bench import table_chart, table_targets
from bench.table_measure import Amounts, Figure, Figures

AMOUNTS = Amounts(100_000, 500, 20)


def _figures(search: float, retrieve: float) -> Figures:
    found: dict[str, Figure] = {}
    for size in (AMOUNTS.tenth, AMOUNTS.statements):
        for name, half in (("raw full text", 5.0), ("search", search), ("retrieve", retrieve)):
            found[f"{size}: {name}"] = Figure(half, half * 2)
        found[f"{size}: search, common words"] = Figure(10.0, 20.0)
        found[f"{size}: peak memory, filling included"] = Figure(180.0)
    found |= {"page: sources": Figure(40.0, 90.0), "page: a ruling, and the next page": Figure(200.0, 400.0)}
    return found | {"files registered a second": Figure(300.0), "files read a second": Figure(49.0)}


@pytest.fixture
def rows() -> list[table_targets.Row]:
    return table_targets.rows({"SQLite": _figures(9.0, 20.0), "PostgreSQL": _figures(9.6, 30.0)}, AMOUNTS)


def test_what_is_met_follows_from_the_raw_figures_of_the_same_run(rows: list[table_targets.Row]) -> None:
    met = {row.name: {name: value.met for name, value in row.values.items()} for row in rows}
    assert met["100,000: search, p50"] == {"SQLite": True, "PostgreSQL": False}
    assert met["100,000: retrieve, p50"] == {"SQLite": True, "PostgreSQL": False}
    assert met["10,000: retrieve, p50"] == {"SQLite": None, "PostgreSQL": None}
    assert met["files read a second"] == {"SQLite": False, "PostgreSQL": False}
    assert met["slowest page, p95"] == {"SQLite": True, "PostgreSQL": True}


def test_the_table_says_what_a_missed_aim_was(rows: list[table_targets.Row]) -> None:
    told = table_targets.markdown(rows, ["SQLite", "PostgreSQL"])
    line = next(line for line in told.splitlines() if "100,000: search, p50" in line)
    assert line == "| 100,000: search, p50 | raw × 1.3 + 3 | 9.0 | met | 9.6 | missed (9.5) | ms |"


def test_the_chart_is_whole_and_shows_every_row(rows: list[table_targets.Row]) -> None:
    drawn = ET.fromstring(table_chart.svg(rows, ["SQLite", "PostgreSQL"], "<said> & written"))  # noqa: S314 - ours
    words = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "<said> & written"
    assert {f"{row.name} ({row.unit})" for row in rows} <= set(words)
    assert "9.6 missed" in words
