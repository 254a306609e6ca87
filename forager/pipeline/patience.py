"""How long one document may take in one stage. A text that drives a rule into the ground is set aside."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

LEAST_SECONDS = 60.0
MOST_SECONDS = 300.0
SECONDS_A_MEGABYTE = 60.0


class TookTooLong(Exception):
    """The time of this document is over; the message says how much it had."""


def seconds_for(size_bytes: int) -> float:
    return min(MOST_SECONDS, LEAST_SECONDS + SECONDS_A_MEGABYTE * size_bytes / 1_000_000)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises ``TookTooLong`` inside the block when its time is over, also in the midst of a regular expression.

    Alarms exist on POSIX and reach the main thread alone; elsewhere the block simply runs.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(_number: int, _frame: FrameType | None) -> None:
        raise TookTooLong(f"Reading this took more than {seconds:.0f} seconds and was given up.")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
