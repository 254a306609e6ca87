"""The whole of understanding without a store: documents in, statements, entities and conflicts out.

The pipeline does the same over rows; this is what benchmarks and tests measure.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from forager.extraction import lexicon, statements
from forager.extraction.claims import key_of
from forager.extraction.model import Extracted
from forager.parsing.document import Document, UnreadableDocumentError
from forager.parsing.registry import parse
from forager.resolution.conflicts import FoundConflict, detect
from forager.resolution.entities import FoundEntity, resolve
from forager.resolution.name_links import NamedAs
from forager.resolution.placed import Origin, Placed
from forager.resolution.subjects import Subjects


@dataclass(frozen=True, slots=True)
class Understanding:
    """``documents`` and ``said`` are by path; ``unread`` names what could not be read, with its code."""

    documents: Mapping[str, Document]
    said: Mapping[str, tuple[Extracted, ...]]
    entities: tuple[FoundEntity, ...]
    conflicts: tuple[FoundConflict, ...]
    unread: Mapping[str, str]


def understand(contents: Mapping[str, bytes]) -> Understanding:
    documents, unread = {}, {}
    for path, content in contents.items():
        try:
            documents[path] = parse(content, path.rpartition("/")[2])
        except UnreadableDocumentError as error:
            unread[path] = error.code
    said = {path: statements.read(document, path) for path, document in documents.items()}
    entities = resolve(_named(said))
    read = Understanding(documents, said, tuple(entities), (), unread)
    conflicts, _ = detect(placed_claims(read))
    return replace(read, conflicts=tuple(conflicts))


def placed_claims(read: Understanding) -> list[Placed]:
    """Every claim with where it stands, subjects under the entities' own names."""
    subjects = Subjects((n, e.name) for e in read.entities for n in (e.name, *(a.alias for a in e.aliases)))
    return [p for path, document in read.documents.items() for p in _placed(path, document, read.said[path], subjects)]


def _named(said: Mapping[str, tuple[Extracted, ...]]) -> list[NamedAs]:
    counts = Counter((m.name, m.type, m.facts) for found in said.values() for one in found for m in one.mentions)
    return [NamedAs(name, kind, count, facts) for (name, kind, facts), count in sorted(counts.items())]


def _placed(path: str, document: Document, said: tuple[Extracted, ...], subjects: Subjects) -> list[Placed]:
    origin = Origin(path, path, path, path, document.document_date, authoritative=False)
    return [
        Placed(
            item_id=f"{lexicon.fold(one.text)}|{key_of(one.frame) if one.frame else ''}",
            excerpt_hash=document.text[one.start : one.end],
            span=(one.start, one.end),
            statement=one.text,
            subject_origin=one.frame.origin if one.frame else "none",
            key=subjects.resolved(claim.key),
            claim=subjects.named(claim),
            origin=origin,
        )
        for one in said
        for claim in one.claims
    ]
