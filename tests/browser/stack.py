"""A whole installation in a temporary folder: set up by its own commands, run by its own supervisor."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EMAIL = "admin@anthill.local"
START_SECONDS = 60


class Stack:
    """``url`` answers once ``start`` returned; ``password`` is the first administrator's one-time password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.console_port, self.engine_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.console_port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHILL_", "DJANGO_"))}
        self.environment = {
            **kept,
            "ANTHILL_DATA_DIR": str(folder),
            "ANTHILL_CONSOLE_PORT": str(self.console_port),
            "ANTHILL_ENGINE_PORT": str(self.engine_port),
        }
        self.password = ""
        self.process: subprocess.Popen[bytes] | None = None

    def set_up(self) -> None:
        for command in (["migrate", "-v0"], ["migrateengine"], ["collectstatic", "--noinput", "-v0"]):
            self._manage(*command)
        told = self._manage("createfirstadmin")
        found = re.search(r"One-time password:\s+(\S+)", told)
        assert found, told
        self.password = found.group(1)

    def start_without_engine(self) -> None:
        self.start("--no-example", says=b"goes on without it")

    def start(self, *options: str, says: bytes = b"Anthill Console is at") -> None:
        path = self.folder / "up.log"
        before = path.stat().st_size if path.exists() else 0
        log = path.open("ab")
        command = [sys.executable, "manage.py", "up", *options]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        until = time.monotonic() + START_SECONDS
        while says not in path.read_bytes()[before:]:
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < until, self.log()
            time.sleep(0.1)
        while not self._answers():
            assert time.monotonic() < until, self.log()
            time.sleep(0.1)

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def log(self) -> str:
        told = [(self.folder / name) for name in ("up.log", "engine.log")]
        return "\n".join(path.read_text("utf-8", "replace")[-4000:] for path in told if path.exists())

    def _manage(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def free_ports(count: int) -> list[int]:
    held = [socket.socket() for _ in range(count)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return ports
