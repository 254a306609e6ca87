"""A database as it was at one moment, in a file, while others read and write; and a database made out of the file.

SQLite copies itself. PostgreSQL's own programs do it there, as processes: no password is on a command line.
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db.backends.postgresql.client import DatabaseClient

FOLDERS = "/usr/lib/postgresql"
TOLD = 300


class CopyRefused(Exception):
    """No copy was made, or nothing was made out of one; the message says why and holds no value of a row."""


def copy_sqlite(source: Path, target: Path, *, without_rows_of: Sequence[str] = ()) -> None:
    """``without_rows_of``: tables that are there and empty in the copy; what stood in them is overwritten."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        for table in without_rows_of:
            copy.execute(f'DELETE FROM "{table}"')  # noqa: S608 - a name of ours
        copy.commit()
        if without_rows_of:
            copy.execute("VACUUM")


def dump_postgres(
    settings: Mapping[str, Any], target: Path, *, without_rows_of: Sequence[str] = (), snapshot: str = ""
) -> None:
    """``snapshot``: the name of one that a transaction still holds, so that the two see the same moment."""
    arguments, environment = _address(settings)
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--file={target}"]
    options += [f"--exclude-table-data={table}" for table in without_rows_of]
    options += [f"--snapshot={snapshot}"] if snapshot else []
    _run([_program("pg_dump"), *options, *arguments], environment)


def load_postgres(settings: Mapping[str, Any], dump: Path, *, then: str = "") -> None:
    """All of it and what ``then`` says (SQL), in one transaction; or nothing."""
    arguments, environment = _address(settings)
    script = dump.with_suffix(".sql")
    _run([_program("pg_restore"), "--no-owner", "--no-privileges", f"--file={script}", str(dump)], environment)
    with script.open("a", encoding="utf-8") as file:
        file.write(f"\nRESET search_path;\n{then}\n")  # the dump names its schema and leaves none to look in
    options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", f"--file={script}"]
    _run([_program("psql"), *options, *arguments], environment)


def _address(settings: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Where the database is, as arguments and environment of PostgreSQL's programs."""
    arguments, environment = DatabaseClient.settings_to_cmd_args_env(dict(settings), [])
    return arguments[1:], {**os.environ, **(environment or {})}


def _program(name: str) -> str:
    """The newest that is installed: an older one than the server refuses it."""
    folders = sorted(Path(FOLDERS).glob("*/bin"), key=lambda folder: _number(folder.parent.name), reverse=True)
    found = next((str(folder / name) for folder in folders if (folder / name).exists()), None) or shutil.which(name)
    if found is None:
        raise CopyRefused(
            f"{name} is not installed here. It comes with PostgreSQL's client, for example: "
            "apt-get install postgresql-client."
        )
    return found


def _number(version: str) -> float:
    try:
        return float(version)
    except ValueError:
        return 0.0


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(  # noqa: S603 - PostgreSQL's own programs, with our options
        command, env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and "DETAIL" not in line]
        told = lines[0].strip()[:TOLD] if lines else f"it ended with code {done.returncode}"
        raise CopyRefused(f"{Path(command[0]).name} could not do it: {told}")
