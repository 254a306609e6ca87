"""One way to commit a piece of work, and the numbered points at which tests end the process hard."""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

CRASH_VARIABLE = "FORAGER_CRASH_AT"
_points = itertools.count(1)


@contextmanager
def unit_of_work() -> Iterator[None]:
    """A transaction with a commit point just before and just after its commit."""
    with transaction.atomic():
        yield
        _commit_point()
    _commit_point()


def _commit_point() -> None:
    at = os.environ.get(CRASH_VARIABLE)
    if at and next(_points) == int(at):
        os.kill(os.getpid(), signal.SIGKILL)
