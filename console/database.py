"""Which database the console has, and what the two kinds do otherwise. No other module asks which one there is."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from django.db import DatabaseError, connection, transaction

from console import env
from stores import copies
from stores.address import Place

SIGNED_IN = ("django_session", "people_personsession")
"""Tables that no copy holds rows of: the key of a session opens the console to whoever has it."""
COPY_NAMES = {"sqlite": "console.sqlite3", "postgresql": "console.dump"}


def place(folder: Path) -> Place:
    return Place("anthill-console", "database_url", folder / "console.sqlite3", busy_seconds=20, keep_seconds=60)


def is_there(values: env.Values) -> bool:
    """Whether a console was set up in the data folder, asked without making anything. One with a URL says so itself."""
    file = place(values.path("data_dir")).file
    if values.text("database_url"):
        return True
    if not file.is_file():
        return False
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as held:
        return held.execute("SELECT 1 FROM sqlite_master WHERE name = 'django_migrations'").fetchone() is not None
    return True  # there is something that cannot be read: the command itself says what


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


def kind() -> str:
    """``sqlite`` or ``postgresql``, without asking the database."""
    return "postgresql" if connection.vendor == "postgresql" else "sqlite"


def copy_to(path: Path) -> None:
    """All of it as of one moment, while others read and write, but for who is signed in."""
    held = connection.settings_dict
    if kind() == "postgresql":
        copies.dump_postgres(held, path, without_rows_of=SIGNED_IN)
    else:
        copies.copy_sqlite(_file(), path, without_rows_of=SIGNED_IN)


def what_is_there() -> str:
    """Why nothing can be restored here: what the database is already, in words; empty when it is nothing yet."""
    tables = connection.introspection.table_names() if kind() == "postgresql" or _file().exists() else []
    connection.close()
    if not tables:
        return ""
    return "The database that database_url names has tables" if kind() == "postgresql" else f"{_file()} has tables"


def make_out_of(copy: Path) -> None:
    """Where ``what_is_there`` says nothing. All of it, or nothing."""
    connection.close()
    if kind() == "postgresql":
        copies.load_postgres(connection.settings_dict, copy)
        return
    for left in ("-wal", "-shm"):  # of a database without tables: its log must not be read into another
        _file().with_name(f"{_file().name}{left}").unlink(missing_ok=True)
    copy.chmod(0o600)
    copy.replace(_file())


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])
