import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forager.interchange import jsonl
from forager.model import blobs
from forager.model.models import Conflict, Evidence, Job, JobStage, KnowledgeBase, Mention, Source, Statement
from forager.pipeline import lease, registration, runner
from forager.pipeline.stages import STAGES
from tests.forager.conftest import Api, work

FALCON = Path(__file__).resolve().parents[3] / "examples" / "falcon"
MEMO = "The launch date for Project Kite is March 3, 2026.\n"
MAIL = (
    "From: Ada <ada@kite.example>\nDate: Wed, 18 Feb 2026 09:00:00 +0000\nSubject: Kite\n\n"
    "The launch date for Project Kite has moved to April 10, 2026.\n"
)


def register(base: KnowledgeBase, path: str, content: bytes) -> Source:
    return registration.register(base, path, blobs.write([content]), origin_kind="test").source


def falcon() -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(FALCON.iterdir())}


def load(base: KnowledgeBase, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        register(base, path, content)
    lease.enqueue(base, force=False)
    work()
    base.refresh_from_db()


def test_a_job_ends_completed_with_all_eleven_stages_done(base: KnowledgeBase) -> None:
    load(base, {"memo.txt": MEMO.encode()})
    job = Job.objects.get()
    assert job.status == "completed", job.error
    assert [(s.stage, s.status) for s in job.stages.all()] == [(name, "done") for name in STAGES]
    assert base.current_revision == 1


def test_every_excerpt_of_the_example_is_exactly_the_stored_text(base: KnowledgeBase) -> None:
    load(base, falcon())
    rows = Evidence.objects.at(base.current_revision).select_related("source__stored")
    assert rows.count() > 50
    for row in rows:
        assert row.source.stored.text[row.start : row.end] == row.excerpt
        for part in row.source.stored.excluded:
            assert row.end <= part["start"] or part["end"] <= row.start, row.excerpt


def test_another_order_of_files_gives_the_same_knowledge(store: object) -> None:
    one = registration.create_base("One", namespace="ab" * 16)
    load(one, falcon())
    first = jsonl.logical_lines(one)
    KnowledgeBase.objects.all().delete()
    other = registration.create_base("One", namespace="ab" * 16)
    for path, content in reversed(list(falcon().items())):
        register(other, path, content)
        lease.enqueue(other, force=False)
        work()
    other.refresh_from_db()
    assert jsonl.logical_lines(other) == first


def test_reading_everything_again_changes_nothing(base: KnowledgeBase) -> None:
    load(base, falcon())
    before, revision = jsonl.logical_lines(base), base.current_revision
    lease.enqueue(base, force=True)
    work()
    base.refresh_from_db()
    assert jsonl.logical_lines(base) == before
    assert base.current_revision == revision


def test_nothing_of_an_unpublished_run_is_visible(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    load(base, {"memo.txt": MEMO.encode()})
    register(base, "mail.eml", MAIL.encode())
    lease.enqueue(base, force=False)
    monkeypatch.setitem(runner.base_stages.STAGES, "export_availability", _fail)  # type: ignore[arg-type]
    work()
    base.refresh_from_db()
    assert Job.objects.order_by("queued_at").last().status == "failed"  # type: ignore[union-attr]
    for rows in (Statement, Evidence, Conflict, Mention):
        assert all("April" not in str(vars(r)) for r in rows.objects.at(base.current_revision))
    assert Statement.objects.at(base.current_revision).get().status == "active"


def _fail(_job: Job) -> None:
    raise RuntimeError("ended on purpose")


def test_a_file_that_cannot_be_read_is_set_aside_and_stops_nothing(base: KnowledgeBase) -> None:
    load(base, {"memo.txt": MEMO.encode(), "broken.pdf": b"%PDF-1.7 and nothing of one", "mail.eml": MAIL.encode()})
    assert Job.objects.get().status == "completed"
    broken = Source.objects.get(path="broken.pdf")
    assert broken.processing_status == "invalid"
    assert broken.warnings[0]["code"] == "damaged"
    assert Statement.objects.at(base.current_revision).count() >= 2
    assert JobStage.objects.get(stage="parsing_extraction").failed == 1


def test_the_same_text_in_two_notations_is_one_origin(base: KnowledgeBase) -> None:
    load(
        base,
        {"a.txt": b"The budget of Project Kite is 100 EUR.\n", "b.md": b"The   budget of Project Kite is 100 EUR."},
    )
    statement = Statement.objects.at(1).get(attribute_key="kite|budget")
    assert (statement.evidence_count, statement.origins) == (2, 1)
    assert Source.objects.get(path="b.md").duplicate_of == Source.objects.get(path="a.txt").pk
    assert Conflict.objects.at(1).get().type == "duplicate_source"


def test_a_newer_version_of_a_document_supersedes_what_the_old_one_said(base: KnowledgeBase) -> None:
    load(base, {"memo.txt": b"The budget of Project Kite is 100 EUR.\n"})
    load(base, {"memo.txt": b"The budget of Project Kite is 200 EUR.\n"})
    status = dict(Statement.objects.at(base.current_revision).values_list("attribute_value", "status"))
    assert status == {"100 EUR": "superseded", "200 EUR": "active"}
    assert not Conflict.objects.at(base.current_revision).exists()


def test_a_running_job_gets_one_successor_however_often_one_is_asked(base: KnowledgeBase) -> None:
    register(base, "memo.txt", MEMO.encode())
    first = lease.enqueue(base, force=False)
    running = lease.claim()
    assert running is not None
    assert running.pk == first.pk
    waiting = {lease.enqueue(base, force=False).pk for _ in range(3)}
    assert len(waiting) == 1
    assert lease.claim() is None


def test_a_worker_that_lost_its_lease_writes_nothing_more(base: KnowledgeBase) -> None:
    register(base, "memo.txt", MEMO.encode())
    lease.enqueue(base, force=False)
    stale = lease.claim()
    assert stale is not None
    Job.objects.update(lease_until=None)
    fresh = lease.claim()
    assert fresh is not None
    runner.run(stale)
    assert not Statement.objects.exists()
    runner.run(fresh)
    assert Job.objects.get().status == "completed"
    assert Statement.objects.count() == 1


def test_a_cancelled_job_keeps_its_finished_work_for_the_next(base: KnowledgeBase) -> None:
    register(base, "memo.txt", MEMO.encode())
    job = lease.enqueue(base, force=False)
    lease.cancel(job)
    work()
    job.refresh_from_db()
    assert job.status == "cancelled"
    lease.enqueue(base, force=False)
    work()
    assert Statement.objects.count() == 1


TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=400)


@pytest.mark.django_db
@settings(deadline=None)  # the first example loads the word lists
@given(words=TEXT, suffix=st.sampled_from(["txt", "md", "csv", "html", "eml"]))
def test_whatever_the_text_evidence_is_verbatim(words: str, suffix: str) -> None:
    from forager.extraction import statements
    from forager.parsing.document import UnreadableDocumentError
    from forager.parsing.registry import parse

    try:
        document = parse(words.encode(), f"any.{suffix}")
    except UnreadableDocumentError:
        return
    for one in statements.read(document, f"any.{suffix}"):
        assert 0 <= one.start < one.end <= len(document.text)
        assert all(one.end <= e.start or e.end <= one.start for e in document.excluded)


def test_api_and_rows_tell_the_same_counts(api: Api, base: KnowledgeBase) -> None:
    load(base, falcon())
    said = api.get(f"/projects/{base.pk}")
    assert said["knowledge_count"] == Statement.objects.at(base.current_revision).count()
    assert said["open_conflict_count"] == Conflict.objects.at(base.current_revision).filter(status="open").count()
    assert said["source_count"] == 9


def test_the_files_of_an_archive_are_read_as_sources_below_it(base: KnowledgeBase) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("memo.txt", MEMO)
        archive.writestr("mail.eml", MAIL)
    load(base, {"papers.zip": out.getvalue()})
    assert sorted(Source.objects.values_list("path", flat=True)) == [
        "papers.zip",
        "papers.zip/mail.eml",
        "papers.zip/memo.txt",
    ]
    assert Conflict.objects.at(base.current_revision).get().attribute_key == "kite|launch_date"
