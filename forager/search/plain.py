"""Plain rows of a plain query: ranking reads many small ones, and what is asked most should cost least."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from forager.model import dialect


def fetch(sql: str, values: Sequence[str | int]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def marks(values: Sequence[object]) -> str:
    """As many placeholders as there are values, for ``IN (…)``; nothing is in an empty list."""
    return ",".join(["%s"] * len(values)) or "NULL"


SEEN = "{0}rev_from <= %s AND ({0}rev_to IS NULL OR {0}rev_to > %s)"
"""A row that readers of a revision see; the revision goes in twice."""


def seen(alias: str = "") -> str:
    return SEEN.format(f"{alias}." if alias else "")


def joined_in_order() -> str:
    """A join that starts with what stands before it; PostgreSQL finds the order by itself."""
    return "JOIN" if dialect.is_postgres() else "CROSS JOIN"
