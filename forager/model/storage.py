"""When the store itself cannot be written: told apart from failures of the work, because it passes."""

import errno

from django.db import DatabaseError, InterfaceError

FULL = "full"
READ_ONLY = "read_only"
BUSY = "busy"
UNREACHABLE = "unreachable"
_ERRNO = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
}
_WORDS = (
    ("disk is full", FULL),
    ("no space left", FULL),
    ("disk i/o", FULL),
    ("readonly", READ_ONLY),
    ("read-only", READ_ONLY),
    ("unable to open database", READ_ONLY),
    ("locked", BUSY),
    ("lock timeout", BUSY),
    ("deadlock detected", BUSY),
    ("too many clients", BUSY),
    ("connection slots", BUSY),
    ("the connection", UNREACHABLE),
    ("terminating connection", UNREACHABLE),
    ("connection failed", UNREACHABLE),
    ("connection to server", UNREACHABLE),
    ("connection refused", UNREACHABLE),
    ("connection timeout", UNREACHABLE),
    ("server closed", UNREACHABLE),
    ("database system is", UNREACHABLE),
)


def trouble(error: BaseException) -> str:
    """What is wrong with the store, or "" when this error is about something else."""
    if isinstance(error, OSError) and error.errno in _ERRNO:
        return _ERRNO[error.errno]
    if isinstance(error, OSError | DatabaseError | InterfaceError):
        text = str(error).lower()
        return next((what for words, what in _WORDS if words in text), "")
    return ""
