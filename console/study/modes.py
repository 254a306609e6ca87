"""How the settings want study to go, and where documents to study are queued."""

from collections.abc import Sequence

from console.connection.settings import ConnectionSettings
from console.projects.models import Project
from console.study.actions import Mode, Queue
from console.study.models import Finding


def mode_of(settings: ConnectionSettings) -> Mode:
    """An unknown word is off: nothing runs by mistake."""
    return Mode(settings.auto_study) if settings.auto_study in list(Mode) else Mode.OFF


def queue_for(project: Project) -> Queue:
    """Decided findings wait on the page until missions take them."""

    def keep(findings: Sequence[Finding]) -> None:
        return None

    return keep
