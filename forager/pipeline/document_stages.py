"""The five stages that look at one source: what to ask the reader for, and how its answer becomes rows.

Reading takes long and the store has one writer at a time, so nothing is held while a document is being read; what was
read is written in one unit, with a checkpoint for each stage.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from forager.model import blobs
from forager.model.blobs import Blob
from forager.model.ids import sha256_text, stable_id
from forager.model.models import Chunk, Source, SourceText
from forager.parsing.document import Block, BlockKind, Cell, Document, Excluded, Ledger
from forager.pipeline import recording, registration, vocabularies
from forager.pipeline.stages import CHUNKER_VERSION, DOCUMENT_STAGES, PARSER_VERSION
from forager.reading.messages import Refusal, Request
from forager.reading.reader import Read

CHUNK_CHARACTERS = 1200
MAX_CHILD_DEPTH = 2
TOO_DEEP = {
    "code": "nested_too_deep",
    "message": f"What lies in it is not read: it is nested more than {MAX_CHILD_DEPTH} deep.",
    "locator": "",
    "next_action": "Unpack it once and load the inner file.",
}
REGISTRATION, PARSING, UNDERSTANDING = DOCUMENT_STAGES[0], DOCUMENT_STAGES[1], DOCUMENT_STAGES[4]
GONE = ("bytes_missing", "bytes_changed")


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What a unit did: the stage at which it failed ("" when it did not), why, and how many children it brought."""

    failed_at: str = ""
    refusal: Refusal | None = None
    children: int = 0


def request_for(source: Source, *, parsed_before: bool) -> Request:
    """Asks for everything, or only for understanding where the stored text stands."""
    return Request(
        path=source.path,
        name=source.original_name,
        blob=str(blobs.path_of(source.blob)),
        sha256=source.blob,
        document=load(source) if parsed_before else None,
        vocabulary=vocabularies.words_of(source.base),
    )


def write(source: Source, read: Read[Blob]) -> Written:
    """Inside a unit: the rows of one document. A document that gives nothing says why, and what it said before ends."""
    children = 0
    text = source.stored.text if read.parsed is None and hasattr(source, "stored") else ""
    chunks: Sequence[Chunk] | None = None
    if read.parsed is not None and read.parsed.document is not None:
        text = read.parsed.document.text
        children = _store_text(source, read.parsed.document, read.parsed.plain_hash, read.children)
        chunks = _store_chunks(source, read.parsed.document)
    refusal, failed_at = _refusal_of(read)
    if refusal is not None:
        set_aside(source, refusal)
        return Written(failed_at, refusal, children)
    if read.understood is not None:
        with vocabularies.of(source.base):
            source.knowledge_count = recording.record(source, read.understood, text, chunks)
    if source.processing_status in ("invalid", "quarantined"):
        source.processing_status = "processing"
    return Written(children=children)


def _refusal_of(read: Read[Blob]) -> tuple[Refusal | None, str]:
    if read.parsed is not None and read.parsed.refusal is not None:
        refusal = read.parsed.refusal
        return refusal, REGISTRATION if refusal.code in GONE else PARSING
    if read.understood is not None and read.understood.refusal is not None:
        return read.understood.refusal, UNDERSTANDING
    if read.refusal is not None:
        return read.refusal, UNDERSTANDING if read.parsed is not None else PARSING
    return None, ""


def set_aside(source: Source, refusal: Refusal) -> None:
    """Unreadable documents are invalid; those that harmed the reader are quarantined."""
    if source.pipeline_version:
        recording.withdraw(source)
    source.processing_status = "quarantined" if refusal.harmful else "invalid"
    told = {"code": refusal.code, "message": refusal.message, "locator": "", "next_action": refusal.next_action}
    source.warnings = [told]
    source.knowledge_count = 0


def _store_text(source: Source, document: Document, plain_hash: str, children: Sequence[tuple[str, Blob]]) -> int:
    row = SourceText(
        source=source,
        text=document.text,
        text_hash=sha256_text(document.text),
        plain_hash=plain_hash,
        blocks=[_block_json(b) for b in document.blocks],
        excluded=[dataclasses.asdict(e) for e in document.excluded],
        metadata=dict(document.metadata),
        representation=f"{document.source_type}/{PARSER_VERSION}",
    )
    kept = ("text", "text_hash", "plain_hash", "blocks", "excluded", "metadata", "representation")
    SourceText.objects.bulk_create([row], update_conflicts=True, unique_fields=["source"], update_fields=kept)
    source.source_type, source.media_type = document.source_type, document.media_type
    source.title, source.encoding = document.title[:500], document.encoding
    source.document_date, source.document_date_from = document.document_date, document.document_date_from[:100]
    source.origin_id = f"org_{plain_hash[:20] or source.pk[4:]}"
    source.warnings = [dataclasses.asdict(w) for w in document.warnings]
    source.ledger = _ledger_json(document.ledger)
    if not children:
        return 0
    if _depth(source) >= MAX_CHILD_DEPTH:
        source.warnings = [*source.warnings, TOO_DEEP]
        return 0
    source.save()
    registered = [registration.register_child(source, name, blob) for name, blob in children]
    return sum(one is not None and one.is_new for one in registered)


def _store_chunks(source: Source, document: Document) -> list[Chunk]:
    """Searchable stretches of whole blocks; a new section starts a new one."""
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
    if source.pipeline_version or source.chunk_count:
        Chunk.objects.filter(source=source).delete()
    Chunk.objects.bulk_create(rows, ignore_conflicts=True)
    source.chunk_count = len(rows)
    return rows


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
