"""What a reviewer reads: the queue, one conflict with all that a ruling needs, and what became of rulings."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.records import Conflict, MergeCandidate, Page, PastVersion, Source, SourceText, Statement


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    id: str
    target_id: str
    action: str
    before: str
    after: str
    actor: str
    notes: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Weight:
    """``risk`` = (1 + ``served``) × ``uncertainty`` × ``days``, uncertainty and risk in hundredths."""

    served: int
    uncertainty: int
    days: int
    risk: int
    sources: int


@dataclass(frozen=True, slots=True)
class Queued:
    """A conflict of the queue. ``awaits_second`` names who gave the first of two looks, never what they said."""

    conflict: Conflict
    weight: Weight
    awaits_second: str


@dataclass(frozen=True, slots=True)
class Record:
    """What people did in the last 30 days."""

    rulings: int
    undone: int
    with_suggestion: int
    as_suggested: int


@dataclass(frozen=True, slots=True)
class Queue(Page[Queued]):
    """A page of the queue, with counts by tab, type and assignee, and whether rulings need two people."""

    tabs: tuple[tuple[str, int], ...] = ()
    types: tuple[tuple[str, int], ...] = ()
    assignees: tuple[tuple[str, int], ...] = ()
    record: Record = Record(0, 0, 0, 0)
    second_look: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """An excerpt's surroundings in the stored text; ``state`` is whole, moved or missing."""

    evidence_id: str
    before: str
    after: str
    state: str


@dataclass(frozen=True, slots=True)
class StatementBrief:
    """A statement with its excerpts in context; ``passages`` are those of the first 100."""

    statement: Statement
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A disagreement with what people decided on it, newest first."""

    conflict: Conflict
    rulings: tuple[ReviewEvent, ...]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What carries a statement. ``texts`` are those that came along; another one is asked for by itself."""

    statement: Statement
    texts: tuple[SourceText, ...]
    versions: tuple[PastVersion, ...]
    disputes: tuple[Dispute, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What one ruling would change: pairs of the status statements would get and their ids."""

    action: str
    side_id: str
    changes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """Packages and agents that were served a side in the last 30 days, and kept exports that hold one."""

    packages: int
    agents: tuple[str, ...]
    exports: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conflict stands in the queue one walks through; ``position`` 0: not in it. Ids are empty at the ends."""

    position: int
    total: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PairBrief:
    """Two names that may be one, with the excerpts beside them in context and where the pair stands in its list."""

    candidate: MergeCandidate
    passages: tuple[Passage, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Brief:
    """``decision_id`` is the standing ruling, empty when there is none."""

    conflict: Conflict
    weight: Weight
    passages: tuple[Passage, ...]
    sources: tuple[Source, ...]
    trail: tuple[ReviewEvent, ...]
    previews: tuple[Preview, ...]
    reach: Reach
    place: Place
    decision_id: str
    second_look: bool
    awaits_second: str


@dataclass(frozen=True, slots=True)
class Ruled:
    """A conflict right after a ruling. ``outcome`` is recorded, awaiting or parted; ``decision_id`` is what stands."""

    conflict: Conflict
    decision_id: str
    outcome: str
    message: str


@dataclass(frozen=True, slots=True)
class RulingOutcome:
    """``outcome`` is recorded, awaiting, parted or refused."""

    conflict_id: str
    outcome: str
    message: str
    decision_id: str = ""


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A person's decision as it stands. ``about`` names the values or the names it was made on."""

    id: str
    kind: str
    action: str
    state: str
    about: tuple[str, ...]
    target_id: str
    actor: str
    notes: str
    at: datetime | None
