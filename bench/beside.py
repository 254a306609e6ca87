"""What bad files cost the good ones beside them: ``python -m bench.beside FOLDER [--count 50]``.

Loads COUNT small good files alone, then again beside the COUNT files of FOLDER that take longest to read, and prints
how long it took until all the good ones were published and found. The worst ones are those that one run over the whole
folder gave up on, and after them the largest.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.loading import PAGE

TRIES = 3
LOOK_SECONDS = 0.05


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--count", type=int, default=50)
    given = ask.parse_args()
    worst = _worst(given.folder, given.count)
    alone, beside = [], []
    for _ in range(TRIES):
        alone.append(_seconds(given.count, []))
        beside.append(_seconds(given.count, worst))
    _say(f"{given.count} good files, {len(worst)} of the worst beside them; seconds until the good ones are found")
    _say(f"alone   {' '.join(f'{s:6.1f}' for s in alone)}")
    _say(f"beside  {' '.join(f'{s:6.1f}' for s in beside)}")
    _say(f"times   {sorted(beside)[TRIES // 2] / sorted(alone)[TRIES // 2]:6.2f} (of the medians)")
    return 0


def _worst(folder: Path, count: int) -> list[Path]:
    """Files by what the engine said of them: quarantined first, then unreadable, then by size."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    with tempfile.TemporaryDirectory() as store:
        _forager(store, "import", str(folder), "--base", "bench")
        _forager(store, "work", "--until-idle")
        told = dict(_rows(store, "SELECT path, processing_status FROM forager_source"))
    order = {"quarantined": 0, "invalid": 1}
    files.sort(key=lambda f: (order.get(told.get(f.relative_to(folder).as_posix(), ""), 2), -f.stat().st_size))
    return files[:count]


def _seconds(count: int, worst: list[Path]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        documents.mkdir()
        for n in range(count):
            text = PAGE.format(n=n, who=n % 40, sum=n * 10, port=1000 + n)
            (documents / f"good-{n}.md").write_text(text, encoding="utf-8")
        for n, path in enumerate(worst):
            (documents / f"bad-{n:02}-{path.name}").write_bytes(path.read_bytes())
        store = f"{folder}/store"
        _forager(store, "import", str(documents), "--base", "bench")
        began = time.monotonic()
        worker = _start(store, "work", "--until-idle")
        while _found(store) < count:
            if worker.poll() is not None and _found(store) < count:
                raise SystemExit("the worker ended before the good files were found")
            time.sleep(LOOK_SECONDS)
        spent = time.monotonic() - began
        worker.terminate()
        worker.wait()
    return spent


def _found(store: str) -> int:
    """Good files whose first published statement is in the index of the base."""
    return int(
        _rows(
            store,
            "SELECT count(DISTINCT e.source_id) FROM forager_evidence e JOIN forager_source s ON s.id = e.source_id "
            "JOIN forager_knowledgebase b ON b.id = s.base_id "
            "WHERE s.path LIKE 'good-%' AND e.rev_from <= b.current_revision",
        )[0][0]
    )


def _rows(store: str, query: str) -> list[tuple[str, ...]]:
    with sqlite3.connect(f"file:{store}/engine.sqlite3?mode=ro", uri=True, timeout=30) as reading:
        return reading.execute(query).fetchall()


def _forager(store: str, *arguments: str) -> None:
    if _start(store, *arguments).wait():
        raise SystemExit(f"forager {arguments[0]} failed")


def _start(store: str, *arguments: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "FORAGER_DATA_DIR": store}
    command = [sys.executable, "-m", "forager", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
