"""The managed engine's store in care of the engine's own commands: migrated, kept in a file, made again out of one."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from console import env
from console.connection.children import engine_environment, engine_paths
from console.keyfile import private_folder

URL = "engine_database_url"
TOLD = 300


class EngineRefused(Exception):
    """The engine's command did not do it; the message is its own."""


@dataclass(frozen=True, slots=True)
class KeptStore:
    """Which store a file of the engine is of. ``generation`` of one that was made again is the new one."""

    instance_id: str
    generation: str
    engine: str
    made_at: str


def migrate_engine(values: env.Values) -> int:
    """Make or migrate the engine's own store; answers the command's exit code. What it says goes where ours goes."""
    private_folder(engine_paths(values).data)
    command = [sys.executable, "-m", "forager", "migrate"]
    return subprocess.run(command, cwd=env.ROOT, env=engine_environment(values), check=False).returncode  # noqa: S603


def has_store(values: env.Values) -> bool:
    """Whether there is a store to keep: a managed engine that never ran has none."""
    folder = engine_paths(values).data
    return bool(values.text(URL)) or (folder.is_dir() and any(folder.iterdir()))


def keep_store(values: env.Values, file: Path) -> KeptStore:
    """The whole store into ``file``, while the engine serves it."""
    return _store(_asked(values, engine_paths(values).data, "backup", str(file), "--json"))


def make_store(values: env.Values, file: Path, folder: Path) -> KeptStore:
    """A store out of ``file`` in ``folder``, which holds none; it begins a new generation."""
    return _store(_asked(values, folder, "restore", str(file), "--json"))


def take_back(values: env.Values, checkout: Path) -> list[str]:
    """The store back to what the engine in ``checkout`` knows; what was taken back."""
    return _asked(values, engine_paths(values).data, "migrate", "--back", str(checkout)).splitlines()


def _store(told: str) -> KeptStore:
    facts = json.loads(told)
    return KeptStore(facts["instance_id"], facts["generation"], facts["engine"], facts["made_at"])


def _asked(values: env.Values, folder: Path, *command: str) -> str:
    """What the engine's command answers; ``EngineRefused`` with its last line when it does not do it."""
    done = subprocess.run(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "forager", *command],
        cwd=env.ROOT,
        env={**engine_environment(values), "FORAGER_DATA_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise EngineRefused(lines[-1].strip()[:TOLD] if lines else f"it ended with code {done.returncode}.")
    return done.stdout
