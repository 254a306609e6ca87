"""Walks every commit point of the job waiting in a store: ends a worker hard there, resumes, compares.

``python -m tests.forager.process.crash_walk STORE MOST`` prints ``{"points", "bytes", "differing"}``. Each run is a
forked process over a copy of the store; what needs no settings is imported before, so that a run costs little.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from forager.reading import child, reader
from forager.resolution import conflicts, entities

PRELOADED = (child, conflicts, entities)


class Forked:
    """A reader's process forked from this one, where starting one anew at each point would cost a second."""

    def __init__(self, descriptor: int) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            child.main(os.dup(descriptor))
            os._exit(0)

    def wait(self) -> None:
        os.waitpid(self.pid, 0)


reader.start_process = Forked  # type: ignore[assignment,misc]


def main(store: Path, most: int) -> int:
    child.warm_up()
    whole = _copy(store, "whole")
    _in_child(lambda: _finish(whole))
    expected = (whole / "logical").read_bytes()
    differing, point = [], 1
    while point < most:
        copy = _copy(store, "walk")
        if _in_child(lambda at=point, here=copy: _work(here, at)) != -signal.SIGKILL:  # type: ignore[misc]
            break
        _in_child(lambda here=copy: _finish(here))  # type: ignore[misc]
        if (copy / "logical").read_bytes() != expected:
            differing.append(point)
        point += 1
    sys.stdout.write(json.dumps({"points": point - 1, "bytes": len(expected), "differing": differing}))
    return 0


def _copy(store: Path, name: str) -> Path:
    copy = store.parent / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    return copy


def _in_child(run: Callable[[], None]) -> int:
    """The child's exit code, negative for the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _work(store: Path, crash_at: int = 0) -> None:
    os.environ["FORAGER_DATA_DIR"] = str(store)
    os.environ["DJANGO_SETTINGS_MODULE"] = "forager.settings"
    if crash_at:
        os.environ["FORAGER_CRASH_AT"] = str(crash_at)
    import django

    django.setup()
    from forager.process.work import work

    work(until_idle=True)


def _finish(store: Path) -> None:
    _work(store)
    from forager.interchange import jsonl
    from forager.model.models import KnowledgeBase

    (store / "logical").write_bytes(jsonl.logical_lines(KnowledgeBase.objects.get()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
