"""``manage.py restore FILE``: a console and its engine out of a backup, into an empty data folder."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from console import env
from console.backups.packing import BackupRefused
from console.backups.unpacking import restore
from console.connection.supervisor import FolderTaken, hold_folder
from console.keyfile import private_folder


class Command(BaseCommand):
    help = (
        "Make the console, and its engine where the backup holds one, out of a backup. The data folder must be empty."
    )

    requires_system_checks = ()  # some of them open the database, which must not be there yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: object, **options: Path) -> None:
        values = env.read()
        private_folder(values.path("data_dir"))
        try:
            with hold_folder(values):
                restored = restore(options["file"], values)
        except (BackupRefused, FolderTaken) as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"The data folder could not be written: {error.strerror}.") from None
        with_engine = f" with engine {restored.engine.instance_id}" if restored.engine else ""
        self.stdout.write(
            f"Restored as of {restored.made_at}{with_engine}. Everybody signs in again; start it as before."
        )
