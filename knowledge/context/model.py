"""What an agent receives for a question, before it is put into words. Values only; labels are numbers from 1."""

from dataclasses import dataclass

from knowledge.records import Conflict, Evidence, Statement
from knowledge.scope import KnowledgeScope


@dataclass(frozen=True, slots=True)
class Fact:
    """``evidence`` is what can be shown; ``unlocated`` says that the supporting text could not be found.

    ``successor`` is the label of the fact that replaced this one, None when that is not shown.
    """

    label: int
    statement: Statement
    evidence: tuple[Evidence, ...]
    unlocated: bool
    contested: bool
    successor: int | None = None


@dataclass(frozen=True, slots=True)
class ConflictEntry:
    """``facts`` are labels; ``left_out`` statement ids dropped for length; ``unshown`` how many may not be shown."""

    label: int
    conflict: Conflict
    facts: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    unshown: int = 0


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    id: str
    name: str
    type: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relationship:
    """Two entities of the context and the fact that joins them; ``type`` is the fact's attribute."""

    id: str
    type: str
    source: RelatedEntity
    target: RelatedEntity
    fact: Fact


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source as it is named in this context; two of one name are told apart by their paths."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """``candidates`` and ``dropped`` are for the operator's record alone and never rendered, nor is ``elapsed_ms``.

    ``left_out`` counts facts and ``conflicts_left_out`` conflicts that did not fit; ``degradation`` is in sentences.
    """

    query: str
    scope: KnowledgeScope
    backend: str
    strategy: str
    tier: str
    view_id: str
    candidates: int
    dropped: int
    left_out: int
    conflicts_left_out: int
    as_of: str
    degradation: tuple[str, ...]
    elapsed_ms: int

    @property
    def truncated(self) -> bool:
        return bool(self.left_out or self.conflicts_left_out)


@dataclass(frozen=True, slots=True)
class KnowledgeContext:
    facts: tuple[Fact, ...]
    evidence: tuple[Evidence, ...]
    entities: tuple[RelatedEntity, ...]
    relationships: tuple[Relationship, ...]
    conflicts: tuple[ConflictEntry, ...]
    sources: tuple[SourceName, ...]
    metadata: Metadata

    def facts_without_provenance(self) -> tuple[Fact, ...]:
        """Facts that neither show evidence nor say that they have none. Must be empty: anything else is a defect."""
        return tuple(fact for fact in self.facts if not fact.evidence and not fact.unlocated)
