"""The part of the queue a reviewer walks through, as the address holds it: it survives a link and a ruling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from console.wording import gettext_lazy as _
from knowledge.provider import QueueFilter

TABS = {
    "open": _("Open"),
    "assigned": _("Needs evidence"),
    "maybe": _("Maybe"),
    "solved": _("Solved"),
    "orphaned": _("Orphaned"),
}
KINDS = ("attribute_mismatch", "contradiction", "duplicate_source")
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Walk:
    """``walking``: the address names a tab, so a ruling leads on to the next of it."""

    tab: str = "open"
    kind: str = ""
    about: str = ""
    who: str = ""
    sources: int = 0
    days: int = 0
    walking: bool = False

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Self:
        """What cannot be meant is taken as not asked."""
        tab, kind = asked.get("tab", ""), asked.get("kind", "")
        return cls(
            tab=tab if tab in TABS else "open",
            kind=kind if kind in KINDS else "",
            about=asked.get("about", "").strip()[:200],
            who=asked.get("who", "").strip()[:200],
            sources=min(_number(asked.get("sources", "")), 1000),
            days=_number(asked.get("days", "")),
            walking=tab in TABS and tab != "orphaned",
        )

    @property
    def where(self) -> QueueFilter:
        return QueueFilter(self.tab, self.kind, self.about, self.who, self.sources, self.days)

    @property
    def narrowed(self) -> bool:
        return bool(self.kind or self.about or self.who or self.sources or self.days)

    def query(self, **changes: str) -> str:
        """The address of this walk with some of it changed, with its ``?``."""
        told = {
            "tab": self.tab,
            "kind": self.kind,
            "about": self.about,
            "who": self.who,
            "sources": str(self.sources or ""),
            "days": str(self.days or ""),
            **changes,
        }
        return "?" + urlencode({name: value for name, value in told.items() if value})


def _number(text: str) -> int:
    return min(int(text), MOST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
