"""``manage.py migrate-store --to URL``: the console's database into an empty PostgreSQL one."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from console import database, env
from stores import moving
from stores.address import postgres


class Command(BaseCommand):
    help = "Move the console's SQLite database into an empty PostgreSQL one. Stop the console first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", required=True, metavar="URL", help="postgresql://…, or @FILE that holds it")

    def handle(self, *args: object, **options: str) -> None:
        given = options["to"]
        url = Path(given[1:]).read_text("utf-8").strip() if given.startswith("@") else given
        try:
            moving.prepare(postgres(url, database.place(env.read().path("data_dir"))))
            with transaction.atomic():
                for moved in moving.move():
                    self.stdout.write(f"{moved.table}: {moved.rows}")
        except (moving.MoveRefused, ImproperlyConfigured) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write("Moved. Set ANTHILL_DATABASE_URL and start; the data folder stays where it is.")
