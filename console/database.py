"""Which database the console has, and what the two kinds do otherwise. No other module asks which one there is."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from django.db import DatabaseError, connection, transaction

from stores.address import Place


def place(folder: Path) -> Place:
    return Place("anthill-console", "database_url", folder / "console.sqlite3", busy_seconds=20, keep_seconds=60)


def erase_thoroughly(tables: Sequence[str]) -> None:
    """Inside a transaction that empties rows of the tables: the old words are overwritten, not only forgotten."""
    if connection.vendor == "postgresql":
        transaction.on_commit(lambda: _vacuum(tables))
    else:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def _vacuum(tables: Sequence[str]) -> None:
    if not connection.in_atomic_block:
        with suppress(DatabaseError), connection.cursor() as cursor:  # the database's own, later, does the same
            cursor.execute(f"VACUUM {', '.join(tables)}")
