"""Queries and bodies. Unknown fields are refused."""

from datetime import date, datetime
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


def _iso_day(text: str) -> str:
    date.fromisoformat(text)
    return text


def _moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("needs its zone")
    return text


Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$"), AfterValidator(_iso_day)]
Moment = Annotated[str, Field(max_length=40), AfterValidator(_moment)]
Band = Literal["tenant", "general"]
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


class Facets(TypedDict):
    """Exact conditions on statements; ``as_of`` is the day they must hold on, ``known_at`` when the base held them."""

    type: NotRequired[str]
    support: NotRequired[Support]
    status: NotRequired[Status]
    document: NotRequired[str]
    source: NotRequired[str]
    attribute_key: NotRequired[str]
    review_status: NotRequired[str]
    band: NotRequired[Band]
    effective_from: NotRequired[Day]
    effective_to: NotRequired[Day]
    as_of: NotRequired[Day]
    known_at: NotRequired[Moment]


@with_config(STRICT)
class ItemQuery(Facets):
    entity: NotRequired[str]
    cursor: NotRequired[str]
    page_size: NotRequired[PageSize]
    ids: NotRequired[str]
    expand: NotRequired[str]


class Narrowing(Facets):
    """What ranked reads take besides: ``max_age`` is in days before ``as_of``, else ``known_at``, else today."""

    include_historical: NotRequired[bool]
    min_support: NotRequired[Support]
    max_age: NotRequired[Annotated[int, Field(ge=0, le=100_000)]]


@with_config(STRICT)
class SearchQuery(Narrowing):
    q: str
    entity: NotRequired[str]
    limit: NotRequired[PageSize]
    include_entities: NotRequired[bool]
    include_chunks: NotRequired[bool]


@with_config(STRICT)
class RecallRequest(Narrowing):
    query: str
    entity: NotRequired[str]
    min_hits: NotRequired[Annotated[int, Field(ge=1, le=200)]]
    limit: NotRequired[PageSize]


@with_config(STRICT)
class WalkRequest(Narrowing):
    """``entity``, an id or a name, is where the walk starts."""

    entity: Annotated[str, Field(min_length=1, max_length=300)]
    query: str
    budget: NotRequired[PageSize]
    beam: NotRequired[Annotated[int, Field(ge=1, le=50)]]


@with_config(STRICT)
class NeighborsQuery(Narrowing):
    """``entity``, an id or a name, is the one in the middle."""

    entity: Annotated[str, Field(min_length=1, max_length=300)]
    depth: NotRequired[Annotated[int, Field(ge=1, le=2)]]
    limit: NotRequired[PageSize]


@with_config(STRICT)
class RelationshipQuery(Narrowing):
    """``entity``, an id or a name, is one of the two that are joined."""

    entity: NotRequired[Annotated[str, Field(min_length=1, max_length=300)]]
    cursor: NotRequired[str]
    page_size: NotRequired[PageSize]


@with_config(STRICT)
class Reference(TypedDict):
    """What a caller holds of a statement; every part that is given must still be so."""

    item_id: Annotated[str, Field(max_length=40)]
    evidence_id: NotRequired[Annotated[str, Field(max_length=40)]]
    source_id: NotRequired[Annotated[str, Field(max_length=40)]]
    version: NotRequired[Annotated[str, Field(max_length=64)]]
    start: NotRequired[Annotated[int, Field(ge=0)]]
    end: NotRequired[Annotated[int, Field(ge=0)]]
    excerpt_hash: NotRequired[Annotated[str, Field(max_length=64)]]


@with_config(STRICT)
class ReferencesCheck(TypedDict):
    references: Annotated[list[Reference], Field(max_length=200)]
    include_historical: NotRequired[bool]
    band: NotRequired[Band]


@with_config(STRICT)
class StandingCheck(TypedDict):
    references: Annotated[list[Reference], Field(max_length=200)]
    band: NotRequired[Band]


type Epistemic = Literal["observation", "inference", "preference", "commitment", "hypothesis"]


@with_config(STRICT)
class NewItem(TypedDict):
    """A statement a person makes; without ``evidence`` nothing but their word stands for it."""

    statement: Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_printable)]
    subject: Name
    attribute: Name
    value: Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_printable)]
    object_entity: NotRequired[Name]
    polarity: NotRequired[Literal["positive", "negative"]]
    epistemic: NotRequired[Epistemic]
    source_type: NotRequired[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]]
    confidence: NotRequired[Annotated[float, Field(ge=0, le=1)]]
    valid_from: NotRequired[Day | None]
    evidence: NotRequired["NewEvidence | None"]
    actor: NotRequired[Name]


@with_config(STRICT)
class ItemPatch(TypedDict):
    """What may change of a statement made by hand; its words, subject, attribute and value are what it is."""

    confidence: NotRequired[Annotated[float, Field(ge=0, le=1)]]
    valid_from: NotRequired[Day | None]
    evidence: NotRequired["NewEvidence"]
    epistemic: NotRequired[Epistemic]
    actor: NotRequired[Name]
    notes: NotRequired[Annotated[str, Field(max_length=2000)]]


@with_config(STRICT)
class NewEvidence(TypedDict):
    """A span of a stored text of this base, in code points."""

    source_id: Annotated[str, Field(max_length=40)]
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]


@with_config(STRICT)
class EntityQuery(ListQuery):
    q: NotRequired[str]


@with_config(STRICT)
class TrailQuery(ListQuery):
    """``since`` counts itself, ``until`` does not; ``actor`` is a part of a name."""

    actor: NotRequired[Annotated[str, Field(max_length=200)]]
    since: NotRequired[Moment]
    until: NotRequired[Moment]


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
    format: Literal["jsonl", "anthill", "obsidian"]


@with_config(STRICT)
class ApplyImport(TypedDict):
    actor: NotRequired[Annotated[str, Field(max_length=200)]]


@with_config(STRICT)
class OriginQuery(ListQuery):
    id: NotRequired[Annotated[str, Field(max_length=40)]]
    origin_id: NotRequired[Annotated[str, Field(max_length=40)]]
