"""A real engine process for tests: started on a free port over a folder, stopped cleanly, or ended hard."""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import postgres

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
STOP_SECONDS = 30


class EngineProcess:
    """``python -m forager serve --managed --with-worker`` over ``folder``; ``key`` is its operator key."""

    def __init__(self, folder: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.key = _kept_secret(folder / "operator.key")
        self.host_key = _kept_secret(folder / "host.key")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")},
            "FORAGER_DATA_DIR": str(folder / "data"),
            "FORAGER_PORT": "0",
            "FORAGER_OPERATOR_KEY_FILE": str(folder / "operator.key"),
            "FORAGER_HOST_CREDENTIAL_FILE": str(folder / "host.key"),
            **({"FORAGER_DATABASE_URL": postgres.database_for(folder)} if postgres.is_used() else {}),
            **(environment or {}),
        }
        self.log = (folder / "engine.log").open("ab")
        self.process: subprocess.Popen[bytes] | None = None
        self.listening: dict[str, Any] = {}

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.listening['port']}"

    def start(self) -> "EngineProcess":
        command = [sys.executable, "-m", "forager", "serve", "--managed", "--with-worker"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log
        )
        assert self.process.stdout is not None
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            raise RuntimeError(f"the engine did not come up: {(self.folder / 'engine.log').read_text()[-2000:]}")
        self.listening = json.loads(line)
        return self

    def stop(self) -> int:
        """Closes its stdin, as its host does, and answers the exit code."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def command(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """``python -m forager …`` over the same store."""
        return subprocess.run(
            [sys.executable, "-m", "forager", *arguments],
            cwd=ROOT,
            env={**self.environment, **(environment or {})},
            capture_output=True,
            check=False,
            timeout=120,
        )


@contextmanager
def running(folder: Path) -> Iterator[EngineProcess]:
    engine = EngineProcess(folder).start()
    try:
        yield engine
    finally:
        if engine.process is not None and engine.process.poll() is None:
            engine.stop()
        engine.log.close()


def _kept_secret(path: Path) -> str:
    if not path.exists():
        path.write_text(secrets.token_urlsafe(32))
        path.chmod(0o600)
    return path.read_text()
