"""Whether the process that wrote its mark into a row still lives, told across restarts and reused pids."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def own_mark() -> str:
    """``host|pid|start``: this process, unmistakably."""
    return _mark(socket.gethostname(), os.getpid())


def is_gone(mark: str) -> bool:
    """True when the marked process ran on this host and has ended. Unknown (another host) is not gone."""
    host, _, rest = mark.partition("|")
    if host != socket.gethostname():
        return False
    pid = rest.partition("|")[0]
    return not pid.isdigit() or _mark(host, int(pid)) != mark


def _mark(host: str, pid: int) -> str:
    return f"{host}|{pid}|{_start(pid)}"


def _start(pid: int) -> str:
    if Path("/proc/self/stat").exists():
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            return "" if fields[0] == "Z" else fields[19]
        return ""
    with suppress(OSError):
        os.kill(pid, 0)
        return "alive"
    return ""
