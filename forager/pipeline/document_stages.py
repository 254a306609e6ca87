"""The five stages that look at one source. Each does its work first and answers what writes its rows; bad bytes raise.

The work may take long and the store has one writer at a time, so nothing is held while a document is being read.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from forager.extraction import lexicon, statements
from forager.extraction.model import Extracted
from forager.model import blobs
from forager.model.ids import digest, sha256_text, stable_id
from forager.model.models import Chunk, Source, SourceText
from forager.parsing.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Excluded,
    Ledger,
    UnreadableDocumentError,
)
from forager.parsing.registry import parse
from forager.pipeline import recording, registration, vocabularies
from forager.pipeline.stages import CHUNKER_VERSION, PARSER_VERSION

CHUNK_CHARACTERS = 1200
MAX_CHILD_DEPTH = 2
TOO_DEEP = {
    "code": "nested_too_deep",
    "message": f"What lies in it is not read: it is nested more than {MAX_CHILD_DEPTH} deep.",
    "locator": "",
    "next_action": "Unpack it once and load the inner file.",
}

type Write = Callable[[], None]


def register(source: Source) -> Write:
    """The bytes are there and are the ones that were uploaded."""
    path = blobs.path_of(source.content_hash)
    if not path.exists():
        raise UnreadableDocumentError("bytes_missing", "The stored bytes are gone.", "Upload the file again.")
    if path.stat().st_size != source.size_bytes:
        raise UnreadableDocumentError("bytes_changed", "The stored bytes were changed.", "Upload the file again.")
    return _nothing


def extract_text(source: Source) -> Write:
    """Bytes to the one stored text, blocks and warnings; attachments and entries become sources of their own."""
    return partial(_store_text, source, parse(blobs.read(source.content_hash), source.original_name))


def _store_text(source: Source, document: Document) -> None:
    SourceText.objects.update_or_create(
        source=source,
        defaults={
            "text": document.text,
            "text_hash": sha256_text(document.text),
            "plain_hash": "",
            "blocks": [_block_json(b) for b in document.blocks],
            "excluded": [dataclasses.asdict(e) for e in document.excluded],
            "metadata": dict(document.metadata),
            "representation": f"{document.source_type}/{PARSER_VERSION}",
        },
    )
    source.source_type, source.media_type = document.source_type, document.media_type
    source.title, source.encoding = document.title[:500], document.encoding
    source.document_date, source.document_date_from = document.document_date, document.document_date_from[:100]
    source.warnings = [dataclasses.asdict(w) for w in document.warnings]
    source.ledger = _ledger_json(document.ledger)
    source.save()
    if _depth(source) < MAX_CHILD_DEPTH:
        for child in document.children:
            registration.register_child(source, child)
    elif document.children:
        source.warnings = [*source.warnings, TOO_DEEP]
        source.save(update_fields=["warnings"])


def normalize(source: Source) -> Write:
    """The hash by which copies in other notation (spaces, case, marks, file type) are recognised."""
    stored = source.stored
    words = re.findall(r"\w+", lexicon.fold(_evidence_text(stored)))
    stored.plain_hash = digest(words) if words else ""
    return partial(stored.save, update_fields=["plain_hash"])


def chunk(source: Source) -> Write:
    """Searchable stretches of whole blocks; a new section starts a new one."""
    document = load(source)
    rows = [
        Chunk(
            id=stable_id("ch", source.base.namespace, source.pk, CHUNKER_VERSION, blocks[0].start, blocks[-1].end),
            source=source,
            start=blocks[0].start,
            end=blocks[-1].end,
            location=blocks[0].location[:500],
            locator=dict(blocks[0].locator),
        )
        for blocks in _grouped(document)
    ]
    return partial(_store_chunks, source, rows)


def _store_chunks(source: Source, rows: Sequence[Chunk]) -> None:
    Chunk.objects.filter(source=source).delete()
    Chunk.objects.bulk_create(rows)
    source.chunk_count = len(rows)
    source.save(update_fields=["chunk_count"])


def extract_statements(source: Source) -> Write:
    """The document's sentences as statements, each with its excerpt."""
    document = load(source)
    with vocabularies.of(source.base):
        found = statements.read(document, source.path)
    return partial(_store_statements, source, found, document.text)


def _store_statements(source: Source, found: Sequence[Extracted], text: str) -> None:
    with vocabularies.of(source.base):
        source.knowledge_count = recording.record(source, found, text)
    source.save(update_fields=["knowledge_count"])


def _nothing() -> None:
    """For a stage that only looks."""


STAGES: Mapping[str, Callable[[Source], Write]] = {
    "source_registration": register,
    "parsing_extraction": extract_text,
    "normalization": normalize,
    "chunking": chunk,
    "semantic_extraction": extract_statements,
}


def set_aside(source: Source, error: UnreadableDocumentError) -> None:
    """The source cannot be read; it says so, and what it said before ends."""
    recording.withdraw(source)
    source.processing_status = "invalid"
    source.warnings = [{"code": error.code, "message": error.message, "locator": "", "next_action": error.next_action}]
    source.knowledge_count = 0
    source.save()


def load(source: Source) -> Document:
    """The parsed document as stored."""
    stored = source.stored
    return Document(
        text=stored.text,
        blocks=tuple(_block(b) for b in stored.blocks),
        source_type=source.source_type,
        media_type=source.media_type,
        title=source.title,
        document_date=source.document_date,
        document_date_from=source.document_date_from,
        metadata=stored.metadata,
        excluded=tuple(Excluded(**e) for e in stored.excluded),
    )


def _depth(source: Source) -> int:
    """How many archives or mails it lies in."""
    return 0 if source.parent is None else 1 + _depth(source.parent)


def _evidence_text(stored: SourceText) -> str:
    text = stored.text
    for part in sorted(stored.excluded, key=lambda e: -int(e["start"])):
        text = text[: part["start"]] + " " + text[part["end"] :]
    return text


def _grouped(document: Document) -> Iterator[list[Block]]:
    group: list[Block] = []
    for block in document.blocks:
        if any(block.start < e.end and e.start < block.end for e in document.excluded) or block.end <= block.start:
            continue
        size = block.end - group[0].start if group else 0
        heads = block.kind in (BlockKind.HEADING, BlockKind.TITLE)
        if group and (size > CHUNK_CHARACTERS or (heads and group[-1].kind is not BlockKind.HEADING)):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _block_json(block: Block) -> dict[str, Any]:
    row = dataclasses.asdict(block)
    row["locator"] = dict(block.locator)
    return row


def _block(row: Mapping[str, Any]) -> Block:
    return Block(
        start=row["start"],
        end=row["end"],
        kind=BlockKind(row["kind"]),
        location=row["location"],
        locator=row["locator"],
        section=tuple(row["section"]),
        level=row["level"],
        lead_in=row["lead_in"],
        cells=tuple(Cell(**c) for c in row["cells"]),
    )


def _ledger_json(ledger: Ledger) -> dict[str, Any]:
    silent = [{"locator": place, "reason": reason} for place, reason in ledger.silent]
    return {
        "unit": ledger.unit,
        "units": ledger.units,
        "read": ledger.read,
        "skipped": ledger.skipped,
        "silent": silent,
    }
