"""Beside the feed: starts the process that makes what was asked for, one at a time, and settles what died."""

import time

from console.backups.actions import fail_silent
from console.backups.models import Backup, BackupState
from console.connection.children import OwnChild

COMMAND = ("manage.py", "backup", "--asked")
AGAIN_SECONDS = 30.0
"""After one that ended badly: it may have been another maker's turn."""


class Maker:
    """One for each follower of the feed. Several of them, on several hosts, do no harm: a backup is claimed."""

    def __init__(self) -> None:
        self._child: OwnChild | None = None
        self._not_before = 0.0

    def look(self) -> None:
        fail_silent()
        if self._child is not None:
            code = self._child.process.poll()
            if code is None:
                return
            self._child = None
            self._not_before = time.monotonic() + AGAIN_SECONDS if code else 0.0
        if time.monotonic() >= self._not_before and Backup.objects.filter(state=BackupState.ASKED).exists():
            self._child = OwnChild(COMMAND)

    def wait(self) -> None:
        if self._child is not None:
            self._child.process.wait()

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()
