"""``migrate-store``: this store into a PostgreSQL database, which then goes on in its place."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from forager.model.bases import Store
from forager.process import store
from forager.process.declaring import Subparsers
from stores import moving
from stores.address import postgres


def declare(commands: Subparsers) -> None:
    parser = commands.add_parser("migrate-store", help="move this store into an empty PostgreSQL database")
    parser.add_argument("--to", required=True, metavar="URL", help="postgresql://…, or @FILE that holds it")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    url = Path(given.to[1:]).read_text("utf-8").strip() if given.to.startswith("@") else given.to
    try:
        _move(url)
    except (moving.MoveRefused, ImproperlyConfigured, store.StoreHeld) as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    done = _index(url)
    if done:
        sys.stderr.write("Everything is moved, the index is not made yet: run `python -m forager reindex` there.\n")
    else:
        _say(f"Moved. Set {settings.STORE.variable} and start; the data folder stays where it is.")
    return done


def _move(url: str) -> None:
    moving.prepare(postgres(url, settings.STORE))
    with transaction.atomic():
        identity = Store.objects.first()
        if identity is None:
            raise moving.MoveRefused("There is nothing to move: this store was never served.")
        store.refuse_while_held(identity)
        for moved in moving.move():
            _say(f"{moved.table}: {moved.rows}")
        # the generation goes on over there; served from here, too, one would be two
        identity.generation_reason = store.MOVED
        identity.save(update_fields=["generation_reason"])


def _index(url: str) -> int:
    environment = {**os.environ, settings.STORE.variable: url}
    command = [sys.executable, "-m", "forager", "reindex"]
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603 - our own interpreter


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's answer
