"""Backups in every state, for the pictures of their page."""

from datetime import timedelta

from django.utils import timezone

from console.backups.actions import MAKER_GONE
from console.backups.models import Backup, BackupState
from console.backups.packing import ATTACHED

SHA256 = "0fdefe33b2b6c09299d75e8bac4ae81c9cf4da1a914b6919a4d5ff190d09c659"


def keep_backups(count: int = 1) -> None:
    """``count`` of each state; none has a file here."""
    now = timezone.now()
    for at in range(count):
        done = {
            "file": f"anthill-20261130-16520{at % 10}-{at:06x}.anthill",
            "size_bytes": 140_330_112,
            "sha256": SHA256,
            "host": "ant-hill-two",
            "ended_at": now - timedelta(hours=1),
        }
        rows = (
            Backup(state=BackupState.GONE, **done),
            Backup(state=BackupState.FAILED, reason=MAKER_GONE),
            Backup(state=BackupState.DONE, engine_left_out=ATTACHED, **done),
            Backup(state=BackupState.DONE, engine_instance="fgi_5d0f27", **done),
            Backup(state=BackupState.MAKING, beat_at=now),
        )
        for number, row in enumerate(rows):
            row.key, row.asked_by = f"bkp_{at}_{number}", "Mara Okafor"
            row.save()
