"""What may be seen, as conditions of a query: over a statement ``s``, or over a source ``o`` of a document ``d``.

When a statement began to hold: the day its sentence names, else the date of its oldest document, else the date that is
its value. A superseded one ended when its successor began, or with the date of the next version of its document.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from forager.model import dialect, states
from forager.model.models import KnowledgeBase, Statement
from forager.search import plain
from forager.search.backend import HIDDEN, HISTORICAL, READABLE, Where

type Value = str | int
COLUMNS = ("type", "support", "status", "attribute_key", "review_status", "subject")
FACETS = (*COLUMNS, "entity", "source", "document", "path", "effective_from", "effective_to")
OF_SOURCES = ("source", "document", "path")
"""Facets a chunk has, too."""

_TOLD = (
    "FROM forager_evidence e JOIN forager_source o ON o.id = e.source_id "
    "JOIN forager_document d ON d.id = o.document_id WHERE e.item_id = {s}.item_id AND e.base_id = {s}.base_id "
    "AND e.rev_from <= %s AND (e.rev_to IS NULL OR e.rev_to > %s)"
)
_BEGAN = (
    "COALESCE(NULLIF({s}.frame ->> 'valid_from', ''), "
    f"(SELECT min(o.document_date) {_TOLD} AND o.document_date <> ''), NULLIF({{s}}.effective_date, ''), '')"
)
_NEXT_VERSION = (
    "(SELECT min(n.document_date) FROM forager_source n WHERE n.document_id = o.document_id "
    "AND n.sequence > o.sequence AND n.document_date <> '' AND n.processing_status NOT IN ('invalid', 'quarantined'))"
)
_RULED_BEFORE = (
    "EXISTS (SELECT 1 FROM forager_decision x JOIN forager_conflict c ON c.conflict_id = x.target_id "
    "JOIN forager_conflictside g ON g.conflict_id = c.id JOIN forager_conflictmember m ON m.side_id = g.id "
    "WHERE x.base_id = s.base_id AND x.kind = 'ruling' AND x.action = 'choose_side' AND x.state = 'standing' "
    "AND x.decided_at <= %s AND m.item_id = s.item_id)"
)


@dataclass(slots=True)
class Clauses:
    """Conditions joined by AND, with their values in order."""

    sql: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def add(self, sql: str, *values: Value) -> None:
        self.sql.append(sql)
        self.values.extend(values)

    def one_of(self, column: str, allowed: Iterable[str]) -> None:
        listed = tuple(allowed)
        self.add(f"{column} IN ({','.join(['%s'] * len(listed))})", *listed)

    @property
    def text(self) -> str:
        return " AND ".join(self.sql) or "TRUE"


def statements(where: Where) -> Clauses:
    revision = where.base.current_revision
    found = Clauses()
    found.add("s.base_id = %s", where.base.pk)
    found.add("s.rev_from <= %s AND (s.rev_to IS NULL OR s.rev_to > %s)", revision, revision)
    _status(found, where)
    if where.supports:
        found.one_of("s.support", where.supports)
    if where.band:
        told = f"EXISTS (SELECT 1 {_TOLD.format(s='s')} AND d.band = %s AND d.state IN {_listed(states.SPEAKS)})"
        found.add(told, revision, revision, where.band)
    if where.as_of:
        found.add(f"{_BEGAN.format(s='s')} <= %s", revision, revision, where.as_of)
        last = "COALESCE(NULLIF(s.frame ->> 'valid_to', ''), '9999')"
        found.add(f"{last} || '~' >= %s", where.as_of)
    if where.fresh_since:
        day = f"CASE WHEN o.document_date <> '' THEN o.document_date ELSE {dialect.day_of('o.registered_at')} END"
        newest = f"(SELECT max({day}) {_TOLD.format(s='s')})"
        found.add(f"COALESCE({newest}, {dialect.day_of('s.recorded_at')}) >= %s", revision, revision, where.fresh_since)
    _facets(found, where)
    return found


def readable(where: Where) -> QuerySet[Statement]:
    """The same conditions as a queryset, for lists that are ordered otherwise than by rank."""
    return queryset(statements(where))


def not_withheld(base: KnowledgeBase) -> Clauses:
    """Every other status: what a person may look through."""
    found = Clauses()
    found.add("s.base_id = %s", base.pk)
    found.add(plain.seen("s"), base.current_revision, base.current_revision)
    found.add(f"s.status NOT IN {_listed(HIDDEN)}")
    return found


def queryset(found: Clauses) -> QuerySet[Statement]:
    text = re.sub(r"\bs\.", "forager_statement.", found.text)
    return Statement.objects.extra(where=[text], params=found.values)  # noqa: S610 - own words, values apart


def chunks(where: Where) -> Clauses:
    """Only documents that feed ranking, at the version that stood then."""
    found = Clauses()
    found.one_of("d.state", ("active", "degraded"))
    if where.known_at:
        revision = where.base.current_revision
        newer = "SELECT 1 FROM forager_source n WHERE n.document_id = o.document_id AND n.sequence > o.sequence"
        found.add("o.published_revision <= %s", revision)
        found.add(f"NOT EXISTS ({newer} AND n.published_revision <= %s)", revision)
    elif where.as_of:
        found.one_of("o.processing_status", ("indexed", "stale"))
        found.add(f"(o.superseded_by = '' OR COALESCE({_NEXT_VERSION}, '') > %s)", where.as_of)
        found.add("o.document_date <= %s", where.as_of)
    else:
        found.add("o.superseded_by = '' AND o.processing_status = 'indexed'")
    if where.band:
        found.add("d.band = %s", where.band)
    if where.fresh_since:
        found.add(
            f"COALESCE(NULLIF(o.document_date, ''), {dialect.day_of('o.registered_at')}) >= %s", where.fresh_since
        )
    for name in OF_SOURCES:
        if name in where.facets:
            found.add(f"{_OF_SOURCE[name]} = %s", where.facets[name])
    return found


def reaches_sources(where: Where) -> bool:
    """Whether chunks can meet every condition asked for."""
    return not set(where.facets) - set(OF_SOURCES)


def stored_time(at: datetime) -> str:
    """A time as this database writes it."""
    return str(connection.ops.adapt_datetimefield_value(at))


def _status(found: Clauses, where: Where) -> None:
    revision = where.base.current_revision
    allowed = READABLE + HISTORICAL if where.include_historical or "status" in where.facets else READABLE
    standing = f"s.status IN {_listed(allowed)}"
    if where.known_at:
        at = stored_time(where.known_at)
        found.add("s.recorded_at <= %s", at)
        newer = "SELECT 1 FROM forager_source n WHERE n.document_id = o.document_id AND n.sequence > o.sequence"
        current = f"EXISTS (SELECT 1 {_TOLD.format(s='s')} AND NOT EXISTS ({newer} AND n.published_revision <= %s))"
        then = f"s.superseded_by = '' AND {current} OR s.superseded_by <> '' AND NOT {_RULED_BEFORE}"
        values: tuple[Value, ...] = (revision, revision, revision, at)
        found.add(f"({standing} OR s.status = 'superseded' AND ({then}))", *values)
        rested, told = f"SELECT 1 {_TOLD.format(s='s')}", f"AND d.state NOT IN {_listed(states.OFF)}"
        found.add(f"(EXISTS ({rested} {told}) OR NOT EXISTS ({rested}))", *[revision] * 4)
    elif where.as_of:
        successor = "FROM forager_statement t WHERE t.item_id = s.superseded_by AND t.rev_from <= %s"
        by_ruling = f"(SELECT {_BEGAN.format(s='t')} {successor} AND (t.rev_to IS NULL OR t.rev_to > %s) LIMIT 1)"
        by_version = f"(SELECT max(COALESCE({_NEXT_VERSION}, '')) {_TOLD.format(s='s')})"
        ended = f"COALESCE(CASE WHEN s.superseded_by <> '' THEN {by_ruling} ELSE {by_version} END, '')"
        found.add(f"({standing} OR s.status = 'superseded' AND {ended} > %s)", *[revision] * 6, where.as_of)
    else:
        found.add(standing)


_OF_SOURCE: Mapping[str, str] = {"source": "o.id", "document": "o.document_id", "path": "o.path"}


def _listed(words: Iterable[str]) -> str:
    """Words of this program as an SQL list."""
    return "(" + ",".join(f"'{word}'" for word in words) + ")"


_RESTS_ON = (
    "(s.base_id, s.item_id) IN (SELECT e.base_id, e.item_id FROM forager_evidence e "
    "JOIN forager_source o ON o.id = e.source_id JOIN forager_document d ON d.id = o.document_id "
    "WHERE {column} = %s AND e.rev_from <= %s AND (e.rev_to IS NULL OR e.rev_to > %s) AND d.state NOT IN {off})"
)
_NAMES = (
    "(s.base_id, s.item_id) IN (SELECT m.base_id, m.item_id FROM forager_mention m WHERE m.entity_id = %s "
    "AND m.rev_from <= %s AND (m.rev_to IS NULL OR m.rev_to > %s))"
)
"""Sets found from their own end, once: asking each statement whether it is in one reads the whole base."""


def _facets(found: Clauses, where: Where) -> None:
    revision = where.base.current_revision
    for name, value in where.facets.items():
        if name in COLUMNS:
            same = "lower(s.subject) = lower(%s)" if name == "subject" else f"s.{name} = %s"
            found.add(same, value)
        elif name in OF_SOURCES:
            found.add(_RESTS_ON.format(column=_OF_SOURCE[name], off=_listed(states.OFF)), value, revision, revision)
        elif name == "entity":
            found.add(_NAMES, value, revision, revision)
        elif name == "effective_from":
            found.add("s.effective_date <> '' AND s.effective_date >= %s", value)
        elif name == "effective_to":
            found.add("s.effective_date <> '' AND s.effective_date <= %s", value)
