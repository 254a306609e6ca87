"""Fills a throw-away store with published statements, as a run leaves them, without reading any document."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from forager.model.ids import sha256_text
from forager.model.models import (
    Alias,
    Chunk,
    Document,
    Entity,
    Evidence,
    KnowledgeBase,
    Mention,
    Revision,
    Source,
    SourceText,
    Statement,
)
from forager.pipeline import registration
from forager.process import store
from forager.search import keeping

THINGS = 500
LINES_A_CHUNK = 10


class Filling:
    """One base; every statement has one excerpt, every fifth names one of 500 things."""

    def __init__(self, name: str) -> None:
        store.prepare()
        self.base = registration.create_base(name)
        self.count = 0
        self.now = timezone.now()
        self._things()

    def _things(self) -> None:
        shared = {"base": self.base, "rev_from": 1}
        names = [(f"ent_{self.base.pk[5:11]}{n}", f"Thing {n}") for n in range(THINGS)]
        Entity.objects.bulk_create(
            Entity(entity_id=i, type="name", canonical_name=name, confidence=1.0, **shared) for i, name in names
        )
        Alias.objects.bulk_create(
            Alias(entity_id=i, alias=n, folded=n.casefold(), kind="name", reason="as written", confidence=1.0, **shared)
            for i, n in names
        )
        self.entities = [i for i, _ in names]

    @transaction.atomic
    def add(self, lines: Sequence[str], each: int) -> None:
        for at in range(0, len(lines), each):
            self._document(lines[at : at + each])

    def _document(self, lines: Sequence[str]) -> None:
        number = self.count // len(lines) if lines else 0
        mark = f"{self.base.pk[5:11]}{self.count}"
        document = Document.objects.create(
            id=f"doc_{mark}", base=self.base, path=f"{number}.txt", state="active",
            current_source_id=f"src_{mark}", created_at=self.now,
        )  # fmt: skip
        source = Source.objects.create(
            id=f"src_{mark}", document=document, base=self.base, sequence=1, original_name=f"{number}.txt",
            path=f"{number}.txt", content_hash=sha256_text(mark), size_bytes=1, processing_status="indexed",
            registered_at=self.now, published_revision=1,
        )  # fmt: skip
        text = "\n".join(lines)
        SourceText.objects.create(
            source=source, text=text, text_hash=sha256_text(text), plain_hash=sha256_text(text), blocks=[],
            excluded=[], metadata={}, representation="txt/1",
        )  # fmt: skip
        starts = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines))]
        locator = {"kind": "line", "line": 1}
        Chunk.objects.bulk_create(
            Chunk(
                id=f"ch_{mark}x{n}", source=source, start=starts[n],
                end=starts[min(n + LINES_A_CHUNK, len(lines)) - 1] + len(lines[min(n + LINES_A_CHUNK, len(lines)) - 1]),
                location="Line 1", locator=locator,
            )
            for n in range(0, len(lines), LINES_A_CHUNK)
        )  # fmt: skip
        self._statements(source, lines, starts, mark)

    def _statements(self, source: Source, lines: Sequence[str], starts: Sequence[int], mark: str) -> None:
        shared = {"base": self.base, "rev_from": 1}
        made = {"extractor_name": "bench", "extractor_version": "1", "confidence": 0.9}
        Statement.objects.bulk_create(
            Statement(
                item_id=f"ki_{mark}x{n}", type="fact", text=line, title=line[:200], support="direct_fact",
                support_reason="", recorded_at=self.now, evidence_count=1, origins=1, content_hash="", **made, **shared,
            )
            for n, line in enumerate(lines)
        )  # fmt: skip
        Evidence.objects.bulk_create(
            Evidence(
                evidence_id=f"ev_{mark}x{n}", item_id=f"ki_{mark}x{n}", source=source,
                chunk_id=f"ch_{mark}x{n - n % LINES_A_CHUNK}", location="Line 1", locator={"kind": "line", "line": 1},
                start=starts[n], end=starts[n] + len(line), excerpt=line, excerpt_hash=sha256_text(line),
                **made, **shared,
            )
            for n, line in enumerate(lines)
        )  # fmt: skip
        named = range(0, len(lines), 5)
        Mention.objects.bulk_create(
            Mention(
                item_id=f"ki_{mark}x{n}", name="Thing", type="name", facts=[],
                entity_id=self.entities[(self.count + n) % THINGS], **shared,
            )
            for n in named
        )  # fmt: skip
        self.count += len(lines)

    def publish(self) -> str:
        Revision.objects.create(
            id=f"rev_{self.base.pk[5:]}", base=self.base, sequence=1, logical_content_hash="", added=self.count,
            changed=0, superseded=0, withdrawn=0, published_at=timezone.now(),
        )  # fmt: skip
        KnowledgeBase.objects.filter(pk=self.base.pk).update(current_revision=1, knowledge_count=self.count)
        self.base.refresh_from_db()
        keeping.rebuild(self.base)
        return self.base.pk
