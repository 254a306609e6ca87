"""Whatever bytes come under whatever name: the batch ends, each file in a final state, and evidence is verbatim."""

import random
from pathlib import Path

import pytest

from forager.model.models import Evidence, Job, KnowledgeBase, Source
from forager.pipeline.stages import STAGES
from tests.forager.pipeline.test_runs import MEMO, load

SUFFIXES = (
    "pdf docx pptx xlsx odt rtf eml mbox html md txt csv tsv json jsonl zip xml doc exe jpg".split()  # noqa: SIM905
)
EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "falcon").iterdir())
FINAL = {"indexed", "stale", "invalid", "quarantined"}
MARKS = (b"%PDF-1.7\n", b"PK\x03\x04", b"{\\rtf1 ", b"From a@b Mon Jan  1 00:00:00 2026\n", b"<!doctype html>")


def damaged(chance: random.Random) -> bytes:
    """A real document with bytes changed, cut out or doubled; or noise behind a mark of some format."""
    if chance.random() < 0.3:
        return chance.choice((*MARKS, b"")) + chance.randbytes(chance.randrange(1, 3000))
    content = bytearray(chance.choice(EXAMPLES).read_bytes())
    for _ in range(chance.randrange(1, 30)):
        at = chance.randrange(len(content))
        content[at : at + chance.randrange(0, 40)] = chance.randbytes(chance.randrange(0, 8))
        if not content:
            return b"x"
    return bytes(content[: chance.randrange(1, len(content) + 1)] if chance.random() < 0.3 else content)


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_of_damaged_files_ends_and_loses_nobody(base: KnowledgeBase, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a reproducible batch
    files = {f"{n}.{suffix}": damaged(chance) for n, suffix in enumerate(SUFFIXES * 3)}
    load(base, {**files, "memo.txt": MEMO.encode()})
    job = Job.objects.get()
    assert job.status == "completed", job.error
    assert [s.status for s in job.stages.all()] == ["done"] * len(STAGES)
    sources = Source.objects.all()
    assert {s.processing_status for s in sources} <= FINAL
    refused = [s for s in sources if s.processing_status in ("invalid", "quarantined")]
    assert all(s.warnings[0]["message"] for s in refused)
    assert Source.objects.get(path="memo.txt").processing_status == "indexed"
    for row in Evidence.objects.select_related("source__stored"):
        stored = row.source.stored
        assert stored.text[row.start : row.end] == row.excerpt
        assert all(row.end <= part["start"] or part["end"] <= row.start for part in stored.excluded)
