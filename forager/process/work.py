"""``work``: claims jobs one after another until asked to stop. Any number of these may run on one store.

With nothing to do it looks after the store: a lost index is made anew, sources are compared with what was read of them,
and bytes nobody owns are removed.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections

from forager.interchange import importing, writing
from forager.model import storage
from forager.model.models import Job
from forager.pipeline import lease, runner, signals
from forager.review import rehash, sweeping
from forager.search import keeping

log = structlog.get_logger("forager.work")
IDLE_SECONDS = 0.25
LOOK_AFTER_EVERY = 240  # idle rounds: a minute
TROUBLE_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)


def work(*, until_idle: bool = False) -> int:
    """Runs until SIGTERM, or with ``until_idle`` until nothing waits. A unit in progress is finished first."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    rounds = 0
    while not stopping.is_set():
        if _through_trouble(_one, stopping):
            rounds = 0
            continue
        if until_idle:
            break
        if rounds % LOOK_AFTER_EVERY == 0 and _through_trouble(look_after, stopping):
            continue
        rounds += 1
        stopping.wait(IDLE_SECONDS)
    return 0


def _one() -> bool:
    job = lease.claim()
    if job is not None:
        _finish(job)
        return True
    return importing.work_waiting() or writing.write_waiting()


def _finish(job: Job) -> None:
    """Through any trouble of the store: the job is ours by its lease, and goes on from its last commit."""
    for seconds in (*TROUBLE_SECONDS, *([TROUBLE_SECONDS[-1]] * 30)):
        try:
            runner.run(job)
        except runner.StoreTrouble as trouble:
            log.warning("store_trouble", job=job.pk, trouble=str(trouble), again_in=seconds)
            close_old_connections()
            threading.Event().wait(seconds)
        else:
            return


def look_after() -> bool:
    """One piece of care for the store. Answers whether there may be more."""
    base = keeping.lost()
    if base is not None:
        keeping.rebuild(base)
        return True
    care = (signals.one_stale, rehash.one_due, sweeping.one_due, writing.expire_one, importing.expire_one)
    return any(one() for one in care)


def _through_trouble(step: Callable[[], bool], stopping: threading.Event) -> bool:
    """What cannot be written now is left for later; anything else that fails ends the worker, and is seen."""
    try:
        return step()
    except (OSError, DatabaseError, InterfaceError) as error:
        what = storage.trouble(error)
        if not what:
            raise
        log.warning("store_trouble", trouble=what)
        close_old_connections()  # one that broke is not tried again
        stopping.wait(TROUBLE_SECONDS[1])
        return False
