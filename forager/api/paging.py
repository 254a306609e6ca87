"""Keyset paging: a cursor is the sort key of the last row, opaque to callers; order is stable, ties break on the id."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Model, Q, QuerySet

from forager.api.errors import ValidationFailed
from forager.api.shapes import Page

MAX_PAGE = 200


def encode(key: Sequence[object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(key), default=str).encode()).decode().rstrip("=")


def decode(cursor: str, length: int) -> list[Any]:
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error) as error:
        raise ValidationFailed(fields={"cursor": "not a cursor of this list"}) from error
    if not isinstance(key, list) or len(key) != length:
        raise ValidationFailed(fields={"cursor": "not a cursor of this list"})
    return key


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
        rows = rows.filter(_after(order, decode(cursor, len(order))))
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
