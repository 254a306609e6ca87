"""``manage.py migrate-back CHECKOUT``: console and managed engine back to the tables an earlier checkout knows."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from console import env
from console.connection.settings import Mode, find_mode
from console.connection.store_care import EngineRefused, has_store, take_back
from console.connection.supervisor import FolderTaken, hold_folder
from stores.backwards import NoCheckout, go_back


class Command(BaseCommand):
    help = "Before going back to an earlier version: take back what its code has no table for. Make a backup first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("checkout", type=Path, help="the folder of the earlier version")

    def handle(self, *args: object, **options: Path) -> None:
        find_mode(env.read())
        values, checkout = env.read(), options["checkout"].resolve()
        try:
            with hold_folder(values):
                taken = go_back(checkout, env.ROOT)
                if values.text("knowledge_mode") == Mode.MANAGED and has_store(values):
                    taken += take_back(values, checkout)
        except (NoCheckout, EngineRefused, FolderTaken) as refused:
            raise CommandError(str(refused)) from None
        for each in taken:
            self.stdout.write(f"taken back: {each}")
        self.stdout.write(f"{len(taken)} migrations taken back. Start the version in {checkout} now, not this one.")
