"""What agents did with what they were told."""

from console.packages.ledger import Ledger
from console.pages.show.honesty import ledger_figures
from console.pages.show.labels import Tag
from console.pages.show.packages import PackageRow
from console.pages.show.times import NEVER, Moment

AT = Moment("27 Feb 09:44", "2026-02-27T09:44:00+00:00")


def samples() -> dict[str, object]:
    return {"ledger": ledger_figures(Ledger(42, 7, 1, 31, 4, 26, 3, 25, 2, 1)), "readers": [_reader("planner-ant")]}


def _reader(agent: str) -> PackageRow:
    return PackageRow(
        key="pkg_9c02ab",
        short="pkg_9c02ab",
        url="#pkg_9c02ab",
        kind="Context",
        agent=agent,
        at=AT,
        statements="4",
        attempt="",
        size="1.4 kB",
        standing=Tag("current", "tick", "Holds"),
        checked=NEVER,
        outcome="",
    )
