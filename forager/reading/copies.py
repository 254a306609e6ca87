"""By what copies of a document are recognised, in whatever notation."""

import re

from forager.extraction import lexicon
from forager.model.ids import digest
from forager.parsing.document import Document


def plain_hash(document: Document) -> str:
    """Of the evidence words, by which copies in other notation (spaces, case, marks, file type) are recognised."""
    words = re.findall(r"\w+", lexicon.fold(_evidence_text(document)))
    return digest(words) if words else ""


def _evidence_text(document: Document) -> str:
    kept, at = [], 0
    for part in document.excluded:
        kept.append(document.text[at : max(at, part.start)])
        at = max(at, part.end)
    return " ".join([*kept, document.text[at:]])
