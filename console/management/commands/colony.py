"""``manage.py colony``: follows the engine's feed until it is stopped. Without it the console knows later."""

import signal
import threading
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from types import FrameType

from django.core.management.base import BaseCommand
from django.db import close_old_connections
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from console import env
from console.backups.maker import Maker
from console.connection.actions import SYSTEM
from console.connection.link import reading_provider
from console.connection.models import KnownEngine
from console.connection.settings import ConnectionSettings, find_mode, read_settings
from console.feed.following import follow_once
from console.missions.leasing import release_overdue
from console.projects.models import Project
from console.projects.scopes import reading_of
from console.proposals.settling import settle_lost
from console.study.actions import is_due, look_through
from console.study.modes import missions_for, mode_of
from console.upkeep.actions import let_go
from knowledge.failures import Failed
from knowledge.provider import KnowledgeProvider
from knowledge.scope import Unresolved

EVERY_SECONDS = 5.0
TIDY_EVERY = timedelta(hours=1)
PATIENCE = 4


class Command(BaseCommand):
    help = "Follow the engine's feed: note what the bases are, correct what was handed out, close gaps."
    _tidy_at = datetime.min.replace(tzinfo=UTC)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one turn, for a timer")

    def handle(self, *args: object, **options: bool) -> None:
        find_mode(env.read())
        stopping = threading.Event()

        def stop(_number: int, _frame: FrameType | None) -> None:
            stopping.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        refused, maker = Refused(), Maker()
        while not stopping.is_set():
            self._turn(refused)
            maker.look()
            if options["once"]:
                maker.wait()
                break
            close_old_connections()
            stopping.wait(EVERY_SECONDS)
        maker.stop()

    def _turn(self, refused: "Refused") -> None:
        """One id for all that a turn asks of the engine."""
        with bound_contextvars(request_id=f"turn_{uuid.uuid4().hex[:16]}"):
            self._follow(refused)
            self._tidy()

    def _tidy(self) -> None:
        """Hourly, and again at once while there is more. It needs no engine."""
        now = timezone.now()
        if now < self._tidy_at:
            return
        gone = let_go(by=SYSTEM, values=env.read(), now=now)
        if gone.is_all:
            self._tidy_at = now + TIDY_EVERY
        if any(astuple(gone)):
            told = f"{gone.packages} packages, {gone.events} events, {gone.calls} calls, {gone.receipts} receipts"
            self.stdout.write(f"{told}, {gone.backups} backups were kept long enough")

    def _follow(self, refused: "Refused") -> None:
        settings = read_settings()
        provider = reading_provider(settings)
        done = follow_once(provider, top_k=settings.top_k)
        if isinstance(done, Failed):
            if refused.is_to_be_told(done.reason):
                self.stderr.write(f"Not reading. {done.reason}")
            return
        refused.is_to_be_told("")
        turn = done.value
        if turn.fresh or turn.ended or turn.compared:
            moved = f"{turn.compared} bases had moved unheard"
            self.stdout.write(f"{turn.fresh} events read, {turn.ended} acted on, {moved}")
        if settled := settle_lost(provider):
            self.stdout.write(f"{settled} proposals settled that had lost who asked")
        release_overdue()
        for name, filed in study_due(settings, provider):
            self.stdout.write(f"{name}: {filed} documents to study")


class Refused:
    """What keeps it from reading, told once, and not while an engine only takes its time to start."""

    def __init__(self) -> None:
        self._reason, self._turns = "", 0

    def is_to_be_told(self, reason: str) -> bool:
        self._turns = self._turns + 1 if reason == self._reason else 1
        self._reason = reason
        return bool(reason) and self._turns == PATIENCE


def study_due(settings: ConnectionSettings, provider: KnowledgeProvider) -> Iterator[tuple[str, int]]:
    """Bases whose time has come, each once however many projects read it; and how many findings were filed."""
    mode = mode_of(settings)
    known = KnownEngine.objects.first()
    instance_id = known.instance_id if known else ""
    seen: set[str] = set()
    for project in Project.objects.exclude(binding=None).order_by("name"):
        reading = reading_of(project)
        every = timedelta(hours=settings.study_interval_hours)
        if isinstance(reading, Unresolved):
            continue
        scope = reading.scope
        if scope.base_id in seen or not is_due(scope.base_id, mode, every):
            continue
        seen.add(scope.base_id)
        queue = missions_for(by=SYSTEM, project=project, instance_id=instance_id, base_id=scope.base_id)
        done = look_through(scope=scope, provider=provider, mode=mode, by=SYSTEM, project=project, queue=queue)
        if not isinstance(done, Failed):
            yield project.slug, done.value
