"""Child processes that cannot outlive their parent, however it ends."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from forager.reading.limits import die_with_parent

__all__ = ["die_with_parent", "spawn", "stop"]


def spawn(
    arguments: Sequence[str], *, pass_fds: Sequence[int] = (), environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Starts ``python -m …`` with our interpreter; on Linux the kernel ends it when we die, even by SIGKILL."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and modules
        [sys.executable, "-m", *arguments],
        pass_fds=pass_fds,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        preexec_fn=die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509 - no threads before it
    )


def stop(child: subprocess.Popen[bytes], seconds: float) -> None:
    """Asks the child to end, waits, and ends it hard when it does not."""
    if child.poll() is None:
        child.terminate()
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
