"""Our half of the scope fence: whatever the engine answers is looked at once more, row by row.

A row of another knowledge base, or of a band the scope may not read, never goes on; it raises an alarm, because
the engine should not have sent it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Band

NESTED = ("item", "items", "conflict", "source", "document", "sources", "disputes")


@dataclass(frozen=True, slots=True)
class Alarm:
    """What slipped through: ``kind`` is foreign_base or hidden_band. Ids and texts of the row are left out."""

    kind: str
    route: str
    base_id: str
    request_id: str


type OnAlarm = Callable[[Alarm], None]


def no_alarm(alarm: Alarm) -> None:
    """For callers that have nowhere to report to."""


@dataclass(frozen=True, slots=True)
class Fence:
    scope: KnowledgeScope
    route: str
    request_id: str
    on_alarm: OnAlarm

    def admits(self, row: object) -> bool:
        """Whether this row, and every statement inside it, may go on."""
        if not isinstance(row, dict | Mapping):  # the concrete type first: an abstract one is slow to ask for
            return True
        reason = self._objection(row)
        if reason:
            self.on_alarm(Alarm(reason, self.route, self.scope.base_id, self.request_id))
            return False
        for name in NESTED:
            inside = row.get(name)
            for item in inside if isinstance(inside, list) else (inside,):
                if item is not None and not self.admits(item):
                    return False
        return True

    def _objection(self, row: Mapping[str, object]) -> str:
        owner = row.get("project_id")
        if owner is not None and owner != self.scope.base_id:
            return "foreign_base"
        band = row.get("scope" if "statement" in row else "band")
        has_band = "statement" in row or "band" in row
        return "hidden_band" if has_band and not self.scope.allows(Band.read(band)) else ""

    def only_admitted(self, value: object, name: str) -> object:
        """The answer with the list under ``name`` reduced to the rows that may go on."""
        rows = value.get(name) if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(rows, list):
            return value
        return {**value, name: [row for row in rows if self.admits(row)]}
