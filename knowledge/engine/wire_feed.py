"""Wire to records: the feed. One entry that cannot be read never costs the others."""

import hashlib
import json
import re

from knowledge.engine.wire import MalformedWireError, Row
from knowledge.records import FeedEvent, FeedPage, UnreadableEvent

PROTOCOL_VERSION = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,79}")
PAYLOAD_LIMIT = 20_000
"""Characters of one entry that are kept."""


def read_feed(value: object) -> FeedPage:
    row = Row(value, "feed")
    return FeedPage(tuple(_entry(entry) for entry in row.items("events")), row.id("next_cursor"))


def read_entry(payload: str) -> FeedEvent | UnreadableEvent:
    """An entry that was kept, read once more."""
    try:
        return _entry(json.loads(payload))
    except ValueError:
        return UnreadableEvent("The entry was too long to be kept whole.", _digest(payload), payload)


def _entry(value: object) -> FeedEvent | UnreadableEvent:
    payload = json.dumps(value, sort_keys=True, separators=(",", ":"))
    digest, kept = _digest(payload), payload[:PAYLOAD_LIMIT]
    try:
        return _event(Row(value, "event"), digest, kept)
    except MalformedWireError as error:
        return UnreadableEvent(f"It does not have the agreed shape: {error}.", digest, kept)


def _digest(payload: str) -> str:
    return hashlib.sha256(payload.encode()).hexdigest()


def _event(row: Row, digest: str, payload: str) -> FeedEvent:
    protocol = row.number("protocol_version")
    if protocol != PROTOCOL_VERSION:
        raise MalformedWireError(f"event.protocol_version is {protocol}, this build reads {PROTOCOL_VERSION}")
    occurred = row.moment("occurred_at")
    if occurred is None:
        raise MalformedWireError("event.occurred_at is not a time")
    sequence = row.number("sequence")
    if sequence < 0:
        raise MalformedWireError("event.sequence is below zero")
    return FeedEvent(
        id=_name(row, "event_id"),
        type=_name(row, "event_type"),
        instance_id=_name(row, "producer_instance_id"),
        generation=_name(row, "producer_generation"),
        base_id=_name(row, "source_project_id"),
        sequence=sequence,
        view_id=_maybe_name(row, "view_id"),
        revision_id=_maybe_name(row, "revision_id"),
        causation_id=_maybe_name(row, "causation_id"),
        origin=_maybe_name(row, "origin_kind"),
        occurred_at=occurred,
        digest=digest,
        payload=payload,
    )


def _name(row: Row, name: str) -> str:
    """Ids and kinds go into rows and addresses: nothing but letters, digits and a few marks."""
    value = row.words(name)
    if not NAME.fullmatch(value):
        raise MalformedWireError(f"event.{name} is not a name")
    return value


def _maybe_name(row: Row, name: str) -> str:
    return "" if row.raw(name) in (None, "") else _name(row, name)
