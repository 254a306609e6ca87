"""Queries and bodies. Unknown fields are refused."""

from datetime import date
from typing import Annotated, Literal, NotRequired

from pydantic import AfterValidator, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from forager.api.shapes.review import Discriminator

STRICT = ConfigDict(extra="forbid")
PageSize = Annotated[int, Field(ge=1, le=200)]


def _printable(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("needs letters, and no control characters")
    return name.strip()


def _day(text: str) -> str:
    if text:
        date.fromisoformat(text)
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Support = Literal["direct_fact", "supported_inference", "uncertain_inference", "unverified_claim"]
Status = Literal["active", "superseded", "disputed", "unresolved", "stale", "archived", "withheld"]


@with_config(STRICT)
class ListQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[PageSize]


State = Literal["proposed", "approved", "active", "degraded", "suspended", "revoked", "retiring", "deleted"]


@with_config(STRICT)
class DocumentQuery(ListQuery):
    state: NotRequired[State]


@with_config(STRICT)
class DocumentPatch(TypedDict):
    band: NotRequired[Literal["tenant", "general"]]
    authoritative: NotRequired[bool]
    owner: NotRequired[Annotated[str, Field(max_length=200)]]
    review_by: NotRequired[Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\d)?$"), AfterValidator(_day)]]
    reason: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Name


@with_config(STRICT)
class DirectoryImport(TypedDict):
    path: Annotated[str, Field(min_length=1, max_length=4000)]
    recursive: NotRequired[bool]


@with_config(STRICT)
class StateChange(TypedDict):
    state: State
    reason: Annotated[str, Field(min_length=1, max_length=4000)]
    reason_code: NotRequired[str]
    actor: Name


@with_config(STRICT)
class ItemQuery(ListQuery):
    type: NotRequired[str]
    support: NotRequired[Support]
    status: NotRequired[Status]
    entity: NotRequired[str]
    document: NotRequired[str]
    source: NotRequired[str]
    attribute_key: NotRequired[str]
    review_status: NotRequired[str]
    band: NotRequired[Literal["tenant", "general"]]
    ids: NotRequired[str]
    expand: NotRequired[str]


@with_config(STRICT)
class SearchQuery(TypedDict):
    q: str
    limit: NotRequired[PageSize]
    include_entities: NotRequired[bool]
    include_chunks: NotRequired[bool]
    include_historical: NotRequired[bool]
    band: NotRequired[Literal["tenant", "general"]]
    min_support: NotRequired[Support]


@with_config(STRICT)
class EntityQuery(ListQuery):
    q: NotRequired[str]


@with_config(STRICT)
class ConflictQuery(ListQuery):
    status: NotRequired[Literal["open", "resolved", "dismissed", "moot"]]
    type: NotRequired[Literal["attribute_mismatch", "contradiction", "duplicate_source"]]
    subject: NotRequired[str]
    certainty: NotRequired[Literal["dispute", "candidate"]]


@with_config(STRICT)
class NewProject(TypedDict):
    name: Name
    description: NotRequired[Annotated[str, Field(max_length=2000)]]
    namespace: NotRequired[Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]]


@with_config(STRICT)
class ProjectPatch(TypedDict):
    second_look: NotRequired[bool]
    name: NotRequired[Name]
    description: NotRequired[Annotated[str, Field(max_length=2000)]]


@with_config(STRICT)
class ProcessRequest(TypedDict):
    force: NotRequired[bool]


@with_config(STRICT)
class NewToken(TypedDict):
    name: Name
    scopes: Annotated[
        list[Literal["read", "ingest", "review", "export", "manage_bases"]], Field(min_length=1, max_length=5)
    ]
    project_ids: list[str]
    expires_at: NotRequired[str | None]


@with_config(STRICT)
class Resolve(TypedDict):
    action: Literal["choose_side", "both", "neither", "merge", "not_a_conflict", "needs_evidence"]
    side_id: NotRequired[str]
    discriminator: NotRequired[Discriminator]
    assignee: NotRequired[Annotated[str, Field(max_length=200)]]
    expected_digest: str
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Name
    actor_key: NotRequired[Annotated[str, Field(min_length=1, max_length=200)]]


@with_config(STRICT)
class Reopen(TypedDict):
    expected_decision: NotRequired[str]
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Name


@with_config(STRICT)
class NewExport(TypedDict):
    format: Literal["jsonl"]
