"""``manage.py backup [TO]``: the console and its managed engine in one file, while both go on."""

import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from types import FrameType

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from console import env
from console.audit.models import Actor
from console.backups.actions import BackupsBusy, ask_backup, folder_of, make_asked, name_of, note_made
from console.backups.models import Backup, BackupState
from console.backups.packing import BackupRefused, pack
from console.connection.settings import find_mode
from console.pages.show.times import size

BY = Actor(key="command:backup", name="The backup command")


class Command(BaseCommand):
    help = "Keep the console and its managed engine in one file, while both go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "to", nargs="?", type=_place, help="a folder or a new file; without it the list on the page"
        )
        parser.add_argument("--asked", action="store_true", help="only what a person asked for on the page")

    def handle(self, *args: object, **options: object) -> None:
        find_mode(env.read())
        values = env.read()
        signal.signal(signal.SIGTERM, _stop)
        try:
            if isinstance(to := options["to"], Path):
                self._to(to, values)
            else:
                self._listed(values, only_asked=bool(options["asked"]))
        except (BackupRefused, BackupsBusy) as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"The file could not be written: {error.strerror}. Nothing was kept of it.") from None

    def _to(self, to: Path, values: env.Values) -> None:
        path = to / name_of(timezone.now()) if to.is_dir() else to
        packed = pack(path.absolute(), values)
        note_made(by=BY, packed=packed)
        self._tell(path, packed.size_bytes, packed.sha256, packed.left_out)

    def _listed(self, values: env.Values, *, only_asked: bool) -> None:
        if not only_asked:
            ask_backup(by=BY)
        while (made := make_asked(values)) is not None:
            self._say(made, folder_of(values))

    def _say(self, made: Backup, folder: Path) -> None:
        if made.state != BackupState.DONE:
            raise CommandError(made.reason)
        self._tell(folder / made.file, made.size_bytes or 0, made.sha256, made.engine_left_out)

    def _tell(self, path: Path, size_bytes: int, sha256: str, left_out: str) -> None:
        held = f"the console alone. {left_out}" if left_out else "the console and its engine."
        self.stdout.write(f"{path}: {size(size_bytes)}, {held}\nsha256 {sha256}")


def _place(told: str) -> Path:
    """What ends like a folder is one, and must be there: else a file of its name would be written."""
    if told.endswith("/") and not Path(told).is_dir():
        raise ArgumentTypeError(f"There is no folder {told} to write into. Make it, or name a file.")
    return Path(told)


def _stop(_number: int, _frame: FrameType | None) -> None:
    sys.exit(143)
