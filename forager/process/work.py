"""``work``: claims jobs one after another until asked to stop. Any number of these may run on one store."""

import signal
import threading
from types import FrameType

import structlog

from forager.interchange import jsonl
from forager.pipeline import lease, runner

log = structlog.get_logger("forager.work")
IDLE_SECONDS = 0.25


def work(*, until_idle: bool = False) -> int:
    """Runs until SIGTERM, or with ``until_idle`` until nothing waits. A unit in progress is finished first."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    while not stopping.is_set():
        if not _one() and (until_idle or stopping.wait(IDLE_SECONDS)):
            break
    return 0


def _one() -> bool:
    job = lease.claim()
    if job is not None:
        runner.run(job)
        return True
    return jsonl.write_waiting()
