"""``manage.py up``: the engine, its worker and the console, until one Ctrl-C."""

import os
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from console import env
from console.bases.example import load_example, wanted
from console.connection.actions import SYSTEM, store_settings
from console.connection.models import StoredSetting
from console.connection.providers import provider_for
from console.connection.settings import read_settings
from console.connection.supervisor import FolderTaken, PortTaken, Supervisor
from console.env import ROOT, Origin
from knowledge.failures import Failed

EXAMPLE = ROOT / "examples" / "falcon"


class Command(BaseCommand):
    help = "Run the managed engine and the console; stop both with one Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-example", action="store_true", help="do not load the Falcon example")

    def handle(self, *args: object, **options: bool) -> None:
        os.environ["ANTHILL_KNOWLEDGE_MODE"] = "managed"
        values = env.read()
        switch_on(values)
        supervisor = Supervisor(
            values,
            on_ready=lambda: self._ready(values, example=not options["no_example"]),
            on_given_up=lambda reason: self._given_up(values, reason),
        )
        try:
            code = supervisor.run()
        except (FolderTaken, PortTaken) as taken:
            raise CommandError(str(taken)) from None
        self.stdout.write("Stopped. Everything is kept.")
        if code:
            raise CommandError("The console ended by itself; its last lines above say why.", returncode=code)

    def _ready(self, values: env.Values, *, example: bool) -> None:
        if example and wanted() and EXAMPLE.is_dir():
            self._load_example()
        self.stdout.write(f"Anthill Console is at {address(values)} (Ctrl-C stops it)")
        self.stdout.flush()
        connection.close()

    def _given_up(self, values: env.Values, reason: str) -> None:
        self.stderr.write(f"The engine does not run. {reason}")
        self.stderr.write(f"The console at {address(values)} goes on without it and says so on every page.")

    def _load_example(self) -> None:
        loaded = load_example(provider_for(read_settings()), EXAMPLE)
        if isinstance(loaded, Failed):
            self.stderr.write(f"The example was not loaded: {loaded.reason}")
        else:
            self.stdout.write(f"Loading the Falcon example: {len(loaded.value.uploaded.sources)} documents.")


def address(values: env.Values) -> str:
    return f"http://{values.text('console_host')}:{values.number('console_port')}/"


def switch_on(values: env.Values) -> None:
    """Knowledge is off in code; the first start of a managed engine turns it on, once, where nobody chose."""
    chosen = values.origin("knowledge_enabled") is not Origin.DEFAULT
    if not chosen and not StoredSetting.objects.filter(name="knowledge_enabled").exists():
        store_settings(by=SYSTEM, changes={"knowledge_enabled": "True"})
