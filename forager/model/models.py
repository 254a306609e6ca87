"""Django looks here; the tables stand in the modules by subject."""

from forager.model.access import Token
from forager.model.answers import KeptAnswer
from forager.model.bases import KnowledgeBase, Store, StoreLock
from forager.model.conflicts import Conflict, ConflictMember, ConflictSide
from forager.model.decisions import Decision, ReviewEvent
from forager.model.documents import Chunk, Document, Source, SourceText
from forager.model.entities import Alias, Entity, Mention, MergeCandidate
from forager.model.exports import Export
from forager.model.feed import FeedEvent
from forager.model.imports import Import, Origin
from forager.model.jobs import Checkpoint, Job, JobStage
from forager.model.publication import Revision
from forager.model.serving import Served
from forager.model.statements import Evidence, Statement

__all__ = [
    "Alias",
    "Checkpoint",
    "Chunk",
    "Conflict",
    "ConflictMember",
    "ConflictSide",
    "Decision",
    "Document",
    "Entity",
    "Evidence",
    "Export",
    "FeedEvent",
    "Import",
    "Job",
    "JobStage",
    "KeptAnswer",
    "KnowledgeBase",
    "Mention",
    "MergeCandidate",
    "Origin",
    "ReviewEvent",
    "Revision",
    "Served",
    "Source",
    "SourceText",
    "Statement",
    "Store",
    "StoreLock",
    "Token",
]
