"""What every parser gives: one text, blocks over it with places a person can follow, and what must not be evidence.

Parsers are pure: bytes in, ``Document`` out; no database, settings or HTTP. Offsets are code points into ``text``
and half-open. Blocks come in reading order and do not overlap; text outside every block is layout only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

type Locator = Mapping[str, str | int]
"""``{"kind": "page", "page": 3}``: kind is one of page, section, slide, sheet, row, part, line."""


class BlockKind(StrEnum):
    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    KEY_VALUE = "key_value"
    TABLE_ROW = "table_row"
    CODE = "code"
    MAIL_HEADER = "mail_header"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table row; ``head`` is its column head, empty when the table has none."""

    head: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """``section`` is the path of headings above it; ``location`` is the place in words for a person.

    ``lead_in`` is the sentence a list hangs under ("The following are required:"). ``level`` is a heading's depth.
    """

    start: int
    end: int
    kind: BlockKind
    location: str
    locator: Locator
    section: tuple[str, ...] = ()
    level: int = 0
    lead_in: str = ""
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Excluded:
    """Text that is stored and shown but is no evidence; ``reason``: quoted, signature, hidden, deleted, struck."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """``next_action`` tells the operator what to do; empty when nothing needs doing."""

    code: str
    message: str
    locator: str = ""
    next_action: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was read, in the format's own ``unit`` (page, row, paragraph, line). ``silent``: (place, reason)."""

    unit: str
    units: int
    read: int
    skipped: int = 0
    silent: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Child:
    """A document inside this one (attachment, archive entry); parsed as a source of its own.

    ``unfold`` gives its bytes when they are handed on, so that an archive is never held unfolded.
    """

    name: str
    unfold: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Document:
    """``document_date`` is ISO (precision as found) and ``document_date_from`` says which words or field gave it.

    ``metadata`` holds mail headers or front matter by lower-case name.
    """

    text: str
    blocks: tuple[Block, ...]
    source_type: str
    media_type: str
    title: str = ""
    encoding: str = ""
    document_date: str = ""
    document_date_from: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    excluded: tuple[Excluded, ...] = ()
    warnings: tuple[ParseWarning, ...] = ()
    ledger: Ledger = field(default_factory=lambda: Ledger("unit", 0, 0))
    children: tuple[Child, ...] = ()


class UnreadableDocumentError(Exception):
    """The bytes cannot become a document. ``code`` is stable, the message is plain, ``next_action`` is what to do."""

    def __init__(self, code: str, message: str, next_action: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.next_action = next_action


type Parser = Callable[[bytes, str], Document]
"""``parse(content, name)``; raises ``UnreadableDocumentError`` and nothing else for bad bytes."""
