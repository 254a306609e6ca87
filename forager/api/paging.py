"""Keyset paging: a cursor is the sort key of the last row, opaque to callers; order is stable, ties break on the id."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import DateTimeField, Model, Q, QuerySet

from forager.api.errors import ValidationFailed
from forager.api.shapes import Page

MAX_PAGE = 200


def encode(key: Sequence[object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(key), default=str).encode()).decode().rstrip("=")


def decode(cursor: str, is_time: Sequence[bool]) -> list[Any]:
    """The sort key in the cursor, one part for each of its columns; anything else is no cursor of this list."""
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return [_part(value, time) for value, time in zip(key, is_time, strict=True)]
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise ValidationFailed(fields={"cursor": "not a cursor of this list"}) from error


def _part(value: object, is_time: bool) -> object:
    """Every part was written as text that can be stored; a time carries its zone."""
    if not isinstance(value, str):
        raise TypeError("not text")
    value.encode()
    if "\0" in value:
        raise ValueError("a character that is in no text of ours")
    if not is_time:
        return value
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError("a time without its zone")
    return at


def paginate[M: Model](
    rows: QuerySet[M],
    order: Sequence[str],
    present: Callable[[list[M]], Sequence[Any]],
    *,
    cursor: str,
    page_size: int,
    total: int | None = None,
    view_id: str = "",
) -> Page:
    """One page of ``rows`` sorted by ``order`` (field names, ``-`` for descending, the last one unique)."""
    if cursor:
        columns = [rows.model._meta.get_field(name.lstrip("-")) for name in order]
        rows = rows.filter(_after(order, decode(cursor, [isinstance(c, DateTimeField) for c in columns])))
    found = list(rows.order_by(*order)[: page_size + 1])
    more, found = len(found) > page_size, found[:page_size]
    return {
        "items": list(present(found)),
        "next_cursor": encode([_value(found[-1], name) for name in order]) if more else None,
        "page_size": page_size,
        "total": total,
        "view_id": view_id,
    }


def _value(row: Model, name: str) -> object:
    value = getattr(row, name.lstrip("-"))
    return value.isoformat() if hasattr(value, "isoformat") else value


def _after(order: Sequence[str], key: Sequence[Any]) -> Q:
    """Rows strictly after ``key`` in the lexicographic order of ``order``."""
    after = Q()
    for at, name in enumerate(order):
        field, op = name.lstrip("-"), "lt" if name.startswith("-") else "gt"
        level = Q(**{f"{field}__{op}": key[at]})
        for earlier in range(at):
            level &= Q(**{order[earlier].lstrip("-"): key[earlier]})
        after |= level
    return after
