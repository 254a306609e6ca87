"""What one page about a source needs, read at once."""

from dataclasses import dataclass

from knowledge.records.sources import Changes, Document, Source, SourceText
from knowledge.records.statements import Statement


@dataclass(frozen=True, slots=True)
class SourceBrief:
    """``text`` is None where it is withheld or too long to come along: ask for it by itself, which tells.

    ``statements`` are the first 200 that rest on the source, whole; ``changes`` is None while there is one version.
    """

    source: Source
    document: Document
    text: SourceText | None
    statements: tuple[Statement, ...]
    changes: Changes | None
