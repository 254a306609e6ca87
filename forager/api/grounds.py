"""What statements rest on, as the wire shows it: the excerpts that readers see, in plain reads."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from forager.api import shapes
from forager.model import states
from forager.model.models import KnowledgeBase
from forager.search import plain

JOINED = (
    "forager_evidence e JOIN forager_source o ON o.id = e.source_id JOIN forager_document d ON d.id = o.document_id"
)
EXCERPTS = (
    "e.evidence_id, e.item_id, o.document_id, o.id, o.original_name, o.path, o.source_type, o.content_hash, "
    "t.text_hash, t.representation, e.extractor_version, e.chunk_id, e.location, e.locator, e.start, "
    f'e."end", e.excerpt, e.excerpt_hash, e.extractor_name, e.confidence, e.missing_excerpt FROM {JOINED} '
    "JOIN forager_sourcetext t ON t.source_id = o.id"
)


class Rest(NamedTuple):
    """What a statement rests on, as far as its own shape tells."""

    source_id: str
    document_id: str
    origin_id: str
    band: str


def rests(base: KnowledgeBase, ids: Sequence[str]) -> dict[str, list[Rest]]:
    """By statement, in no order. No read is asked for more often: of the evidence an index alone is read."""
    found: dict[str, list[Rest]] = defaultdict(list)
    sql = f"SELECT e.item_id, e.source_id, o.document_id, o.origin_id, d.band FROM {JOINED}"  # noqa: S608
    for item, *rest in _told(sql, base, "e.item_id", ids, order=""):
        found[item].append(Rest._make(rest))
    return found


def evidence(base: KnowledgeBase, ids: Sequence[str]) -> dict[str, list[shapes.Evidence]]:
    """Whole, by statement."""
    found: dict[str, list[shapes.Evidence]] = defaultdict(list)
    for row in _told(f"SELECT {EXCERPTS}", base, "e.item_id", ids):
        found[row[1]].append(_shape(row))
    return found


def excerpts(base: KnowledgeBase, evidence_ids: Sequence[str]) -> list[shapes.Evidence]:
    """Whole, by their own ids and in their order."""
    return [_shape(row) for row in _told(f"SELECT {EXCERPTS}", base, "e.evidence_id", evidence_ids)]


def evidence_ids(base: KnowledgeBase, ids: Sequence[str]) -> dict[str, list[str]]:
    """By statement, for what tells of its excerpts no more than that they are there."""
    found: dict[str, list[str]] = defaultdict(list)
    for item, piece in _told(f"SELECT e.item_id, e.evidence_id FROM {JOINED}", base, "e.item_id", ids):  # noqa: S608
        found[item].append(piece)
    return found


def _told(
    sql: str, base: KnowledgeBase, column: str, among: Sequence[str], order: str = "ORDER BY e.evidence_id"
) -> list[tuple[Any, ...]]:
    """None from documents that are off, in the order of evidence unless another is given; "" is none."""
    if not among:
        return []
    revision = base.current_revision
    these, listed = plain.among(column, list(among))
    return plain.fetch(
        f"{sql} WHERE e.base_id = %s AND {these} AND {plain.seen('e')} "
        f"AND d.state NOT IN ({plain.marks(states.OFF)}) {order}",
        [base.pk, listed, revision, revision, *states.OFF],
    )


def _shape(row: tuple[Any, ...]) -> shapes.Evidence:
    piece, item, document, source, name, path, kind, content_hash, text_hash, representation, *more = row
    version, chunk, location, locator, start, end, excerpt, excerpt_hash, extractor, confidence, missing = more
    return {
        "id": piece,
        "target_id": item,
        "document_id": document,
        "source_id": source,
        "source_name": name,
        "source_path": path,
        "source_type": kind,
        "version": content_hash,
        "text_hash": text_hash,
        "representation": representation,
        "segmentation": f"blocks/{version}",
        "chunk_id": chunk,
        "location": location,
        "locator": json.loads(locator),
        "start": start,
        "end": end,
        "excerpt": excerpt,
        "excerpt_hash": excerpt_hash,
        "extractor_name": extractor,
        "extractor_version": version,
        "model_name": None,
        "confidence": confidence,
        "missing_excerpt": bool(missing),
    }
