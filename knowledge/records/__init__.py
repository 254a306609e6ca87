"""What the engine knows, as frozen values. No wire names leave ``knowledge.engine``; these are what the rest reads.

Times are aware ``datetime`` in UTC, offsets are code points into a source's stored text, ids are opaque strings.
"""

from knowledge.records.answers import (
    Edge,
    Hit,
    Neighbours,
    Quote,
    RawLines,
    RecallResult,
    Route,
    SearchResult,
    SourceSummary,
    Walk,
    WalkStep,
)
from knowledge.records.briefs import SourceBrief, Standing
from knowledge.records.conflicts import Batch, Conflict, Ruling, Side, Suggestion
from knowledge.records.engine import Base, DetectorPass, Engine
from knowledge.records.entities import Alias, CandidateSide, Entity, MergeCandidate
from knowledge.records.feed import FeedEvent, FeedPage, UnreadableEvent
from knowledge.records.interchange import Export, Import, ImportExample, ImportPlan, Tally
from knowledge.records.jobs import Job, Stage
from knowledge.records.pages import Page
from knowledge.records.sources import (
    Block,
    ChangedPart,
    Changes,
    Document,
    Excluded,
    ImportedFolder,
    Ledger,
    Refused,
    Source,
    SourceText,
    Step,
    Uploaded,
    Warning,
)
from knowledge.records.statements import (
    CheckedReference,
    CheckedReferences,
    EntityRef,
    Entry,
    Evidence,
    Frame,
    PastVersion,
    Relation,
    Statement,
)

__all__ = [
    "Alias",
    "Base",
    "Batch",
    "Block",
    "CandidateSide",
    "ChangedPart",
    "Changes",
    "CheckedReference",
    "CheckedReferences",
    "Conflict",
    "DetectorPass",
    "Document",
    "Edge",
    "Engine",
    "Entity",
    "EntityRef",
    "Entry",
    "Evidence",
    "Excluded",
    "Export",
    "FeedEvent",
    "FeedPage",
    "Frame",
    "Hit",
    "Import",
    "ImportExample",
    "ImportPlan",
    "ImportedFolder",
    "Job",
    "Ledger",
    "MergeCandidate",
    "Neighbours",
    "Page",
    "PastVersion",
    "Quote",
    "RawLines",
    "RecallResult",
    "Refused",
    "Relation",
    "Route",
    "Ruling",
    "SearchResult",
    "Side",
    "Source",
    "SourceBrief",
    "SourceSummary",
    "SourceText",
    "Stage",
    "Standing",
    "Statement",
    "Step",
    "Suggestion",
    "Tally",
    "UnreadableEvent",
    "Uploaded",
    "Walk",
    "WalkStep",
    "Warning",
]
