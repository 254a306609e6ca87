"""A colony with something in every part of its page."""

from django.utils import timezone

from console.feed.applying import EXPORTED, PUBLISHED, STATE_CHANGED
from console.feed.models import Follower, Receipt
from console.projects.models import Project
from console.study.actions import Mode, look_through
from console.study.models import Finding, Kind
from knowledge.scope import KnowledgeScope, Level
from tests.console.conftest import BY
from tests.console.fake import FakeProvider

SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
TOLD = (
    (PUBLISHED, "applied", "2 packages corrected, 1 gap closed", ""),
    (STATE_CHANGED, "applied", "1 package corrected, 0 gaps closed", ""),
    (EXPORTED, "applied", "noted", ""),
    (STATE_CHANGED, "dead", "", "It names no state of its base."),
    (PUBLISHED, "waiting", "", ""),
    ("", "dead", "", "It does not have the agreed shape: event.protocol_version is 2, this build reads 1."),
)


def fill_colony(provider: FakeProvider, project: Project) -> None:
    now = timezone.now()
    Follower.objects.create(
        instance_id="fgi_5d0f27", generation="gen_3", cursor="c", sequence=4812, read_at=now, caught_up_at=now,
        resynchronised_at=now, resynchronised_why="events between the last read and now are gone at the engine",
    )  # fmt: skip
    for number, (kind, state, outcome, cause) in enumerate(TOLD):
        Receipt.objects.create(
            instance_id="fgi_5d0f27", generation="gen_3", event_id=f"evt_{number}", type=kind, state=state,
            base_id="proj_falcon" if kind else "", sequence=4807 + number if kind else 0, occurred_at=now,
            digest=f"{number:02x}" * 32, payload="{}", outcome=outcome, cause=cause, tries=5 if kind else 0,
        )  # fmt: skip
    look_through(scope=SCOPE, provider=provider, mode=Mode.SUGGEST, by=BY, project=project, queue=lambda _: None)
    Finding.objects.filter(path__contains="mail").update(kind=Kind.CHANGED)
