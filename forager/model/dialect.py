"""What the two databases do otherwise, beside search: one room for it, so that no other asks which one there is."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection, transaction

from stores import copies

POSTGRES = "postgresql"
SPOKEN_WORDS = tuple(
    f"forager_{name}"
    for name in (
        *("statement", "evidence", "sourcetext", "mention", "alias", "entity"),
        *("conflict", "conflictside", "decision", "keptanswer"),
    )
)
"""Tables in which words of documents stand."""
READ_MOST = (*SPOKEN_WORDS, "forager_source", "forager_document", "forager_chunk", "forager_conflictmember")


def is_postgres() -> bool:
    return connection.vendor == POSTGRES


def named() -> str:
    """Which database this is, in words."""
    if not is_postgres():
        return f"sqlite {sqlite3.sqlite_version}"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"postgresql {cursor.fetchone()[0].split()[0]}"


def day_of(column: str) -> str:
    """SQL: the day of a time as an ISO date, in UTC."""
    if is_postgres():
        return f"to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    return f"substr({column}, 1, 10)"


def copy_to(path: Path, query: str) -> list[str]:
    """The whole database as of one commit, into a new file, while others read and write.

    Answers what ``query``, of one column, says of that very moment.
    """
    held = connection.settings_dict
    if not is_postgres():
        copies.copy_sqlite(Path(held["NAME"]), path)
        with closing(sqlite3.connect(path)) as copy:
            return [told for (told,) in copy.execute(query)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        cursor.execute(query)
        found = [told for (told,) in cursor.fetchall()]
        copies.dump_postgres(held, path, snapshot=snapshot)
    return found


def has_tables() -> bool:
    """Whether there is a store already, or something else; a database that is not there yet has none."""
    if not is_postgres():
        return Path(connection.settings_dict["NAME"]).exists()
    return bool(connection.introspection.table_names())


def make_out_of(copy: Path, changes: Sequence[str]) -> None:
    """The database out of a copy, changed by ``changes`` before anybody sees it; all of it, or nothing."""
    if is_postgres():
        connection.close()
        copies.load_postgres(connection.settings_dict, copy, then="".join(f"{each};\n" for each in changes))
        return
    with closing(sqlite3.connect(copy)) as file, file:
        for each in changes:
            file.execute(each)
    copy.replace(connection.settings_dict["NAME"])


def erase_thoroughly() -> None:
    """Before rows with words of documents are deleted: freed pages are overwritten, not only forgotten."""
    if not is_postgres():
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def erased() -> None:
    """After the commit: old pages go from the log of changes, or from the tables themselves.

    PostgreSQL's own log and its backups are the database's to keep; ``VACUUM`` leaves what somebody still reads.
    """
    if connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        if is_postgres():
            with suppress(DatabaseError):  # a later vacuum, the database's own, does the same
                cursor.execute(f"VACUUM {', '.join(SPOKEN_WORDS)}")
        else:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def counted_anew() -> None:
    """After the commit of many rows: PostgreSQL plans by what it counted last, which would tell it of none for up to a
    minute, and a plan for few reads all of them. SQLite plans by rule."""
    if is_postgres() and not connection.in_atomic_block:
        with connection.cursor() as cursor, suppress(DatabaseError):
            cursor.execute(f"ANALYZE {', '.join(READ_MOST)}")


def damage() -> Iterator[tuple[str, str, str]]:
    """(kind, what, detail) of what the database itself finds wrong; PostgreSQL checks pages as it reads them."""
    if is_postgres():
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check")
        for (line,) in cursor.fetchall():
            if line != "ok":
                yield "database_damaged", "engine.sqlite3", str(line)
        cursor.execute("PRAGMA foreign_key_check")
        for table, *_ in cursor.fetchall():
            yield "reference_broken", str(table), ""


def attempted() -> AbstractContextManager[Any]:
    """Around a read that may fail: PostgreSQL would answer nothing more in the transaction it failed in."""
    return transaction.atomic() if is_postgres() and connection.in_atomic_block else nullcontext()


def alone(what: str) -> None:
    """Inside a transaction: nobody else is in the part of this name until its end. SQLite has one writer anyway."""
    if is_postgres():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [_named(what)])


@contextmanager
def waited_for(what: str) -> Iterator[None]:
    """Over several transactions: whoever else wants the same waits."""
    if not is_postgres():
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '15min'")  # what is waited for may be the migration of a large store
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [_named(what)])
        cursor.execute("RESET lock_timeout")
    try:
        yield
    finally:
        _let_go(what)


@contextmanager
def taken(what: str) -> Iterator[bool]:
    """Over several transactions: whether we are the first who want it; it is ours until the end, or until we die."""
    if not is_postgres():
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [_named(what)])
        is_ours = bool(cursor.fetchone()[0])
    try:
        yield is_ours
    finally:
        if is_ours:
            _let_go(what)


def _let_go(what: str) -> None:
    with suppress(DatabaseError), connection.cursor() as cursor:  # a lost connection has let go of it already
        cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [_named(what)])


def _named(what: str) -> str:
    return f"forager:{what}"
