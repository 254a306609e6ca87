"""``manage.py migrateengine``: make or migrate the managed engine's own store."""

from django.core.management.base import BaseCommand, CommandError

from console import env
from console.connection.store_care import migrate_engine


class Command(BaseCommand):
    help = "Make or migrate the managed engine's store."

    def handle(self, *args: object, **options: object) -> None:
        if migrate_engine(env.read()):
            raise CommandError("The engine's store could not be migrated; its message is above.")
