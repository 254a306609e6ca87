"""Which database a URL means, as Django takes it. A refusal never repeats the URL: a password may stand in it."""

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SCHEMES = ("postgresql://", "postgres://")
PER_CONNECTION = "-c jit=off -c lock_timeout=20000"
"""Our queries are short and many: compiling one costs more than it saves. Nobody waits for a lock for ever."""


def configured(url: str, *, folder: Path) -> dict[str, Any]:
    """The SQLite file in ``folder`` without a URL, else the PostgreSQL database it names."""
    if not url:
        return _sqlite(folder / "console.sqlite3")
    if not url.startswith(SCHEMES):
        raise ImproperlyConfigured("database_url must begin with postgresql:// (it is not shown here).")
    try:
        found: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)}
    except ValueError:
        raise ImproperlyConfigured(
            "database_url cannot be read; characters like @ : / # in a password are written as %40 %3A %2F %23."
        ) from None
    if not found["NAME"]:
        raise ImproperlyConfigured("database_url names no database: postgresql://user:password@host:port/database.")
    options = dict(found.get("OPTIONS", {}))
    options.setdefault("application_name", "anthill-console")
    options.setdefault("options", PER_CONNECTION)
    return {**found, "OPTIONS": options, "TEST": {"TEMPLATE": "template0"}}


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
    }
