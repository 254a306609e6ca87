"""Ranked rows are looked at: which of them may be seen, and what ranking needs to know of those."""

from collections.abc import Sequence
from typing import NamedTuple

from forager.search import narrowing, plain
from forager.search.backend import Where

STATEMENTS = (
    "SELECT s.id, s.item_id, s.confidence, e.source_id FROM {keys} forager_statement s ON s.id = k.value "
    "LEFT JOIN forager_evidence e ON e.base_id = s.base_id AND e.item_id = s.item_id AND {seen} WHERE {found}"
)
CHUNKS = (
    "SELECT c.id, c.source_id FROM {keys} forager_chunk c ON c.id = k.value "
    "JOIN forager_source o ON o.id = c.source_id JOIN forager_document d ON d.id = o.document_id WHERE {found}"
)


class Standing(NamedTuple):
    """``sources`` has one entry an excerpt; a statement made by hand has none."""

    item: str
    confidence: float
    sources: list[str]


def statements(where: Where, rows: Sequence[int]) -> dict[int, Standing]:
    if not rows:
        return {}
    found, revision = narrowing.statements(where), where.base.current_revision
    keys, listed = plain.keys(list(rows))
    sql = STATEMENTS.format(keys=keys, seen=plain.seen("e"), found=found.text)
    told: dict[int, Standing] = {}
    for row, item, confidence, source in plain.fetch(sql, [listed, revision, revision, *found.values]):
        standing = told.get(row)
        if standing is None:
            told[row] = Standing(item, confidence, [source] if source else [])
        else:
            standing.sources.append(source)
    return told


def chunks(where: Where, ids: Sequence[str]) -> dict[str, str]:
    """The source of each."""
    if not ids:
        return {}
    found = narrowing.chunks(where)
    keys, listed = plain.keys(list(ids))
    sql = CHUNKS.format(keys=keys, found=found.text)
    return dict(plain.fetch(sql, [listed, *found.values]))
