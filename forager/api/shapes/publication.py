"""Revisions and the feed that tells of them."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from forager.api.shapes.requests import STRICT


@with_config(STRICT)
class FeedQuery(TypedDict):
    cursor: NotRequired[str]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000)]]
    project: NotRequired[str]


class FeedEvent(TypedDict):
    protocol_version: int
    event_id: str
    event_type: str
    producer_instance_id: str
    producer_generation: str
    source_project_id: str
    sequence: int
    view_id: str
    revision_id: str | None
    canonical_schema_version: int
    logical_content_hash: str | None
    publication_status: Literal["complete"]
    job_id: str | None
    occurred_at: str
    origin_kind: str
    causation_id: str | None
    export_id: str | None
    package_digest: str | None


class Feed(TypedDict):
    events: list[FeedEvent]
    next_cursor: str


class Revision(TypedDict):
    id: str
    project_id: str
    sequence: int
    logical_content_hash: str
    completeness: str
    job_id: str | None
    added: int
    changed: int
    superseded: int
    withdrawn: int
    published_at: str
