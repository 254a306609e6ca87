"""The batch read: chosen statements whole, with what contests them and what replaced them.

One call where the engine tells of conflicts and successors with the statements; else one more for those it left
out, and one per conflict. Never cached: this is the last look before anything is written down.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Batch, Conflict, Entity, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus

CONFLICT_LIMIT = 40
MOST_READS = 5
"""Of one context. An engine that tells of successors is asked once; one that does not, once per step of a chain."""
DUPLICATE = "duplicate_source"
MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Whole:
    """``entities`` are those the engine told of; ``lost_conflicts`` says that some could not be read."""

    statements: Mapping[str, Statement]
    conflicts: tuple[Conflict, ...]
    entities: Mapping[str, Entity]
    view_id: str
    lost_conflicts: bool


@dataclass
class _Read:
    provider: KnowledgeProvider
    scope: KnowledgeScope
    asked: set[str] = field(default_factory=set)
    statements: dict[str, Statement] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    views: set[str] = field(default_factory=set)
    lost: bool = False

    def batch(self, ids: Iterable[str]) -> Failed | None:
        """Reads what is not yet here and was not asked for; with a plain page, its conflicts one by one."""
        missing = [key for key in dict.fromkeys(ids) if key not in self.statements and key not in self.asked]
        if not missing:
            return None
        self.asked.update(missing)
        page = self.provider.statements_by_id(self.scope, missing)
        if isinstance(page, Failed):
            return page
        self.views.add(page.value.view_id)
        self.statements |= {statement.id: statement for statement in page.value.items}
        if isinstance(page.value, Batch):
            self.statements = {later.id: later for later in page.value.successors} | self.statements
            self._keep(page.value.conflicts)
            self.entities |= {entity.id: entity for entity in page.value.related}
        else:
            self._ask_conflicts(page.value.items)
        return None

    def _keep(self, conflicts: Iterable[Conflict]) -> None:
        for conflict in conflicts:
            if _is_open(conflict):
                self.conflicts[conflict.id] = conflict
                whole = {s.id: s for s in conflict.statements if s.evidence or not s.evidence_count}
                self.statements = whole | self.statements

    def _ask_conflicts(self, statements: Sequence[Statement]) -> None:
        known = dict.fromkeys(key for s in statements for key in s.conflict_ids if key not in self.conflicts)
        self.lost = self.lost or len(known) > CONFLICT_LIMIT
        for key in list(known)[:CONFLICT_LIMIT]:
            found = self.provider.conflict(self.scope, key)
            if isinstance(found, Ok):
                self._keep([found.value])
            else:
                self.lost = self.lost or found.failure is not Failure.NOT_FOUND


def read_whole(provider: KnowledgeProvider, scope: KnowledgeScope, chosen: Sequence[Statement]) -> Outcome[Whole]:
    """The chosen statements, then whatever of their conflicts' other sides and successors is still missing."""
    read = _Read(provider, scope)
    wanted = _with_successors(chosen)
    for _ in range(MOST_READS):
        failed = read.batch(wanted)
        if failed is not None:
            return failed
        competing = [key for conflict in read.conflicts.values() for key in conflict.statement_ids]
        wanted = [*competing, *_with_successors(tuple(read.statements.values()))]
    view = next(iter(read.views), "") if len(read.views) < 2 else MOVED
    return Ok(Whole(read.statements, tuple(read.conflicts.values()), read.entities, view, read.lost))


def _with_successors(statements: Sequence[Statement]) -> list[str]:
    successors = [statement.superseded_by for statement in statements if statement.superseded_by]
    return [*(statement.id for statement in statements), *successors]


def _is_open(conflict: Conflict) -> bool:
    """A status this build does not know counts as open: nothing contested is shown as settled."""
    is_open = conflict.status in (ConflictStatus.OPEN, ConflictStatus.UNKNOWN)
    return is_open and conflict.type != DUPLICATE
