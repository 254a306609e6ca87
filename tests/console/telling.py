"""An engine that tells a feed over the wire's own shapes, and everything that can go wrong on the way."""

import random
from dataclasses import dataclass, field, replace
from typing import Any

from knowledge.engine.wire_feed import read_feed
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import StatementFilter
from knowledge.records import Engine, FeedPage, Page, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Status
from tests.console import falcon
from tests.console.fake import FakeProvider

DOWN = Failed(Failure.UNAVAILABLE, "Nothing answers at the knowledge endpoint.")
BASE = "proj_falcon"


class CrashError(BaseException):
    """The process ended here, hard."""


@dataclass
class Telling(FakeProvider):
    """``events`` are what the engine keeps; ``fault`` is what happens to the next page, once."""

    generation: str = "gen_3"
    events: list[dict[str, Any]] = field(default_factory=list)
    pruned_to: int = 0
    views: dict[str, tuple[int, int]] = field(default_factory=lambda: {BASE: (1, 0)})
    fault: str = ""
    crash_in: str = ""
    chance: random.Random = field(default_factory=lambda: random.Random(5))  # noqa: S311

    def __post_init__(self) -> None:
        FakeProvider.__init__(self)

    def engine(self) -> Outcome[Engine]:
        return DOWN if self.fault == "down" else Ok(replace(falcon.engine(), generation=self.generation))

    def happen(self, kind: str, base: str = BASE) -> None:
        """A publication or a ruling: the view moves, what agents were told turns, and the feed says so."""
        revision, epoch = self.views.get(base, (1, 0))
        self.views[base] = (revision + 1, epoch) if kind == "published" else (revision, epoch + 1)
        if base == BASE:
            late = self.known_statements["ki_10"]
            turned = Status.SUPERSEDED if late.status is not Status.SUPERSEDED else Status.ACTIVE
            self.known_statements["ki_10"] = replace(late, status=turned)
        name = "knowledge.revision.published" if kind == "published" else "knowledge.state.changed"
        self.tell(event_type=name, source_project_id=base, view_id=self.view(base))

    def tell(self, **told: Any) -> dict[str, Any]:
        number = self.pruned_to + len(self.events) + 1
        event = {
            "protocol_version": 1, "event_id": f"evt_{self.generation[4:]}x{number}",
            "event_type": "knowledge.export.completed", "producer_instance_id": "fgi_5d0f27",
            "producer_generation": self.generation, "source_project_id": BASE, "sequence": number,
            "view_id": self.view(BASE), "revision_id": None, "causation_id": None, "origin_kind": "person",
            "occurred_at": "2026-06-01T10:00:00Z", **told,
        }  # fmt: skip
        self.events.append(event)
        return event

    def view(self, base: str) -> str:
        return ":".join(map(str, self.views.get(base, (1, 0))))

    def prune(self) -> None:
        self.pruned_to += len(self.events)
        self.events.clear()

    def restore(self) -> None:
        """Another generation over an older state: its feed begins anew."""
        self.generation = f"gen_{int(self.generation[4:]) + 1}"
        self.events.clear()
        self.pruned_to = 0
        self.views = {base: (max(1, revision - 1), 0) for base, (revision, _) in self.views.items()}

    def feed(self, *, cursor: str = "", limit: int = 100) -> Outcome[FeedPage]:
        fault, self.fault = self.fault, ""
        if fault in ("down", "unreachable"):
            return DOWN
        generation, _, place = cursor.partition("/")
        after = int(place) if cursor else self.pruned_to
        if cursor and (generation != self.generation or after < self.pruned_to):
            oldest = f"{self.generation}/{self.pruned_to}"
            return Failed(Failure.INVALID, "gone", fields=(("code", "cursor_expired"), ("oldest", oldest)))
        found = self.events[after - self.pruned_to :][:limit]
        told = f"{self.generation}/{after + len(found)}"
        if fault == "crash_before":
            raise CrashError
        page = read_feed({"events": self._bent(found, fault), "next_cursor": told})
        return Ok(page)

    def _bent(self, found: list[dict[str, Any]], fault: str) -> list[Any]:
        if fault == "duplicate":
            return [*found, *found]
        if fault == "reorder":
            return self.chance.sample(found, len(found))
        if fault == "lose":
            return found[1:]
        if fault == "poison":
            return [{"event_type": 3}, *found, "garbage"]
        return found

    def statements_by_id(self, scope: KnowledgeScope, ids: Any) -> Outcome[Page[Statement]]:
        crash, self.crash_in = self.crash_in, ""
        if crash == "effect":
            raise CrashError
        if crash == "down":
            return DOWN
        return super().statements_by_id(scope, ids)

    def statements(self, scope: KnowledgeScope, where: StatementFilter) -> Outcome[Page[Statement]]:
        listed = super().statements(scope, where)
        return Ok(replace(listed.value, view_id=self.view(scope.base_id))) if isinstance(listed, Ok) else listed
