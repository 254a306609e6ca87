"""Back to the tables that the code of an earlier checkout knows: what it has no migration for is taken back.

What those tables held besides goes with them; everything the earlier code knows stays.
"""

import sys
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader


class NoCheckout(Exception):
    """There is no code there to go back to; nothing was changed."""


def go_back(checkout: Path, root: Path) -> list[str]:
    """``root`` is where our own code is. Answers what was taken back, as ``app.name``."""
    if not (checkout / "manage.py").is_file():
        raise NoCheckout(f"{checkout} is no checkout of this project: it has no manage.py.")
    loader = MigrationLoader(connection)
    places = {key: _file(type(migration), root) for key, migration in loader.disk_migrations.items()}
    ours = [key for key in loader.applied_migrations if key in places and places[key] is not None]
    gone = [key for key in ours if not (checkout / (places[key] or "")).is_file()]
    for app in sorted({app for app, _ in gone}):
        kept = sorted(name for its, name in ours if its == app and (app, name) not in gone)
        call_command("migrate", app, kept[-1] if kept else "zero", verbosity=0, interactive=False)
    return [f"{app}.{name}" for app, name in sorted(gone)]


def _file(migration: type, root: Path) -> Path | None:
    """Where a migration stands, from the root; None for one of a package that is installed."""
    file = Path(sys.modules[migration.__module__].__file__ or "").resolve()
    inside = file.is_relative_to(root) and ".venv" not in file.parts
    return file.relative_to(root) if inside else None
