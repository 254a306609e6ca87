"""How the settings want study to go, and where documents to study are queued."""

from collections.abc import Sequence

from console.audit.models import Actor
from console.connection.settings import ConnectionSettings
from console.missions.actions import Wanted, document_as_it_is, queue_mission
from console.missions.models import Action
from console.projects.models import Project
from console.study.actions import Mode, Queue
from console.study.models import Finding


def mode_of(settings: ConnectionSettings) -> Mode:
    """An unknown word is off: nothing runs by mistake."""
    return Mode(settings.auto_study) if settings.auto_study in list(Mode) else Mode.OFF


def missions_for(*, by: Actor, project: Project, instance_id: str, base_id: str) -> Queue:
    """A mission for each finding; the same bytes are studied once, however often they are decided."""

    def queue(findings: Sequence[Finding]) -> None:
        for each in findings:
            wanted = Wanted(
                title=f"Study {each.path}"[:200],
                action=Action.STUDY,
                subject=document_as_it_is(each.content_hash),
                documents=(each.path,),
            )
            queue_mission(by=by, project=project, instance_id=instance_id, base_id=base_id, wanted=wanted)

    return queue
