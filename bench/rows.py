"""Rows of a made-up base, as a run would leave them: excerpts stand in their texts and every digest is right."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db.models import Model

from forager.model.ids import digest, sha256_text
from forager.model.models import (
    Conflict,
    ConflictMember,
    ConflictSide,
    Document,
    Evidence,
    KnowledgeBase,
    Source,
    SourceText,
    Statement,
)

A_DOCUMENT = 50
BATCH = 2000


class Rows:
    """Statement ``n`` states a fee; 2k and 2k + 1 state two fees of one pier, in two documents."""

    def __init__(self, base: KnowledgeBase, now: datetime) -> None:
        self.base, self.now = base, now

    def documents(self, statements: int) -> Iterator[Model]:
        for at in range(statements // A_DOCUMENT):
            yield Document(
                id=f"doc_{at:020}",
                base=self.base,
                path=_path(at),
                state="active",
                current_source_id=f"src_{at:020}",
                created_at=self.now,
            )

    def sources(self, statements: int) -> Iterator[Model]:
        for at in range(statements // A_DOCUMENT):
            text = _text(at, statements)
            yield Source(
                id=f"src_{at:020}", document_id=f"doc_{at:020}", base=self.base, sequence=1,
                original_name=_path(at)[4:], path=_path(at), source_type="txt",
                content_hash=sha256_text(text), size_bytes=len(text),
                processing_status="indexed", document_date="2026-02-01", origin_id=f"org_{at}", registered_at=self.now,
                knowledge_count=A_DOCUMENT, published_revision=1,
            )  # fmt: skip

    def texts(self, statements: int) -> Iterator[Model]:
        for at in range(statements // A_DOCUMENT):
            text = _text(at, statements)
            block = {"start": 0, "end": len(text), "kind": "paragraph", "location": "paragraph 1", "locator": {}}
            yield SourceText(
                source_id=f"src_{at:020}", text=text, text_hash=sha256_text(text), plain_hash=sha256_text(text),
                representation="txt/1", blocks=[block], excluded=[], metadata={},
            )  # fmt: skip

    def statements(self, statements: int) -> Iterator[Model]:
        for n in range(statements):
            yield Statement(
                item_id=_item(n), base=self.base, type="fact", text=_sentence(n), subject=f"pier {n // 2}",
                subject_origin="named", attribute_key=f"pier_{n // 2}|fee", attribute_value=f"EUR {_fee(n)}",
                support="direct_fact", support_reason="Stated outright.", confidence=0.9, recorded_at=self.now,
                extractor_name="rules", extractor_version="1", evidence_count=1, origins=1, content_hash=_item(n),
                rev_from=1,
            )  # fmt: skip

    def evidence(self, statements: int) -> Iterator[Model]:
        for at in range(statements // A_DOCUMENT):
            start = 0
            for n in _of(at, statements):
                sentence = _sentence(n)
                yield Evidence(
                    evidence_id=f"ev_{n:020}", base=self.base, item_id=_item(n), source_id=f"src_{at:020}",
                    location="paragraph 1", locator={"kind": "paragraph", "paragraph": 1}, start=start,
                    end=start + len(sentence), excerpt=sentence, excerpt_hash=sha256_text(sentence),
                    extractor_name="rules", extractor_version="1", confidence=0.9, rev_from=1,
                )  # fmt: skip
                start += len(sentence) + 1

    def write_conflicts(self, conflicts: int) -> None:
        for low in range(0, conflicts, BATCH):
            made = Conflict.objects.bulk_create(
                Conflict(
                    conflict_id=f"cf_{k:020}", base=self.base, type="attribute_mismatch", subject=f"pier_{k}",
                    attribute_key=f"pier_{k}|fee", description="2 different values were stated.", why="",
                    digest=digest(k), detected_at=self.now - timedelta(days=k % 60), rev_from=1,
                )
                for k in range(low, min(low + BATCH, conflicts))
            )  # fmt: skip
            sides = ConflictSide.objects.bulk_create(
                ConflictSide(
                    conflict=row, side_id=f"cs_{2 * (low + at) + side:020}", position=side,
                    value=f"EUR {_fee(2 * (low + at) + side)}", value_raw="", origins=1 + (low + at) % 3 * side,
                    digest=digest(low + at, side),
                )
                for at, row in enumerate(made)
                for side in range(2)
            )  # fmt: skip
            self._members(sides, low)

    @staticmethod
    def _members(sides: Iterable[ConflictSide], low: int) -> None:
        ConflictMember.objects.bulk_create(
            ConflictMember(
                side=side, item_id=_item(n), source_id=f"src_{_document(n):020}", document_id=f"doc_{_document(n):020}",
                excerpt_hash=sha256_text(_sentence(n)),
            )
            for n, side in enumerate(sides, 2 * low)
        )  # fmt: skip


def _item(n: int) -> str:
    return f"ki_{n:020}"


def _path(at: int) -> str:
    return f"{at % 40:03}/list-{at}.txt"


def _fee(n: int) -> int:
    return 10 + n % 2 * 2


def _sentence(n: int) -> str:
    return f"The fee of Pier {n // 2} is {_fee(n)} EUR."


def _document(n: int) -> int:
    """Both sides of a pair lie in neighbouring documents."""
    return n // (2 * A_DOCUMENT) * 2 + n % 2


def _of(at: int, statements: int) -> range:
    low = at // 2 * 2 * A_DOCUMENT + at % 2
    return range(low, min(low + 2 * A_DOCUMENT, statements), 2)


def _text(at: int, statements: int) -> str:
    return " ".join(_sentence(n) for n in _of(at, statements))
