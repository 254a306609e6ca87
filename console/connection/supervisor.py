"""Runs the managed engine and the console: starts both, watches both, stops both on one signal.

Web workers never own a process: they read the one row this writes.
"""

import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TextIO

import structlog
from django.utils import timezone

from console import env
from console.connection.backoff import Backoff
from console.connection.children import EngineChild, OwnChild, colony_command, console_command
from console.connection.models import EngineProcess, EngineWish

log = structlog.get_logger("console.supervisor")

TICK_SECONDS = 0.2
BEAT_SECONDS = 10.0
START_SECONDS = 120.0
WISH_SECONDS = 1.0
BY_A_PERSON = "A person stopped it."
Phase = EngineProcess.Phase


class PortTaken(Exception):
    """Something else listens where we should; the message says how to choose another port."""


class FolderTaken(Exception):
    """Another supervisor runs over the same data; the message says how to choose another folder."""


class Kept:
    """A process of our own that is started again when it ends. Without one that ``is_needed`` there is no going on."""

    def __init__(self, name: str, command: Sequence[str], *, is_needed: bool) -> None:
        self._name, self._command, self._is_needed = name, command, is_needed
        self._backoff = Backoff()
        self._child: OwnChild | None = None
        self._again_at: float | None = None

    def start(self) -> None:
        self._again_at = None
        self._child = OwnChild(self._command)

    def watch(self) -> bool:
        """Whether the supervisor can go on. One that ends too often is left alone, and said so."""
        if self._child is None:
            if self._again_at is not None and time.monotonic() >= self._again_at:
                self.start()
            return True
        code = self._child.process.poll()
        if code is None:
            return True
        self._child = None
        wait = self._backoff.ended(time.monotonic())
        log.error("process.ended", name=self._name, code=code, start_again_in=wait)
        if wait is None:
            return not self._is_needed
        self._again_at = time.monotonic() + wait
        return True

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()


