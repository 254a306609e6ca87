"""Statements as search reads them: the columns an answer shows, without what it takes to save them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from forager.model.models import Statement
from forager.search import plain


class StatementRow(NamedTuple):
    """The fields of a ``Statement`` under the same names."""

    pk: int
    item_id: str
    base_id: str
    type: str
    text: str
    title: str
    subject: str
    subject_origin: str
    attribute_key: str
    attribute_value: str
    support: str
    support_reason: str
    confidence: float
    status: str
    review_status: str
    superseded_by: str
    effective_date: str
    extractor_name: str
    extractor_version: str
    frame: Any
    entries: Any
    flags: Any
    recorded_at: datetime


type Told = Statement | StatementRow
COLUMNS = ", ".join(["s.id", *(f"s.{name}" for name in StatementRow._fields[1:])])


def read(pks: list[int]) -> dict[int, StatementRow]:
    these, listed = plain.among("s.id", pks)
    return {row.pk: row for row in where(these, [listed])} if pks else {}


def where(condition: str, values: Sequence[plain.Given]) -> list[StatementRow]:
    """Those of the statements ``s`` that meet it, in no order."""
    return [_read(row) for row in plain.fetch(f"SELECT {COLUMNS} FROM forager_statement s WHERE {condition}", values)]  # noqa: S608


def _read(row: tuple[Any, ...]) -> StatementRow:
    *others, frame, entries, flags, at = row
    read = (json.loads(frame) if frame else None, _listed(entries), _listed(flags))
    return StatementRow._make([*others, *read, at if at.tzinfo else at.replace(tzinfo=UTC)])


def _listed(text: str) -> Any:
    """Most have none."""
    return [] if text == "[]" else json.loads(text)
