"""Which database a URL means, as Django takes it. A refusal never repeats the URL: a password may stand in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SCHEMES = ("postgresql://", "postgres://")
PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose database it is. ``variable`` names the setting in refusals, ``file`` is the SQLite file without a URL.

    ``keep_seconds`` is how long a connection is kept, None for ever; nobody waits longer than ``busy_seconds`` for a
    lock.
    """

    owner: str
    variable: str
    file: Path
    busy_seconds: float
    keep_seconds: int | None = None
    pragmas: str = ""


def configured(url: str, place: Place) -> dict[str, Any]:
    """The SQLite file without a URL, else the PostgreSQL database it names."""
    return postgres(url, place) if url else _sqlite(place)


def postgres(url: str, place: Place) -> dict[str, Any]:
    if not url.startswith(SCHEMES):
        raise ImproperlyConfigured(f"{place.variable} must begin with postgresql:// (it is not shown here).")
    try:
        found: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=place.keep_seconds, conn_health_checks=True)}
    except ValueError:
        raise ImproperlyConfigured(
            f"{place.variable} cannot be read; in a password @ : / # are written as %40 %3A %2F %23."
        ) from None
    if not found["NAME"]:
        raise ImproperlyConfigured(f"{place.variable} names no database: postgresql://user:password@host:port/name.")
    options = dict(found.get("OPTIONS", {}))
    options.setdefault("application_name", place.owner)
    # our queries are short and many: compiling one costs more than it saves
    options.setdefault("options", f"-c jit=off -c lock_timeout={int(place.busy_seconds * 1000)}")
    return {**found, "OPTIONS": options, "TEST": {"TEMPLATE": "template0"}}


def _sqlite(place: Place) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": place.file,
        "CONN_MAX_AGE": place.keep_seconds,
        "OPTIONS": {
            "timeout": place.busy_seconds,
            "transaction_mode": "IMMEDIATE",
            "init_command": PRAGMAS + place.pragmas,
        },
    }
