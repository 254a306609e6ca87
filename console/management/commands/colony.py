"""``manage.py colony``: follows the engine's feed until it is stopped. Without it the console knows later."""

import signal
import threading
from argparse import ArgumentParser
from types import FrameType

from django.core.management.base import BaseCommand
from django.db import close_old_connections

from console import env
from console.connection.link import reading_provider
from console.connection.settings import find_mode, read_settings
from console.feed.following import follow_once
from knowledge.failures import Failed

EVERY_SECONDS = 5.0


class Command(BaseCommand):
    help = "Follow the engine's feed: note what the bases are, correct what was handed out, close gaps."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one turn, for a timer")

    def handle(self, *args: object, **options: bool) -> None:
        find_mode(env.read())
        stopping = threading.Event()

        def stop(_number: int, _frame: FrameType | None) -> None:
            stopping.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        told = ""
        while not stopping.is_set():
            told = self._turn(told)
            if options["once"]:
                break
            close_old_connections()
            stopping.wait(EVERY_SECONDS)

    def _turn(self, told: str) -> str:
        """Says what keeps it from reading once, not at every turn."""
        settings = read_settings()
        done = follow_once(reading_provider(settings), top_k=settings.top_k)
        if isinstance(done, Failed):
            if done.reason != told:
                self.stderr.write(f"Not reading. {done.reason}")
            return done.reason
        turn = done.value
        if turn.fresh or turn.ended or turn.compared:
            moved = f"{turn.compared} bases had moved unheard"
            self.stdout.write(f"{turn.fresh} events read, {turn.ended} acted on, {moved}")
        return ""
