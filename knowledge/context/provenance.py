"""Which evidence of a statement may be shown as its support."""

import hashlib
import re

from knowledge.records import Evidence, Statement

SHA256 = re.compile(r"[0-9a-f]{64}")


def usable_evidence(statement: Statement) -> tuple[Evidence, ...]:
    """In a stable order; evidence that is missing, altered or of another statement or source supports nothing."""
    usable = (evidence for evidence in statement.evidence if _supports(evidence, statement))
    return tuple(sorted(usable, key=lambda e: (e.source_name, e.source_path, e.start, e.id)))


def _supports(evidence: Evidence, statement: Statement) -> bool:
    is_own = evidence.statement_id == statement.id
    is_known = not statement.source_ids or evidence.source_id in statement.source_ids
    is_there = not evidence.missing and bool(evidence.excerpt.strip())
    return is_own and is_known and is_there and _is_whole(evidence)


def _is_whole(evidence: Evidence) -> bool:
    """The excerpt still has the digest it was recorded with, where that is one we can compute."""
    if not SHA256.fullmatch(evidence.excerpt_hash):
        return True
    return hashlib.sha256(evidence.excerpt.encode("utf-8", "surrogatepass")).hexdigest() == evidence.excerpt_hash
