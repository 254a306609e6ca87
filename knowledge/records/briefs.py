"""What one page needs, read at once: of a source, and of a package."""

from dataclasses import dataclass

from knowledge.records.sources import Changes, Document, Source, SourceText
from knowledge.records.statements import CheckedReference, Statement


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


@dataclass(frozen=True, slots=True)
class Standing:
    """References checked, past ones too, in the order asked, with what they name as it stands now.

    ``successors`` took the place of some of ``statements``; ``sources`` are those named that the base knows.
    """

    items: tuple[CheckedReference, ...]
    statements: tuple[Statement, ...]
    successors: tuple[Statement, ...]
    sources: tuple[Source, ...]
    view_id: str
