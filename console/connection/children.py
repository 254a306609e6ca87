"""The processes a supervisor owns: the managed engine, the console under its server, and who follows the feed."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from console import env
from console.connection.settings import credential_path
from console.keyfile import secret_file

PR_SET_PDEATHSIG = 1
STORE_HELD = 11
STOP_SECONDS = 25.0
LOG_TAIL_BYTES = 16_000
LOG_BYTES = 20_000_000
"""A larger log is set aside when the engine starts; the one before it goes."""
REQUEST = '"event": "request_done"'


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the engine keeps its store and its log."""

    data: Path
    log: Path


def engine_paths(values: env.Values) -> Paths:
    data_dir = values.path("data_dir")
    return Paths(data_dir / "engine", data_dir / "engine.log")


class EngineChild:
    """The engine, asked to stop by closing its stdin; ``listening`` is set once it says so."""

    def __init__(self, values: env.Values) -> None:
        self._log = engine_paths(values).log
        self.listening = threading.Event()
        _keep_one_before(self._log)
        with self._log.open("ab") as log:
            self.process = _spawn(
                [sys.executable, "-m", "forager", "serve", "--managed", "--with-worker"],
                environment=engine_environment(values),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log.fileno(),
            )
        threading.Thread(target=self._read, daemon=True).start()

    def stop(self) -> None:
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        _wait(self.process)

    def sweep(self) -> None:
        """End what a dead engine left behind in its session, or its port stays taken."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def why_it_ended(self) -> str:
        """One sentence: the holder of the store, or the last line of its log."""
        code = self.process.poll()
        with self._log.open("rb") as log:
            log.seek(max(0, self._log.stat().st_size - LOG_TAIL_BYTES))
            told = log.read().decode("utf-8", "replace").splitlines()
        lines = [line for line in told if line.strip() and REQUEST not in line]
        last = lines[-1].strip()[:200] if lines else "it said nothing"
        if code == STORE_HELD:
            return (last[:1].upper() + last[1:])[:290]
        return f"It ended with code {code}. The last line of {self._log.name}: {last}"[:290]

    def _read(self) -> None:
        """Wait for the listening line, then keep the pipe empty."""
        for line in self.process.stdout or ():
            if _is_listening(line):
                self.listening.set()


class OwnChild:
    """A process of the console's own, asked to end by a signal."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = _spawn([sys.executable, *command], environment=dict(os.environ), stdin=subprocess.DEVNULL)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        _wait(self.process)


def console_command(values: env.Values, *, threads: int = 8) -> list[str]:
    """The console under gunicorn: one process of threads, so that what it remembers is remembered once."""
    bind = f"{values.text('console_host')}:{values.number('console_port')}"
    options = ["--bind", bind, "--worker-class", "gthread", "--threads", str(threads), "--workers", "1"]
    options += ["--no-control-socket", "--timeout", "120", "--graceful-timeout", "10", "--log-level", "warning"]
    options += ["--limit-request-line", "8190"]  # as the engine: long questions beyond ASCII
    return ["-m", "gunicorn", "console.site.wsgi", *options]


def colony_command() -> list[str]:
    """The one who follows the engine's feed."""
    return ["manage.py", "colony"]


def engine_environment(values: env.Values) -> dict[str, str]:
    """What the engine is told; nothing of the console's own settings goes along."""
    paths = engine_paths(values)
    credential = credential_path()
    secret_file(credential)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHILL_", "DJANGO_"))}
    if url := values.text("engine_database_url"):
        kept["FORAGER_DATABASE_URL"] = url
    return {
        **kept,
        "FORAGER_DATA_DIR": str(paths.data),
        "FORAGER_HOST": "127.0.0.1",
        "FORAGER_PORT": str(values.number("engine_port")),
        "FORAGER_HOST_CREDENTIAL_FILE": str(credential),
        "FORAGER_ALLOWED_INPUT_ROOTS": os.pathsep.join(values.words("knowledge_forager_input_roots")),
    }


def _keep_one_before(log: Path) -> None:
    with contextlib.suppress(OSError):
        if log.stat().st_size > LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))


def _spawn(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    stdin: int,
    stdout: int | None = None,
    stderr: int | None = None,
) -> "subprocess.Popen[bytes]":
    """A child in its own session, so that one Ctrl-C reaches the supervisor alone; it does not outlive us."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and modules
        command,
        cwd=env.ROOT,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - no lock is held here
    )


def _wait(process: "subprocess.Popen[bytes]") -> None:
    for ask in (None, process.terminate, process.kill):
        if ask is not None:
            ask()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        return


def _is_listening(line: bytes) -> bool:
    try:
        told = json.loads(line)
    except ValueError:
        return False
    return isinstance(told, dict) and told.get("event") == "listening"


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))
