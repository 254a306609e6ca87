"""A document that hangs, crashes, bloats or overflows its reader is set aside with its reason; the others are read."""

import io
import os
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import QuerySet

from forager.model.models import Evidence, Job, KnowledgeBase, Source, Statement
from forager.parsing.document import Document
from forager.pipeline import lanes, readers, runner, verification
from forager.reading import limits, messages, reader
from forager.reading.copies import plain_hash
from forager.reading.messages import Request
from forager.reading.reader import Reader, Reading
from tests.forager.pipeline.test_runs import MEMO, load, register

SLOW = "".join(f"The fee of route {n} is {n} EUR and its gauge is {n % 7} mm.\n\n" for n in range(3000)).encode()
BLOATED = {("quarantined", "too_much_memory"), ("invalid", "damaged"), ("quarantined", "took_too_long")}
KINDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def outcome(path: str) -> tuple[str, str]:
    source = Source.objects.get(path=path)
    assert source.warnings[0]["next_action"]
    return source.processing_status, source.warnings[0]["code"]


def bloated() -> bytes:
    """A small DOCX whose body unpacks to sixty megabytes of tiny elements."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        body = f'<w:document xmlns:w="{KINDS}"><w:body>' + "<w:p/>" * 10_000_000 + "</w:body></w:document>"
        package.writestr("word/document.xml", body)
    return out.getvalue()


def reads_beside(base: KnowledgeBase, files: dict[str, bytes]) -> None:
    """Whatever the files do, the job completes and the good one beside them is read."""
    load(base, {**files, "memo.txt": MEMO.encode()})
    assert Job.objects.latest("queued_at").status == "completed"
    assert Statement.objects.at(base.current_revision).filter(evidence_count__gt=0).exists()


def test_a_document_that_takes_too_long_is_given_up(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "DOCUMENT_SECONDS", 0.5)
    reads_beside(base, {"slow.txt": SLOW})
    assert outcome("slow.txt") == ("quarantined", "took_too_long")


def test_what_is_quick_is_published_before_a_slow_document_is_waited_for(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "QUICK_SECONDS", 0.03)
    seen: list[tuple[str, int]] = []
    write = runner.document_stages.write

    def watched(source: Source, read: object) -> object:
        seen.append((source.path, KnowledgeBase.objects.get().current_revision))
        return write(source, read)  # type: ignore[arg-type]

    monkeypatch.setattr(runner.document_stages, "write", watched)
    reads_beside(base, {"a-slow.txt": SLOW[:20_000], "b-slow.txt": SLOW[20_000:40_000]})
    assert dict(seen) == {"memo.txt": 0, "a-slow.txt": 1, "b-slow.txt": 1}
    assert not Source.objects.exclude(processing_status="indexed").exists()
    base.refresh_from_db()
    assert base.current_revision == 2
    assert {path: {*_revisions(path)} for path, _ in seen} == {"memo.txt": {1}, "a-slow.txt": {2}, "b-slow.txt": {2}}
    assert [f.kind for f in verification.findings()] == []


def _revisions(path: str) -> QuerySet[Evidence, int]:
    return Evidence.objects.filter(source__path=path).values_list("rev_from", flat=True)


def test_a_document_that_bloats_its_reader_is_set_aside(base: KnowledgeBase) -> None:
    reads_beside(base, {"bloated.docx": bloated()})
    assert outcome("bloated.docx") in BLOATED


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Readers that get a path named bad… are killed as a parser's crash would kill them."""
    found: list[str] = []
    start = Reader.start

    def killing(self: Reader, request: Request, keep: object) -> object:
        reading = start(self, request, keep)  # type: ignore[arg-type,var-annotated]
        if request.path.startswith("bad"):
            os.kill(reading.process.pid, signal.SIGKILL)
            found.append(request.path)
        return reading

    monkeypatch.setattr(Reader, "start", killing)
    yield found


