"""What an engine tells of its bases, event by event."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """One event. ``sequence`` grows within a generation; ``view_id`` is the base's state after it.

    ``payload`` is the event as canonical JSON, ``digest`` its SHA-256: the same event is told in the same bytes.
    """

    id: str
    type: str
    instance_id: str
    generation: str
    base_id: str
    sequence: int
    view_id: str
    revision_id: str
    causation_id: str
    origin: str
    occurred_at: datetime
    digest: str
    payload: str


@dataclass(frozen=True, slots=True)
class UnreadableEvent:
    """An entry of the feed that is no event this build can read; it is kept for a person and stops nothing."""

    reason: str
    digest: str
    payload: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """``next_cursor`` acknowledges the page: it is asked with only after its entries are stored."""

    entries: tuple[FeedEvent | UnreadableEvent, ...]
    next_cursor: str
