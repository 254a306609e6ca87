"""``manage.py gaps``: asks open gaps again where their base has moved since, a bounded number of each project."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from console import env
from console.connection.link import reading_provider
from console.connection.settings import find_mode, read_settings
from console.gaps.actions import AT_ONCE, ask_again
from console.projects.models import Project
from console.projects.scopes import reading_of
from knowledge.failures import Failed
from knowledge.scope import Unresolved


class Command(BaseCommand):
    help = "Ask questions without an answer again, where documents came in since. For a timer, for example hourly."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--at-most", type=int, default=AT_ONCE, help="questions of each project in this pass")

    def handle(self, *args: object, **options: int) -> None:
        find_mode(env.read())
        settings = read_settings()
        provider = reading_provider(settings)
        for project in Project.objects.filter(gaps__state="open").distinct():
            reading = reading_of(project)
            if isinstance(reading, Unresolved):
                continue
            done = ask_again(
                project=project,
                scope=reading.scope,
                provider=provider,
                top_k=settings.top_k,
                at_most=options["at_most"],
            )
            if isinstance(done, Failed):
                self.stderr.write(f"{project.slug}: not asked. {done.reason}")
                continue
            told = done.value
            self.stdout.write(f"{project.slug}: {told.asked} asked, {told.closed} closed, {told.waiting} wait")
