"""The feed: what was published, changed its standing, or was exported. At least once, in order, from a cursor."""

import base64
import binascii
import json
from typing import Annotated

from pydantic import Field, TypeAdapter

from forager.api import shapes
from forager.api.access import Scope
from forager.api.endpoint import Call, endpoint
from forager.api.errors import CursorExpired, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339
from forager.model.bases import Store
from forager.model.feed import FeedEvent
from forager.model.models import Revision

PROTOCOL_VERSION = 1
CANONICAL_SCHEMA_VERSION = 1
DEFAULT_LIMIT = 100
CURSOR = TypeAdapter(tuple[str, Annotated[int, Field(strict=True, ge=0, lt=1 << 62)]])


@endpoint("GET", "/feed", Scope.READ, query=shapes.FeedQuery, answer=shapes.Feed, errors=(410,))
def get_feed(call: Call[shapes.FeedQuery, None]) -> shapes.Feed:
    """Events after `cursor`, oldest first; without one from the oldest kept. An expired cursor is 410."""
    store = Store.objects.get()
    after = _place(call.query.get("cursor", ""), store)
    rows = FeedEvent.objects.filter(id__gt=after)
    if "project" in call.query:
        rows = rows.filter(base=call.base(call.query["project"]))
    elif call.caller.base_ids is not None:
        rows = rows.filter(base__in=call.caller.base_ids)
    found = list(rows.order_by("id")[: call.query.get("limit", DEFAULT_LIMIT)])
    return {
        "events": [shape(event, store) for event in found],
        "next_cursor": encode(store, found[-1].pk if found else after),
    }


@endpoint("GET", "/projects/<base>/revisions", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_revisions(call: Call[shapes.ListQuery, None], base: str) -> shapes.Page:
    """What was published of a base, newest first."""
    row = call.base(base)
    return paginate(
        Revision.objects.filter(base=row),
        ("-published_at", "-id"),
        lambda found: [_revision(r) for r in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
        view_id=row.view_id,
    )


def encode(store: Store, place: int) -> str:
    told = json.dumps([store.generation, place])
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def _place(cursor: str, store: Store) -> int:
    """Where the cursor stands, or 410 with the oldest cursor there is when events after it are gone or not ours."""
    if not cursor:
        return store.feed_pruned_to
    try:
        generation, place = CURSOR.validate_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error) as error:
        raise ValidationFailed(fields={"cursor": "not a cursor of the feed"}) from error
    if generation != store.generation or place < store.feed_pruned_to:
        oldest = encode(store, store.feed_pruned_to)
        raise CursorExpired(fields={"oldest": oldest})
    return place


def shape(event: FeedEvent, store: Store) -> shapes.FeedEvent:
    return {
        "protocol_version": PROTOCOL_VERSION,
        "event_id": event.event_id,
        "event_type": event.type,
        "producer_instance_id": store.instance_id,
        "producer_generation": event.producer_generation,
        "source_project_id": event.base_id,
        "sequence": event.pk,
        "view_id": event.view_id,
        "revision_id": event.revision_id or None,
        "canonical_schema_version": CANONICAL_SCHEMA_VERSION,
        "logical_content_hash": event.logical_content_hash or None,
        "publication_status": "complete",
        "job_id": event.job_id or None,
        "occurred_at": rfc3339(event.occurred_at),
        "origin_kind": event.origin_kind,
        "causation_id": event.causation_id or None,
        "export_id": event.export_id or None,
        "package_digest": event.package_digest or None,
    }


def _revision(row: Revision) -> shapes.Revision:
    return {
        "id": row.pk,
        "project_id": row.base_id,
        "sequence": row.sequence,
        "logical_content_hash": row.logical_content_hash,
        "completeness": row.completeness,
        "job_id": row.job_id,
        "added": row.added,
        "changed": row.changed,
        "superseded": row.superseded,
        "withdrawn": row.withdrawn,
        "published_at": rfc3339(row.published_at),
    }
