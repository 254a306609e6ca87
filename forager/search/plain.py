"""Plain rows of a plain query: ranking reads many small ones, and what is asked most should cost least."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from forager.model import dialect

type Given = str | int | list[str] | list[int]


def fetch(sql: str, values: Sequence[Given]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def marks(values: Sequence[object]) -> str:
    """As many placeholders as there are values, for ``IN (…)``; nothing is in an empty list."""
    return ",".join(["%s"] * len(values)) or "NULL"


def among(column: str, values: list[str] | list[int]) -> tuple[str, Given]:
    """A condition and its one value, however many there are: the database knows the query from the last time."""
    if dialect.is_postgres():
        return f"{column} = ANY(%s)", values
    return f"{column} IN (SELECT value FROM json_each(%s))", json.dumps(values)  # noqa: S608 - own names


def keys(values: list[str] | list[int]) -> tuple[str, Given]:
    """What to join rows to by ``ON … = k.value``, and its one value: they are found by their keys, whatever else the
    conditions would offer as a way in."""
    if dialect.is_postgres():
        kind = "bigint" if values and isinstance(values[0], int) else "text"
        return f"unnest(%s::{kind}[]) AS k(value) JOIN", values
    return "json_each(%s) k CROSS JOIN", json.dumps(values)


SEEN = "{0}rev_from <= %s AND ({0}rev_to IS NULL OR {0}rev_to > %s)"
"""A row that readers of a revision see; the revision goes in twice."""


def seen(alias: str = "") -> str:
    return SEEN.format(f"{alias}." if alias else "")


def joined_in_order() -> str:
    """A join that starts with what stands before it; PostgreSQL finds the order by itself."""
    return "JOIN" if dialect.is_postgres() else "CROSS JOIN"
