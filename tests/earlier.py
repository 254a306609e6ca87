"""The data folder of an earlier commit (``tests/fixtures/search-and-context``), and commands over a data folder."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "fixtures" / "search-and-context" / "data.tar.xz"
EMAIL, PASSWORD = "admin@anthill.local", "three calm herons at dusk"
SECRET = "ant_nEQUVVtFxFjwLyy9Vp-NwK7cGKX08t2pSqbKyTMF0ZY"
RULED = "cf_3d859c820fdc2f29541b"
REASON = "The memo is signed."
INSTANCE = "fgi_b8c5def758d36523a5c8"
STATEMENTS, RULINGS, PACKAGES, DOCUMENTS = 86, 1, 2, 9


def unpack(folder: Path) -> None:
    """As it was, not migrated."""
    with tarfile.open(DATA) as archive:
        archive.extractall(folder, filter="data")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Of a command over this data folder alone: neither our own settings nor the databases of the tests."""
    own = ("ANTHILL_", "DJANGO_", "FORAGER_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "ANTHILL_DATA_DIR": str(folder), "FORAGER_DATA_DIR": str(folder / "engine"), **more}


def run(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def manage(folder: Path, *command: str, **more: str) -> str:
    done = run(folder, "manage.py", *command, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def engine(folder: Path, *command: str, **more: str) -> str:
    done = run(folder, "-m", "forager", *command, **more)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def migrate(folder: Path, **more: str) -> None:
    """To what the code of now wants."""
    manage(folder, "migrate", "-v0", **more)
    manage(folder, "migrateengine", **more)
