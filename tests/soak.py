"""Random hard ends: a store that is killed again and again ends with exactly the knowledge of one that never was.

``python -m tests.soak [--kills 200] [--seed 7] [FOLDER …]``; see ``bin/soak``. Exit 1 when anything differs.
"""

import argparse
import difflib
import itertools
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.engine_process import ROOT, EngineProcess

FALCON = ROOT / "examples" / "falcon"
NAMESPACE = "5a" * 16
LONGEST_WAIT = 1.4
SHARE_OF_THE_RUN = 0.2
"""Ends that come faster than the longest unit of work only measure how often a job is tried, not how it goes on."""
MOST_A_ROUND = 50
"""Then a round may go to its end: what is ended for ever never comes to one."""
STUCK_SECONDS = 900
SHOWN = 400


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--kills", type=int, default=200)
    ask.add_argument("--seed", type=int, default=7)
    ask.add_argument("folders", nargs="*", type=Path)
    given = ask.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - which moment, nothing secret
    with tempfile.TemporaryDirectory() as folder:
        template = _prepared(Path(folder) / "template", [FALCON, *given.folders])
        began = time.monotonic()
        expected = _uninterrupted(template, Path(folder) / "whole")
        longest = max(LONGEST_WAIT, SHARE_OF_THE_RUN * (time.monotonic() - began))
        done, rounds = 0, 0
        while done < given.kills:
            rounds += 1
            kills, same = _round(
                template,
                Path(folder) / f"round{rounds}",
                chance,
                min(MOST_A_ROUND, given.kills - done),
                expected,
                longest,
            )
            done += kills
            _say(f"round {rounds}: {kills} hard ends, {done} of {given.kills}, {'same' if same else 'DIFFERENT'}")
            if not same:
                return 1
    _say(f"{done} hard ends in {rounds} rounds; {len(expected)} bytes of knowledge, always the same")
    return 0


def _prepared(store: Path, folders: list[Path]) -> Path:
    documents = store.parent / "documents"
    for at, folder in enumerate(folders):
        shutil.copytree(folder, documents / f"{at}-{folder.name}")
    store.mkdir()
    loaded = EngineProcess(store).command("import", str(documents), "--base", "soak", "--namespace", NAMESPACE)
    if loaded.returncode:
        raise SystemExit(loaded.stderr.decode())
    return store


def _uninterrupted(template: Path, store: Path) -> bytes:
    shutil.copytree(template, store)
    engine = EngineProcess(store)
    if engine.command("work", "--until-idle").returncode:
        raise SystemExit("the uninterrupted run failed")
    return _logical(engine)


def _round(
    template: Path, store: Path, chance: random.Random, most: int, expected: bytes, longest: float
) -> tuple[int, bool]:
    """One store from its start to its end; answers how often it was ended hard and whether it came out the same."""
    shutil.copytree(template, store)
    engine = EngineProcess(store).start()
    kills, began = 0, time.monotonic()
    while not _is_done(store):
        if time.monotonic() - began > STUCK_SECONDS:
            _say("it does not come to an end")
            return kills, False
        time.sleep(chance.uniform(0.02, longest if kills % 5 else 0.3))
        engine = _alive(engine, store)
        if kills < most and not _is_done(store):
            kills, began = kills + 1, time.monotonic()
            engine = _end_hard(engine, store, chance)
    engine.stop()
    engine.log.close()
    found = _logical(EngineProcess(store))
    same = found == expected
    if not same:
        lines = difflib.unified_diff(expected.decode().splitlines(), found.decode().splitlines(), lineterm="", n=0)
        _say("\n".join(line[:SHOWN] for line in itertools.islice(lines, SHOWN)))
    verified = EngineProcess(store).command("verify")
    if verified.returncode:
        _say(verified.stdout.decode()[-2000:])
    shutil.rmtree(store)
    return kills, same and not verified.returncode


def _end_hard(engine: EngineProcess, store: Path, chance: random.Random) -> EngineProcess:
    """Kills the whole engine or a process of it below: its worker or its HTTP server."""
    assert engine.process is not None
    below = [pid for pid in _below(engine.process.pid) if _is_ours(pid)]
    if below and chance.random() < 0.5:
        try:
            os.kill(chance.choice(below), signal.SIGKILL)
        except ProcessLookupError:
            return engine
        time.sleep(0.1)
        if engine.process.poll() is None:
            return engine
    else:
        engine.kill()
    engine.log.close()
    return EngineProcess(store).start()


def _alive(engine: EngineProcess, store: Path) -> EngineProcess:
    """An engine whose HTTP server was ended gives up a moment later; its host starts it again."""
    assert engine.process is not None
    if engine.process.poll() is None:
        return engine
    engine.log.close()
    return EngineProcess(store).start()


def _below(pid: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return
    for child in children:
        yield int(child)
        yield from _below(int(child))


def _is_ours(pid: int) -> bool:
    """Readers are another thing: two of their ends set a document aside, as they should."""
    try:
        return b"forager.reading" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _is_done(store: Path) -> bool:
    with sqlite3.connect(f"file:{store}/data/engine.sqlite3?mode=ro", uri=True, timeout=30) as reading:
        return {row[0] for row in reading.execute("SELECT status FROM forager_job")} <= {"completed", "failed"}


def _logical(engine: EngineProcess) -> bytes:
    return engine.command("export", "--base", "soak", "--logical").stdout


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's answer


if __name__ == "__main__":
    sys.exit(main())
