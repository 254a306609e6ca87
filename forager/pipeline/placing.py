"""Every claim of a base that stands, with where it stands, for the conflict pass: read in little memory."""

from collections.abc import Iterator, Set
from sys import intern
from typing import Any

from forager.extraction.model import Claim
from forager.model.models import Alias, Entity, Evidence, KnowledgeBase, Source, Statement
from forager.resolution.placed import Origin, Placed
from forager.resolution.subjects import Subjects

GONE = ("revoked", "retiring", "deleted")
"""Documents that do not come back. What is only withheld now keeps its conflicts, as moot, for when it does."""
ROWS_AT_ONCE = 2000


def placed(base: KnowledgeBase, superseded: Set[str]) -> list[Placed]:
    """From current versions of documents that are not off. ``superseded`` are sources with a newer version."""
    subjects, shared = _subjects(base), _Shared()
    origins = {origin.source_id: origin for origin in _origins(base) if origin.source_id not in superseded}
    standing = {item: (text, subject_origin) for item, text, subject_origin in _standing(base)}
    return [
        _place(item, excerpt_hash, span, *standing[item], shared.claim(read), subjects, origins[source])
        for item, source, excerpt_hash, span, claims in _evidence(base)
        if item in standing and source in origins
        for read in claims
    ]


def _place(
    item_id: str,
    excerpt_hash: str,
    span: tuple[int, int],
    statement: str,
    subject_origin: str,
    read: Claim,
    subjects: Subjects,
    origin: Origin,
) -> Placed:
    key = intern(subjects.resolved(read.key))
    return Placed(item_id, excerpt_hash, span, statement, subject_origin, key, subjects.named(read), origin)


def _origins(base: KnowledgeBase) -> Iterator[Origin]:
    rows = Source.objects.filter(base=base).exclude(document__state__in=GONE)
    names = ("pk", "document_id", "origin_id", "path", "document_date", "document__authoritative")
    for pk, document, origin, path, date, authoritative in rows.values_list(*names).iterator(ROWS_AT_ONCE):
        yield Origin(pk, document, origin or pk, path, date, authoritative)


def _standing(base: KnowledgeBase) -> Iterator[tuple[str, str, str]]:
    rows = Statement.objects.pending().filter(base=base).exclude(review_status="rejected")
    return rows.values_list("item_id", "text", "subject_origin").iterator(ROWS_AT_ONCE)


def _evidence(base: KnowledgeBase) -> Iterator[tuple[str, str, str, tuple[int, int], list[dict[str, Any]]]]:
    rows = Evidence.objects.pending().filter(base=base, missing_excerpt=False).exclude(claims=[])
    names = ("item_id", "source_id", "excerpt_hash", "start", "end", "claims")
    for item, source, excerpt_hash, start, end, claims in rows.values_list(*names).iterator(ROWS_AT_ONCE):
        yield item, source, excerpt_hash, (start, end), claims


class _Shared:
    """Claims of one document have most of their words in common; each word and each row of words is held once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, ...], tuple[str, ...]] = {}

    def claim(self, stored: dict[str, Any]) -> Claim:
        return Claim(**{name: self._once(value) for name, value in stored.items()})

    def _once(self, value: Any) -> Any:
        if isinstance(value, list):
            row = tuple(intern(word) for word in value)
            return self._rows.setdefault(row, row)
        return intern(value) if isinstance(value, str) else value


def _subjects(base: KnowledgeBase) -> Subjects:
    names = dict(Entity.objects.pending().filter(base=base).values_list("entity_id", "canonical_name"))
    aliases = Alias.objects.pending().filter(base=base, entity_id__in=names).values_list("alias", "entity_id")
    return Subjects((alias, names[entity]) for alias, entity in aliases)
