"""Jobs that wait, stall, are cancelled in the midst of a slow document, or are worked off by several workers."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from forager.model.models import Conflict, Document, Job, KnowledgeBase
from forager.pipeline import base_stages, conflict_pass, lanes, lease, runner
from forager.reading.reader import Reading
from forager.resolution import alignment
from forager.review import views
from tests.engine_process import ROOT, EngineProcess
from tests.forager.conftest import Api, work
from tests.forager.pipeline.test_runs import MAIL, MEMO, load, register
from tests.forager.reading.test_containment import SLOW

BASES = ("One", "Two", "Three", "Four")


def test_waiting_behind_another_is_told_apart_from_being_stuck(api: Api, base: KnowledgeBase) -> None:
    lease.enqueue(base, force=False)
    running = lease.claim()
    assert running is not None
    waiting = lease.enqueue(base, force=False)
    Job.objects.update(queued_at=timezone.now() - timedelta(hours=1))
    told = api.get(f"/jobs/{waiting.pk}")
    assert (told["queued_behind"], told["stalled"]) == (running.pk, False)
    assert api.get(f"/jobs/{running.pk}")["stalled"] is False
    Job.objects.filter(pk=running.pk).update(lease_owner="this-host|0|gone", lease_until=timezone.now())
    assert api.get(f"/jobs/{running.pk}")["stalled"] is True
    assert api.get(f"/jobs/{waiting.pk}")["stalled"] is True


def test_a_job_nobody_takes_is_stalled_only_after_a_while(api: Api, base: KnowledgeBase) -> None:
    job = lease.enqueue(base, force=False)
    assert api.get(f"/jobs/{job.pk}")["stalled"] is False
    Job.objects.update(queued_at=timezone.now() - timedelta(minutes=2))
    assert api.get(f"/jobs/{job.pk}")["stalled"] is True


def test_a_cancel_does_not_wait_for_a_slow_document(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PULSE_SECONDS", 0.05)
    done = Reading.done

    def never_done(self: Reading[object], seconds: float) -> bool:
        return done(self, seconds) if self.request.path != "slow.txt" else False

    monkeypatch.setattr(Reading, "done", never_done)
    register(base, "memo.txt", MEMO.encode())
    register(base, "slow.txt", SLOW)
    job = lease.enqueue(base, force=False)
    slow_ones = lanes.Lanes.slow_ones

    def cancelled_meanwhile(self: lanes.Lanes) -> object:
        lease.cancel(job)
        return slow_ones(self)

    monkeypatch.setattr(lanes.Lanes, "slow_ones", cancelled_meanwhile)
    claimed = lease.claim()
    assert claimed is not None
    runner.run(claimed)
    job.refresh_from_db()
    assert job.status == "cancelled"
    base.refresh_from_db()
    assert base.current_revision == 1, "what was quick had been published"


def test_what_changes_while_conflicts_are_looked_for_counts(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is held meanwhile: a document is revoked in the midst of it, and its conflict is not written."""
    look = base_stages.look_for_conflicts
    outside = len(connection.savepoint_ids)

    def revoked_meanwhile(job: Job) -> conflict_pass.Looked:
        assert len(connection.savepoint_ids) == outside, "no unit is open"
        looked = look(job)
        assert [len(found.sides) for found in looked.found] == [2]
        Document.objects.filter(path="mail.eml").update(state="revoked")
        views.moved(base, cause="test", origin="operator")
        return looked

    monkeypatch.setitem(base_stages.LOOKING, "dedup_conflict", revoked_meanwhile)  # type: ignore[arg-type]
    load(base, {"memo.txt": MEMO.encode(), "mail.eml": MAIL.encode()})
    assert Job.objects.get().status == "completed"
    assert not Conflict.objects.exists()
    monkeypatch.setitem(base_stages.LOOKING, "dedup_conflict", look)  # type: ignore[arg-type]
    Document.objects.filter(path="mail.eml").update(state="active")
    lease.enqueue(base, force=False)
    work()
    assert Conflict.objects.count() == 1


def test_a_cancel_is_seen_while_conflicts_are_looked_for(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "PULSE_PAIRS", 1)
    look = base_stages.look_for_conflicts

    def cancelled_before(job: Job) -> conflict_pass.Looked:
        lease.cancel(job)
        return look(job)

    monkeypatch.setitem(base_stages.LOOKING, "dedup_conflict", cancelled_before)  # type: ignore[arg-type]
    load(base, {"memo.txt": MEMO.encode(), "mail.eml": MAIL.encode()})
    job = Job.objects.get()
    assert (job.status, base.current_revision) == ("cancelled", 0)
    assert job.stages.get(stage="dedup_conflict").processed == 0


def test_several_workers_on_one_store_do_no_unit_twice(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for at in range(12):
        (documents / f"{at}.txt").write_text(f"The fee of route {at} is {at} EUR.\n{MEMO}")
    (tmp_path / "store").mkdir()
    engine = EngineProcess(tmp_path / "store")
    for at, name in enumerate(BASES):
        loaded = engine.command("import", str(documents), "--base", name, "--namespace", f"{at:02x}" * 16)
        assert loaded.returncode == 0, loaded.stderr
    command = [sys.executable, "-m", "forager", "work", "--until-idle"]
    workers = [subprocess.Popen(command, cwd=ROOT, env=engine.environment) for _ in range(3)]
    assert [w.wait(120) for w in workers] == [0, 0, 0]
    counted = engine.command("jobs")
    assert counted.returncode == 0, counted.stderr
    jobs = [json.loads(line) for line in counted.stdout.splitlines()]
    assert len(jobs) == len(BASES)
    for job in jobs:
        assert (job["status"], job["attempts"]) == ("completed", 1)
        assert {stage["processed"] for stage in job["stages"][:5]} == {12}
    logical = [engine.command("export", "--base", name, "--logical").stdout for name in BASES]
    assert len({text.count(b"\n") for text in logical}) == 1
