"""The worker's hand on its readers: start a reading, look whether it is done, end it when its time is over."""

import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL

from forager.reading import messages
from forager.reading.messages import Parsed, ReaderEnded, Refusal, Request, Understood

DOCUMENT_SECONDS = 10.0
"""Processor time one document may take in all; on the clock it may take three times as long on a busy machine."""
CLOCK_FACTOR = 3
STEP_SECONDS = 0.02
ANSWER_SECONDS = 30.0
START_SECONDS = 60.0
READINGS_A_PROCESS = 500
"""Then a fresh one takes over, so that what a parser's library leaks stays small."""
TICKS = os.sysconf("SC_CLK_TCK")
CRASHED = Refusal(
    "reader_crashed",
    "Reading this ended the reader hard, more than once. The document is set aside.",
    "Open it, save it again and load that; tell who keeps the engine.",
    harmful=True,
)
TOO_LONG = Refusal(
    "took_too_long",
    f"Reading this took more than {DOCUMENT_SECONDS:.0f} seconds and was given up.",
    "Split it into smaller documents.",
    harmful=True,
)


@dataclass(slots=True)
class Process:
    """One forked reader; ``close`` ends it, whatever it is doing."""

    link: socket.socket
    pid: int
    readings: int = 0

    def cpu_seconds(self) -> float:
        """0 where the system does not tell; then the clock alone counts."""
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{self.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / TICKS
        return 0.0

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, SIGKILL)
        self.link.close()


@dataclass(slots=True)
class Read[T]:
    """What became of one document. ``children`` pairs names with what the keeper made of their bytes."""

    parsed: Parsed | None = None
    children: tuple[tuple[str, T], ...] = ()
    understood: Understood | None = None
    refusal: Refusal | None = None
    crashed: bool = False


@dataclass(slots=True)
class Reading[T]:
    """One document being read. Call ``done`` until it answers True, then take ``result``."""

    process: Process
    request: Request
    keep: Callable[[Iterator[bytes]], T]
    result: Read[T] = field(default_factory=Read)
    is_over: bool = False
    _began: float = field(default_factory=time.monotonic)
    _cpu: float = 0.0

    def __post_init__(self) -> None:
        self._cpu = self.process.cpu_seconds()

    def done(self, seconds: float) -> bool:
        """Waits up to ``seconds`` for the end of it."""
        until = time.monotonic() + seconds
        while not self.is_over:
            left = max(0.0, until - time.monotonic())
            if select.select([self.process.link], [], [], min(left, STEP_SECONDS))[0]:
                self._take()
            elif self._time_is_over():
                self._end(TOO_LONG)
            elif left <= 0:
                return False
        return True

    @property
    def is_usable(self) -> bool:
        """Whether its process may read another document."""
        return self.is_over and not self.result.crashed and self.result.refusal is None

    def give_up(self) -> None:
        self.process.close()
        self.is_over = True

    def _take(self) -> None:
        try:
            body = messages.receive(self.process.link, messages.JSON_BYTES)
            if self.request.document is None and self.result.parsed is None:
                self._parsed(messages.read_as(messages.PARSED, body))
            else:
                self.result.understood = messages.read_as(messages.UNDERSTOOD, body)
                self._finished(self.result.understood.refusal)
        except (ReaderEnded, ConnectionError, TimeoutError):
            self.result.crashed = True
            self._end(CRASHED)

    def _parsed(self, parsed: Parsed) -> None:
        self.result.parsed = parsed
        kept = [(n, self.keep(messages.pieces(self.process.link, messages.CHILD_BYTES))) for n in parsed.children]
        self.result.children = tuple(kept)
        if parsed.refusal is not None or parsed.document is None:
            self._finished(parsed.refusal)

    def _finished(self, refusal: Refusal | None) -> None:
        """Ends the reading; after harm the process is not trusted with another document."""
        self.is_over = True
        if refusal is not None and refusal.harmful:
            self._end(refusal)

    def _end(self, refusal: Refusal) -> None:
        self.result.refusal = refusal
        self.give_up()

    def _time_is_over(self) -> bool:
        if time.monotonic() - self._began > DOCUMENT_SECONDS * CLOCK_FACTOR:
            return True
        return self.process.cpu_seconds() - self._cpu > DOCUMENT_SECONDS


class Reader:
    """Starts readings. One a worker; ``close`` ends every process of it."""

    def __init__(self) -> None:
        self._parent: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._idle: list[Process] = []

    def start[T](self, request: Request, keep: Callable[[Iterator[bytes]], T]) -> Reading[T]:
        """Hands the document to an idle reader or a fresh one."""
        body = messages.REQUEST.dump_json(request)
        while True:
            process = self._idle.pop() if self._idle else self._fork()
            try:
                messages.send(process.link, body)
            except OSError:
                process.close()  # it ended while nobody asked; the next is fresh
            else:
                return Reading(process, request, keep)

    def finished[T](self, reading: Reading[T]) -> None:
        """Gives the process of a reading back for the next document."""
        reading.process.readings += 1
        if reading.is_usable and reading.process.readings < READINGS_A_PROCESS:
            self._idle.append(reading.process)
        else:
            reading.process.close()

    def close(self) -> None:
        for process in self._idle:
            process.close()
        self._idle.clear()
        if self._control is not None:
            self._control.close()
        if self._parent is not None:
            self._parent.wait()
        self._control = self._parent = None

    def _fork(self) -> Process:
        for attempt in (1, 2):
            control = self._started()
            ours, theirs = socket.socketpair()
            ours.settimeout(START_SECONDS)
            try:
                with theirs:
                    socket.send_fds(control, [b"f"], [theirs.fileno()])
                pid = int(messages.receive(ours, 64))
            except (OSError, ReaderEnded, ValueError):
                ours.close()
                self.close()
                if attempt == 2:
                    raise
            else:
                ours.settimeout(ANSWER_SECONDS)
                return Process(ours, pid)
        raise AssertionError("unreachable")

    def _started(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                self._parent = start_process(theirs.fileno())
        return self._control


def start_process(descriptor: int) -> subprocess.Popen[bytes]:
    """The process that forks readers, over its end of the control socket."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "forager.reading.child", str(descriptor)],
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno() if _has_file(sys.stderr) else subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH")},
    )


def _has_file(stream: object) -> bool:
    try:
        return isinstance(stream.fileno(), int)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return False
