"""The targets of speed on both databases, as one table and one chart: ``python -m bench.table [--statements N]``.

Search, a whole context, pages and loading are measured on SQLite and on a throw-away PostgreSQL (its durability is
off), each with raw full text of the same database on the same rows beside it, at N statements and at a tenth of them.
The result goes between the marks of ``docs/performance.md``, the chart to ``docs/performance.svg``. What is met or
missed is computed from what was measured; ``--note`` says what else the machine did.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from bench import table_chart, table_measure, table_targets
from tests import postgres

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
DATABASES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--statements", type=int, default=100_000)
    ask.add_argument("--files", type=int, default=2_000, help="enough that the start of a process counts for little")
    ask.add_argument("--rounds", type=int, default=20, help="of each page")
    ask.add_argument("--only", choices=DATABASES, help="one database; the other's columns stay empty")
    ask.add_argument("--note", default="", help="what else ran on the machine")
    given = ask.parse_args()
    signal.signal(signal.SIGTERM, _end)  # so that the server it started ends, too
    load = os.getloadavg()[0]
    amounts = table_measure.Amounts(given.statements, given.files, given.rounds)
    measured = {}
    for kind, name in DATABASES.items():
        if given.only in (None, kind):
            with _place(kind) as place:
                measured[name] = table_measure.measure(place, amounts)
    rows = table_targets.rows(measured, amounts)
    sizes = f"{amounts.statements:,} statements, {amounts.files} files"
    machine = f"{os.cpu_count()} cores, load {load:.1f} at the start"
    head = f"{datetime.now(UTC):%Y-%m-%d}, {sizes}, {machine}. {given.note}".strip()
    table = table_targets.markdown(rows, list(measured))
    text = f"{head}\n\n{table}\n\n![Measured against the targets](performance.svg)"
    print(text)  # noqa: T201 - the measurement
    _write(text)
    (DOCS / "performance.svg").write_text(table_chart.svg(rows, list(measured), head), encoding="utf-8")
    return 0


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(1)


@contextmanager
def _place(kind: str) -> Iterator[table_measure.Place]:
    if kind == "sqlite":
        yield table_measure.Place(lambda _name: "")
        return
    with postgres.cluster() as url:
        os.environ[postgres.VARIABLE] = url
        try:
            yield table_measure.Place(postgres.database)
        finally:
            del os.environ[postgres.VARIABLE]


def _write(text: str) -> None:
    page = DOCS / "performance.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
