"""What a process that reads strangers' bytes may use. Set by the process itself before it sees the first byte."""

import ctypes
import resource
import signal
import sys

MEMORY_BYTES = 1 << 30
"""Address space of one reading, beyond what the interpreter and the parsers take."""
OPEN_FILES = 64
PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Linux only: the kernel sends SIGKILL to this process when the one that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(memory_bytes: int = MEMORY_BYTES) -> None:
    """No core files, no written files, few open ones, bounded memory: too much of it becomes ``MemoryError``."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    most = _address_space() + memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - before anything else is loaded
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return MEMORY_BYTES
