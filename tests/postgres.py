"""A PostgreSQL of the tests' own: made in a temporary folder, reached by a socket in it, gone afterwards.

Durability is off: nothing in it is to outlive the run. Run by root it belongs to the user ``postgres``, because the
server refuses root.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import psycopg

USER = "anthill"
VARIABLE = "ANTHILL_TEST_POSTGRES"
"""Set while the tests run on it: a URL without a database's name."""
OPTIONS = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "shared_buffers=256MB"),
    *("listen_addresses=", "max_locks_per_transaction=256"),
)


class NoPostgres(Exception):
    """There is no server to start; the message says what to install."""


@contextmanager
def cluster() -> Iterator[str]:
    """The URL of a running server, without a database's name."""
    server, initdb = _binary("pg_ctl"), _binary("initdb")
    # in /tmp itself: the path of a socket has to be short
    folder = Path(tempfile.mkdtemp(prefix="anthill-pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        data = str(folder / "data")
        # Sorted as people's databases are, not as bytes: what relies on the order of bytes must fail here
        locale = ("--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8")
        _run([initdb, "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync", *locale])
        options = " ".join(f"-c {option}" for option in OPTIONS)
        log = str(folder / "log")
        _run([server, "-D", data, "-w", "-l", log, "-o", f"-k {folder} {options}", "start"])
        try:
            yield f"postgresql://{USER}@{quote(str(folder), safe='')}"
        finally:
            _run([server, "-D", data, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def database(name: str) -> str:
    """The URL of a database of this name on the running server, made when it is not there."""
    with psycopg.connect(f"{url()}/postgres", autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return f"{url()}/{name}"


def database_for(folder: Path, kind: str = "engine") -> str:
    """One database for each folder, so that whoever starts a process on the folder again finds its store."""
    return database(f"{kind}_{sha256(str(folder.resolve()).encode()).hexdigest()[:24]}")


def url() -> str:
    """Of the running server, without a database's name."""
    return os.environ[VARIABLE]


def is_used() -> bool:
    return VARIABLE in os.environ


def _binary(name: str) -> str:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = next((str(f / name) for f in folders if (f / name).exists()), None) or shutil.which(name)
    if found is None:
        raise NoPostgres("The tests need PostgreSQL (for example: apt-get install postgresql).")
    return found


def _run(command: Sequence[str]) -> None:
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    done = subprocess.run([*as_user, *command], cwd="/", capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoPostgres(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
