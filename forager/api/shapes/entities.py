"""Entities, what may be one of them, and decisions about them."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from forager.api.shapes.knowledge import Entity, Item
from forager.api.shapes.queue import Passage, PlaceShape
from forager.api.shapes.requests import STRICT, ListQuery, Name

Notes = Annotated[str, Field(max_length=4000)]


class EntitySide(TypedDict):
    entity: Entity
    item_ids: list[str]
    items: list[Item]


class EntityDecision(TypedDict):
    action: str
    notes: str
    actor: str
    decided_at: str


class MergeCandidate(TypedDict):
    id: str
    project_id: str
    kind: str
    reason: str
    confidence: float
    status: str
    sides: list[EntitySide]
    decision: EntityDecision | None
    digest: str
    detected_at: str
    job_id: NotRequired[str]


class PairBrief(TypedDict):
    """A candidate with its excerpts in context and where it stands in the list one walks through."""

    project_id: str
    candidate: MergeCandidate
    passages: list[Passage]
    place: PlaceShape
    view_id: str


class Merged(TypedDict):
    """``entity`` as it still stands; the job brings the decision into effect."""

    project_id: str
    entity: Entity
    job_id: str


class StoredDecision(TypedDict):
    """A person's decision as it stands. ``anchor`` is what it rests on: excerpts for a ruling, names for entities."""

    id: str
    kind: str
    action: str
    state: str
    anchor: Any
    target_id: str
    notes: str
    actor: str
    decided_at: str


@with_config(STRICT)
class CandidateQuery(ListQuery):
    status: NotRequired[Literal["open", "accepted", "rejected"]]


@with_config(STRICT)
class PairQuery(TypedDict):
    """``status`` is the list one walks through; the answer says where in it the pair stands."""

    status: NotRequired[Literal["open", "accepted", "rejected"]]


@with_config(STRICT)
class DecisionQuery(ListQuery):
    state: NotRequired[Literal["standing", "reopened", "orphaned"]]
    kind: NotRequired[Literal["ruling", "entities"]]


@with_config(STRICT)
class DecideCandidate(TypedDict):
    expected_digest: str
    notes: NotRequired[Notes]
    actor: Name


@with_config(STRICT)
class MergeEntity(TypedDict):
    other_id: Annotated[str, Field(max_length=40)]
    notes: NotRequired[Notes]
    actor: Name


@with_config(STRICT)
class UnmergeEntity(TypedDict):
    alias: Annotated[str, Field(min_length=1, max_length=300)]
    notes: NotRequired[Notes]
    actor: Name
