"""Which database a URL means, as Django takes it. A refusal never repeats the URL: a password may stand in it."""

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

VARIABLE = "FORAGER_DATABASE_URL"
SCHEMES = ("postgresql://", "postgres://")
PER_CONNECTION = "-c jit=off -c lock_timeout={lock_ms}"
"""Our queries are short and many: compiling one costs more than it saves. Nobody waits for a lock for ever."""


def configured(url: str, *, folder: Path, busy_seconds: float) -> dict[str, Any]:
    """The SQLite file in ``folder`` without a URL, else the PostgreSQL database it names."""
    if not url:
        return _sqlite(folder / "engine.sqlite3", busy_seconds)
    if not url.startswith(SCHEMES):
        raise ImproperlyConfigured(f"{VARIABLE} must begin with postgresql:// (it is not shown here).")
    try:
        found: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=None, conn_health_checks=True)}
    except ValueError:
        raise ImproperlyConfigured(
            f"{VARIABLE} cannot be read; characters like @ : / # in a password are written as %40 %3A %2F %23."
        ) from None
    if not found["NAME"]:
        raise ImproperlyConfigured(f"{VARIABLE} names no database: postgresql://user:password@host:port/database.")
    options = dict(found.get("OPTIONS", {}))
    options.setdefault("application_name", "forager")
    options.setdefault("options", PER_CONNECTION.format(lock_ms=int(busy_seconds * 1000)))
    return {**found, "OPTIONS": options, "TEST": {"TEMPLATE": "template0"}}


def _sqlite(path: Path, busy_seconds: float) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": busy_seconds,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
            " PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
        },
    }