class Supervisor:
    """``on_ready`` is called once, when the engine first listens; ``on_given_up`` with the reason when it will not."""

    def __init__(self, values: env.Values, *, on_ready: Callable[[], None], on_given_up: Callable[[str], None]) -> None:
        self._values = values
        self._on_given_up = on_given_up
        self._on_ready: Callable[[], None] | None = on_ready
        self._stopping = threading.Event()
        self._backoff = Backoff()
        self._engine: EngineChild | None = None
        self._start_again_at: float | None = None
        self._own = [
            Kept("console", console_command(values), is_needed=True),
            Kept("colony", colony_command(), is_needed=False),
        ]
        self._started = 0.0
        self._restarts = 0
        self._beaten = 0.0
        self._looked = 0.0
        self._restarts_seen = 0
        self._phase = Phase.STOPPED

    def run(self) -> int:
        """Until asked to stop, or until the console ends again and again. Answers the exit code."""
        check_ports(self._values)
        hold = hold_folder(self._values)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._asked_to_stop)
        try:
            self._restarts_seen = _wished().restarts
            if _wished().is_stopped:
                self._write(Phase.STOPPED, reason=BY_A_PERSON)
                self._on_given_up(BY_A_PERSON)
            else:
                self._start_engine()
            for each in self._own:
                each.start()
            return self._watch()
        finally:
            self._stop()
            hold.close()

    def _watch(self) -> int:
        while not self._stopping.wait(TICK_SECONDS):
            watched = [each.watch() for each in self._own]
            if not all(watched):
                return 1
            self._watch_engine()
            self._follow_wish()
            if time.monotonic() - self._beaten > BEAT_SECONDS:
                self._write(self._phase)
        return 0

    def _watch_engine(self) -> None:
        if self._engine is None:
            if self._start_again_at is not None and time.monotonic() >= self._start_again_at:
                self._start_engine()
            return
        if self._engine.process.poll() is not None:
            self._engine_ended(self._engine)
        elif self._phase == Phase.STARTING and self._engine.listening.is_set():
            self._write(Phase.RUNNING, started=True)
            log.info("engine.listening", port=self._values.number("engine_port"))
            self._once_ready()
        elif self._phase == Phase.STARTING and time.monotonic() - self._started > START_SECONDS:
            log.error("engine.does_not_listen", after_seconds=START_SECONDS)
            self._engine.process.kill()

    def _follow_wish(self) -> None:
        """What a person asked for on the Connection page, looked at once a second."""
        if time.monotonic() - self._looked < WISH_SECONDS:
            return
        self._looked = time.monotonic()
        wish = _wished()
        if wish.is_stopped:
            if self._engine is not None or self._start_again_at is not None:
                self._end_engine()
                self._write(Phase.STOPPED, reason=BY_A_PERSON)
        elif wish.restarts != self._restarts_seen:
            self._end_engine()
            self._backoff = Backoff()
            self._start_engine()
        self._restarts_seen = wish.restarts

    def _end_engine(self) -> None:
        """Its running unit is finished or checkpointed first."""
        self._start_again_at = None
        if self._engine is not None:
            self._write(Phase.STOPPING)
            self._engine.stop()
            self._engine = None

    def _start_engine(self) -> None:
        self._start_again_at = None
        self._started = time.monotonic()
        self._write(Phase.STARTING)
        self._engine = EngineChild(self._values)

    def _engine_ended(self, engine: EngineChild) -> None:
        """Wait longer each time; five ends in ten minutes are a failure a person must look at."""
        engine.sweep()
        reason = engine.why_it_ended()
        wait = self._backoff.ended(time.monotonic())
        self._engine = None
        self._restarts += 1
        if wait is None:
            log.error("engine.given_up", reason=reason)
            self._write(Phase.FAILED, reason=reason)
            self._on_given_up(reason)
            return
        log.warning("engine.ended", reason=reason, start_again_in=wait)
        self._start_again_at = time.monotonic() + wait
        self._write(Phase.WAITING, reason=reason)

    def _once_ready(self) -> None:
        ready, self._on_ready = self._on_ready, None
        if ready is not None:
            ready()

    def _stop(self) -> None:
        """The console first, so that no request meets an engine on its way out."""
        for each in self._own:
            each.stop()
        if self._engine is not None:
            self._engine.stop()
        self._write(Phase.STOPPED)

    def _write(self, phase: str, *, reason: str = "", started: bool = False) -> None:
        self._phase = Phase(phase)
        self._beaten = time.monotonic()
        now = timezone.now()
        row: dict[str, object] = {"phase": phase, "restarts": self._restarts, "heartbeat_at": now}
        row["pid"] = self._engine.process.pid if self._engine else None
        row["port"] = self._values.number("engine_port")
        if reason or phase in (Phase.STARTING, Phase.RUNNING, Phase.STOPPING, Phase.STOPPED):
            row["reason"] = reason
        if started:
            row["started_at"] = now
        EngineProcess.objects.update_or_create(pk=1, defaults=row)

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping.set()


def _wished() -> EngineWish:
    return EngineWish.objects.first() or EngineWish()


def check_ports(values: env.Values) -> None:
    for name, host in (("console_port", values.text("console_host")), ("engine_port", "127.0.0.1")):
        port = values.number(name)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                variable = env.BY_NAME[name].variable
                raise PortTaken(
                    f"Something else listens on {host}:{port}. Stop it, or set {variable} to a free port."
                ) from None


def hold_folder(values: env.Values) -> TextIO:
    """Our hold on the data folder, given back when it is closed or this process ends, however it ends."""
    folder = values.path("data_dir")
    hold = (folder / ".supervisor.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        hold.seek(0)
        holder = hold.read().strip()
        hold.close()
        raise FolderTaken(
            f"Anthill Console runs over {folder} already, as process {holder}. Stop it, or set ANTHILL_DATA_DIR to "
            "another folder."
        ) from None
    hold.truncate(0)
    hold.write(str(os.getpid()))
    hold.flush()
    return hold