def test_a_crash_is_tried_once_more_and_then_set_aside(base: KnowledgeBase, killed: list[str]) -> None:
    reads_beside(base, {"bad.txt": SLOW})  # long enough to be killed in the midst of it
    assert len(killed) >= lanes.TRIES
    assert outcome("bad.txt") == ("quarantined", "reader_crashed")


def test_more_text_than_one_document_may_hold_is_refused(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader is another process, so its own limit cannot be lowered here; ours, which trusts nobody, can."""
    monkeypatch.setattr(messages, "JSON_BYTES", 20_000)
    reads_beside(base, {"long.txt": b"The fee of Kite is 12 EUR.\n" * 2000})
    assert Source.objects.get(path="long.txt").processing_status == "quarantined"


def test_no_transaction_is_open_while_a_document_is_read(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = len(connection.savepoint_ids)
    depths: set[int] = set()
    done = Reading.done

    def watched(self: Reading[object], seconds: float) -> bool:
        depths.add(len(connection.savepoint_ids))
        return done(self, seconds)

    monkeypatch.setattr(Reading, "done", watched)
    load(base, {"memo.txt": MEMO.encode()})
    assert depths == {outside}


def test_a_document_that_ends_every_worker_is_found_and_set_aside(base: KnowledgeBase) -> None:
    load(base, {"memo.txt": MEMO.encode()})
    Source.objects.update(pipeline_version="older", tries=runner.MAX_TRIES)
    runner.Checkpoint.objects.all().delete()
    job = runner.lease.enqueue(base, force=False)
    Job.objects.filter(pk=job.pk).update(attempts=5, fruitless=5)
    claimed = runner.lease.claim()
    assert claimed is not None
    runner.run(claimed)
    assert outcome("memo.txt") == ("quarantined", "ended_the_worker")


def test_hard_ends_before_some_progress_are_not_held_against_the_next_document(base: KnowledgeBase) -> None:
    register(base, "a.txt", b"The fee of Kite is 12 EUR.\n")
    register(base, "much-longer-name.txt", MEMO.encode() * 3)
    Source.objects.filter(path="much-longer-name.txt").update(tries=runner.MAX_TRIES - 1)
    job = runner.lease.enqueue(base, force=False)
    Job.objects.filter(pk=job.pk).update(attempts=30, fruitless=3)
    claimed = runner.lease.claim()
    assert claimed is not None
    runner.run(claimed)
    assert Job.objects.get().status == "completed"
    assert not Source.objects.exclude(processing_status="indexed").exists()
    assert not Source.objects.exclude(tries=0).exists()


def test_changed_bytes_are_told_and_not_read(base: KnowledgeBase) -> None:
    load(base, {"memo.txt": MEMO.encode()})
    source = Source.objects.get()
    path = Path(runner.document_stages.blobs.path_of(source.content_hash))
    path.write_bytes(b"The launch date is another one.")
    runner.lease.enqueue(base, force=True)
    claimed = runner.lease.claim()
    assert claimed is not None
    runner.run(claimed)
    assert outcome("memo.txt") == ("invalid", "bytes_changed")


def test_a_reader_has_no_files_to_write_and_no_environment_to_tell() -> None:
    own = readers.own()
    request = Request(path="a.txt", name="a.txt", blob="/nowhere", sha256="0" * 64)
    reading = own.start(request, bytes)
    shown = Path(f"/proc/{reading.process.pid}/limits").read_text()
    assert "Max file size             0 " in " ".join(shown.split("\n")).replace("\t", " ")
    assert b"FORAGER" not in Path(f"/proc/{reading.process.pid}/environ").read_bytes()
    assert reading.done(20)
    own.finished(reading)
    assert limits.MEMORY_BYTES > 0


def test_excluded_words_do_not_count_for_copies() -> None:
    from forager.parsing.document import Excluded

    plain = Document(text="A b.", blocks=(), source_type="txt", media_type="text/plain")
    quoted = Document("A b.\n> c", (), "txt", "text/plain", excluded=(Excluded(5, 8, "quoted"),))
    assert plain_hash(plain) == plain_hash(quoted)
