"""From what a request asks to what may be seen: the base at the time asked about, and the conditions on it."""

import copy
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import cast

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from forager.api import shapes
from forager.api.errors import NotFound, ValidationFailed
from forager.model import dialect, storage
from forager.model.models import Entity, KnowledgeBase, Revision
from forager.search import fusion, graph, narrowing
from forager.search.backend import SearchBackend, Where
from forager.search.like import Like

log = structlog.get_logger("forager.index")
SUPPORT_ORDER = ("direct_fact", "supported_inference", "uncertain_inference", "unverified_claim")


def where_of(base: KnowledgeBase, query: shapes.Facets, *, facets: tuple[str, ...] = narrowing.FACETS) -> Where:
    """``facets`` are those of the query that narrow; what else it names of them means something else to the route."""
    asked = cast("shapes.Narrowing", query)
    known_at = moment(query["known_at"]) if "known_at" in query else None
    floor = asked.get("min_support")
    given = {name: str(value) for name, value in query.items() if name in facets}
    where = Where(
        base=at_time(base, known_at) if known_at else base,
        include_historical=asked.get("include_historical", False),
        supports=SUPPORT_ORDER[: SUPPORT_ORDER.index(floor) + 1] if floor else (),
        band=query.get("band", ""),
        facets=given,
        as_of=query.get("as_of", ""),
        known_at=known_at,
        fresh_since=_fresh_since(asked, known_at),
    )
    if "entity" in given and (found := graph.find(where, given["entity"])):
        given["entity"] = found.entity_id
    return where


def at_time(base: KnowledgeBase, at: datetime) -> KnowledgeBase:
    """The base as of the last revision published by then; it is never saved."""
    past = copy.copy(base)
    published = Revision.objects.filter(base=base, published_at__lte=at).order_by("-sequence")
    past.current_revision = published.values_list("sequence", flat=True).first() or 0
    return past


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def entity_of(where: Where, text: str) -> Entity:
    """The entity of an id or name; unknown, foreign and withheld ones are not found."""
    found = graph.find(where, text)
    if found is None:
        raise NotFound
    return found


def question(text: str, field: str) -> str:
    if len(text) > settings.QUERY_CHARS:
        raise ValidationFailed(fields={field: f"at most {settings.QUERY_CHARS} characters"})
    return text


def answered[T](base: KnowledgeBase, ask: Callable[[SearchBackend], T]) -> tuple[SearchBackend, T]:
    """With the index; where it is lost or broken, with a plain look through the rows, and the answer says so."""
    backend = fusion.active()
    try:
        with dialect.attempted():
            return backend, ask(backend)
    except DatabaseError as error:
        if storage.trouble(error) in (storage.BUSY, storage.UNREACHABLE):
            raise
        log.warning("index_unusable", base=base.pk, kind=type(error).__name__)
        fallback = Like()
        return fallback, ask(fallback)


def _fresh_since(query: shapes.Narrowing, known_at: datetime | None) -> str:
    if "max_age" not in query:
        return ""
    day = date.fromisoformat(query["as_of"]) if "as_of" in query else (known_at or timezone.now()).date()
    try:
        return (day - timedelta(days=query["max_age"])).isoformat()
    except OverflowError:
        return ""
