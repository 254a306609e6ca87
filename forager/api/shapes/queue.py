"""The review queue, one conflict with all that a ruling needs, and rulings on many."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from forager.api.shapes.documents import Source
from forager.api.shapes.requests import STRICT, ListQuery, Name
from forager.api.shapes.review import Conflict, Discriminator, ReviewEvent

Tab = Literal["open", "assigned", "maybe", "solved"]
Kind = Literal["attribute_mismatch", "contradiction", "duplicate_source"]
Key = Annotated[str, Field(min_length=1, max_length=200)]
MOST_AT_ONCE = 100


@with_config(STRICT)
class QueueQuery(ListQuery):
    """``attribute`` is a part of the key, ``older_than`` whole days, ``after`` a conflict to go on behind.

    ``ids`` (comma-separated) asks for exactly these, whatever else is asked.
    """

    tab: NotRequired[Tab]
    type: NotRequired[Kind]
    attribute: NotRequired[Annotated[str, Field(max_length=200)]]
    assignee: NotRequired[Annotated[str, Field(max_length=200)]]
    min_sources: NotRequired[Annotated[int, Field(ge=0, le=1000)]]
    older_than: NotRequired[Annotated[int, Field(ge=0, le=100_000)]]
    after: NotRequired[str]
    ids: NotRequired[Annotated[str, Field(max_length=6000)]]


@with_config(STRICT)
class BriefQuery(TypedDict):
    """The queue one walks through, as in ``QueueQuery``."""

    tab: NotRequired[Tab]
    type: NotRequired[Kind]
    attribute: NotRequired[Annotated[str, Field(max_length=200)]]
    assignee: NotRequired[Annotated[str, Field(max_length=200)]]
    min_sources: NotRequired[Annotated[int, Field(ge=0, le=1000)]]
    older_than: NotRequired[Annotated[int, Field(ge=0, le=100_000)]]


class Weight(TypedDict):
    """``risk`` = (1 + ``served``) × ``uncertainty`` × ``days``; uncertainty and risk are hundredths."""

    served: int
    uncertainty: int
    days: int
    risk: int
    sources: int


class Queued(Conflict):
    weight: Weight
    awaits_second: str | None


class Ruled(Conflict):
    """The conflict after a ruling: ``outcome`` as in ``RulingOutcome``, ``decision_id`` the ruling that stands now."""

    decision_id: str | None
    outcome: Literal["recorded", "awaiting", "parted"]
    message: str


class Record(TypedDict):
    rulings: int
    undone: int
    with_suggestion: int
    as_suggested: int


class QueueCounts(TypedDict):
    tabs: dict[str, int]
    types: dict[str, int]
    assignees: dict[str, int]


class Queue(TypedDict):
    items: list[Queued]
    next_cursor: str | None
    page_size: int
    total: int
    view_id: str
    counts: QueueCounts
    record: Record
    second_look: bool


class Passage(TypedDict):
    """An excerpt in its surroundings: ``state`` is whole, moved (the text has other words there) or missing."""

    evidence_id: str
    before: str
    after: str
    state: Literal["whole", "moved", "missing"]


class ChangeShape(TypedDict):
    status: str
    item_ids: list[str]


class PreviewShape(TypedDict):
    """What one ruling would change; ``side_id`` is null for rulings that choose none."""

    action: str
    side_id: str | None
    changes: list[ChangeShape]


class ReachShape(TypedDict):
    packages: int
    agents: list[str]
    exports: int


class PlaceShape(TypedDict):
    position: int
    total: int
    before: str | None
    after: str | None


class Brief(TypedDict):
    """``decision_id`` is the standing ruling, for taking exactly that one back."""

    project_id: str
    conflict: Conflict
    weight: Weight
    passages: list[Passage]
    sources: list[Source]
    trail: list[ReviewEvent]
    previews: list[PreviewShape]
    reach: ReachShape
    place: PlaceShape
    decision_id: str | None
    second_look: bool
    awaits_second: str | None
    view_id: str


@with_config(STRICT)
class ResolveOne(TypedDict):
    conflict_id: str
    expected_digest: str
    side_id: NotRequired[str]


@with_config(STRICT)
class ResolveMany(TypedDict):
    """One ruling for exactly these conflicts, each bound to the digest it was read with."""

    items: Annotated[list[ResolveOne], Field(min_length=1, max_length=MOST_AT_ONCE)]
    action: Literal["choose_side", "both", "neither", "not_a_conflict", "needs_evidence"]
    discriminator: NotRequired[Discriminator]
    assignee: NotRequired[Annotated[str, Field(max_length=200)]]
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Name
    actor_key: NotRequired[Key]


class RulingOutcome(TypedDict):
    conflict_id: str
    outcome: Literal["recorded", "awaiting", "parted", "refused"]
    message: str
    decision_id: str | None


class ResolvedMany(TypedDict):
    project_id: str
    outcomes: list[RulingOutcome]
    view_id: str


@with_config(STRICT)
class Serve(TypedDict):
    """A context package that was handed to an agent; its id makes telling it twice harmless."""

    package_id: Key
    agent: Name
    item_ids: Annotated[list[str], Field(min_length=1, max_length=500)]


class ServedShape(TypedDict):
    project_id: str
    known: int
