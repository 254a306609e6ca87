"""``python -m forager``: the engine's command line. Exit codes: 0 done, 1 failed, 2 wrong usage, 11 store held."""

import argparse
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forager.settings")

import django

django.setup()

from forager.process import commands, logs


def main() -> int:
    ask = argparse.ArgumentParser(prog="python -m forager", description="The knowledge engine.")
    commands.declare(ask.add_subparsers(dest="command", required=True))
    given = ask.parse_args()
    logs.configure()
    return int(given.run(given))


if __name__ == "__main__":
    sys.exit(main())
