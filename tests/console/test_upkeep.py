"""What the settings say is kept so long goes then, and nothing else does."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from console import env
from console.audit.models import AuditEvent
from console.backups.models import Backup, BackupState
from console.feed.models import Receipt
from console.packages.models import Package
from console.projects.models import Project
from console.tokens.models import ToolCall
from console.upkeep import actions
from console.upkeep.actions import LetGo, let_go
from knowledge.failures import Failed, Failure
from tests.console.conftest import BY
from tests.console.fake import FakeProvider
from tests.console.test_callers import given_secret
from tests.console.working import QUESTION, done, proposed, queued

NOTHING = LetGo(0, 0, 0, 0)
LONG_AGO = timedelta(days=40)
KEPT = dict.fromkeys(("packages", "audit", "calls", "receipts"), "30")


def values(**days: str) -> env.Values:
    return env.read({f"ANTHILL_KEEP_{name.upper()}_DAYS": number for name, number in days.items()})


@pytest.fixture
def old(project: Project, engine: FakeProvider) -> dict[str, str]:
    """Packages by what rests on them, all of forty days ago, as is everything else."""
    working, plain = (given_secret(project, per_minute=1000, works=True) for _ in range(2))
    found = {"plain": done(plain, "retrieve", {"query": QUESTION})["package"]}
    queued(project)
    fence = done(working, "claim", {})["fence"]
    found["result"] = done(working, "retrieve", {"query": QUESTION})["package"]
    key = Package.objects.get(key=found["result"]).token.attempts.get().mission.key
    result = {"outcome": "done", "result": "x", "packages": [found["result"]]}
    done(working, "finish", {"mission": key, "fence": fence, **result})
    found["proposal"] = proposed(plain).package
    for at, state in enumerate(Receipt.State.values):
        Receipt.objects.create(
            instance_id="fgi", generation="gen", event_id=f"evt_{at}", state=state, digest="", payload=""
        )
    then = timezone.now() - LONG_AGO
    Package.objects.update(at=then)
    AuditEvent.objects.update(at=then)
    ToolCall.objects.update(at=then)
    Receipt.objects.update(received_at=then)
    return found


def test_nothing_goes_unless_it_is_said(old: dict[str, str]) -> None:
    assert let_go(by=BY, values=values(), now=timezone.now()) == NOTHING
    assert let_go(by=BY, values=values(**dict.fromkeys(KEPT, "41")), now=timezone.now()) == NOTHING
    assert not Package.objects.exclude(purged_at=None).exists()


def test_what_is_older_goes_and_what_is_rested_on_stays(old: dict[str, str]) -> None:
    calls, events = ToolCall.objects.count(), AuditEvent.objects.count()
    gone = let_go(by=BY, values=values(**KEPT), now=timezone.now())
    assert (gone.calls, gone.events, gone.receipts) == (calls, events, 2)
    emptied = set(Package.objects.exclude(purged_at=None).values_list("key", flat=True))
    assert old["plain"] in emptied
    assert not emptied & {old["result"], old["proposal"]}
    assert gone.packages == len(emptied)
    kept = Package.objects.get(key=old["plain"])
    assert (kept.body, bool(kept.digest), kept.purged_because[:23]) == (None, True, "older than it is kept: ")
    assert set(Receipt.objects.values_list("state", flat=True)) == {"waiting", "dead"}


def test_that_the_trail_was_shortened_is_in_the_trail(old: dict[str, str]) -> None:
    before = AuditEvent.objects.count()
    let_go(by=BY, values=values(audit="30"), now=timezone.now())
    event = AuditEvent.objects.get()
    assert (event.action, event.after) == ("audit.shortened", {"events": before})
    assert let_go(by=BY, values=values(audit="30"), now=timezone.now()) == NOTHING


def test_a_pass_takes_only_so_many_and_says_that_there_is_more(
    old: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "AT_ONCE", 1)
    assert not let_go(by=BY, values=values(calls="30"), now=timezone.now()).is_all
    monkeypatch.setattr(actions, "AT_ONCE", 1000)
    assert let_go(by=BY, values=values(calls="30"), now=timezone.now()).is_all


def test_the_colony_lets_go_without_an_engine(old: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHILL_KEEP_CALLS_DAYS", "30")
    away = Failed(Failure.UNAVAILABLE, "Nothing answers.")
    monkeypatch.setattr("console.management.commands.colony.follow_once", lambda *_, **__: away)
    told = StringIO()
    call_command("colony", once=True, stdout=told, stderr=StringIO())
    assert "calls, 0 receipts, 0 backups were kept long enough" in told.getvalue()
    assert not ToolCall.objects.exists()


def test_old_backups_go_but_never_the_newest(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHILL_BACKUP_DIR", str(tmp_path))
    then = timezone.now() - LONG_AGO
    for at in range(3):
        (tmp_path / f"{at}.anthill").write_bytes(b"x")
        Backup.objects.create(key=f"bkp_{at}", state=BackupState.DONE, file=f"{at}.anthill", ended_at=then)
    read = {"ANTHILL_BACKUP_DIR": str(tmp_path)}
    assert let_go(by=BY, values=env.read({**read, "ANTHILL_KEEP_BACKUPS_DAYS": "41"}), now=timezone.now()) == NOTHING
    gone = let_go(by=BY, values=env.read({**read, "ANTHILL_KEEP_BACKUPS_DAYS": "30"}), now=timezone.now())
    assert (gone.backups, [each.name for each in tmp_path.iterdir()]) == (2, ["2.anthill"])
    assert list(Backup.objects.values_list("state", flat=True)) == ["done", "gone", "gone"]
    assert AuditEvent.objects.filter(action="backup.let_go").count() == 2
