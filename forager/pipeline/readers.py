"""The reader of this process: made when the first document is read, ended with the process."""

import atexit
import os

from forager.reading.reader import Reader

_own: tuple[int, Reader] | None = None


def own() -> Reader:
    """One a process; a forked process has its own and leaves its parent's alone."""
    global _own  # noqa: PLW0603 - one reader a process is the point
    if _own is None or _own[0] != os.getpid():
        _own = (os.getpid(), Reader())
        atexit.register(_close, os.getpid())
    return _own[1]


def _close(owner: int) -> None:
    if _own is not None and _own[0] == owner == os.getpid():
        _own[1].close()
