"""Conflicts, rulings, their trail, and exports."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from forager.api.shapes.knowledge import Item


class Side(TypedDict):
    id: str
    value: str
    value_raw: str
    item_ids: list[str]
    source_ids: list[str]
    origins: int
    digest: str


class Suggestion(TypedDict):
    winner_id: str
    reason: str


class Discriminator(TypedDict):
    kind: Literal["time", "unit", "place", "entity"]
    value: Annotated[str, Field(min_length=1, max_length=300)]


class Resolution(TypedDict):
    action: str
    winner_id: str | None
    discriminator: Discriminator | None
    notes: str
    actor: str
    decided_at: str


class Conflict(TypedDict):
    id: str
    project_id: str
    type: str
    subject: str
    attribute_key: str
    status: str
    certainty: str
    description: str
    why: str
    sides: list[Side]
    item_ids: list[str]
    source_ids: list[str]
    suggested_resolution: Suggestion | None
    resolution: Resolution | None
    assignee: str | None
    digest: str
    items: list[Item]
    detected_at: str


class ReviewEvent(TypedDict):
    id: str
    target_id: str
    action: str
    before: Any
    after: Any
    actor: str
    notes: str
    at: str


class Export(TypedDict):
    id: str
    project_id: str
    format: str
    status: str
    revision_id: str | None
    size_bytes: int
    sha256: str | None
    counts: dict[str, int]
    error: str | None
    created_at: str
    expires_at: str


class Import(TypedDict):
    """``preview`` and ``outcome`` are empty until there is one; ``interchange.importing`` says what is in them."""

    id: str
    project_id: str
    status: str
    size_bytes: int
    sha256: str
    producer: dict[str, Any]
    preview: dict[str, Any]
    outcome: dict[str, Any]
    job_id: str | None
    actor: str
    error: str | None
    created_at: str
    expires_at: str
    finished_at: str | None


class Origin(TypedDict):
    kind: str
    id: str
    instance_id: str
    origin_id: str
