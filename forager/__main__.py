"""``python -m forager``: the engine's command line. Exit codes: 0 done, 1 failed, 2 wrong usage, 11 store held,
12 the store cannot be written now (full, read-only, or locked by another)."""

import argparse
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forager.settings")

import django

django.setup()

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from forager.model import storage
from forager.process import commands, logs

EXIT_STORE_TROUBLE = 12
WORDS = {
    storage.FULL: "The disk of the data folder is full. Make room and start again.",
    storage.READ_ONLY: "The data folder cannot be written. Mount it writable, or give this user the right to write.",
    storage.UNREACHABLE: "The database of FORAGER_DATABASE_URL cannot be reached. Start it, or correct the URL.",
    storage.BUSY: "Another program holds the store locked. Wait for it or end it, then start again.",
}


def main() -> int:
    ask = argparse.ArgumentParser(prog="python -m forager", description="The knowledge engine.")
    commands.declare(ask.add_subparsers(dest="command", required=True))
    given = ask.parse_args()
    logs.configure()
    try:
        return int(given.run(given))
    except (OSError, DatabaseError, InterfaceError) as error:
        what = storage.trouble(error)
        if not what:
            raise
        sys.stderr.write(f"forager: {WORDS[what]} Data folder: {settings.DATA_DIR}. Nothing was changed.\n")
        return EXIT_STORE_TROUBLE


if __name__ == "__main__":
    sys.exit(main())
