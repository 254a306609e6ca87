"""Mail: header lines and the body's text. Older mail and signatures are excluded, attachments become children."""

from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from functools import partial

from selectolax.lexbor import LexborHTMLParser

from forager.parsing.builder import TextBuilder
from forager.parsing.dates import of_metadata
from forager.parsing.document import (
    Block,
    BlockKind,
    Cell,
    Child,
    Document,
    Excluded,
    Ledger,
    Locator,
    ParseWarning,
    UnreadableDocumentError,
)
from forager.parsing.encoding import decode
from forager.parsing.html import walk_page
from forager.parsing.lines import Line, group_lines, lead_in_before, split_lines
from forager.parsing.mailparts import bytes_of, file_name, header_words, is_attachment, leaves, payload_of
from forager.parsing.mailquotes import excluded_lines
from forager.parsing.placing import in_order, merged
from forager.parsing.text import invisible_warning

HEADERS = ("From", "To", "Cc", "Date", "Subject")
HEADER_PLACE: tuple[str, Locator] = ("message header", {"kind": "part", "part": "header"})
BODY_PLACE: tuple[str, Locator] = ("message body", {"kind": "part", "part": "body"})


@dataclass
class _Reading:
    """What the walk over the parts has gathered."""

    out: TextBuilder = field(default_factory=TextBuilder)
    children: list[Child] = field(default_factory=list)
    warnings: list[ParseWarning] = field(default_factory=list)
    encoding: str = ""
    parts: int = 0


def parse_mail(content: bytes, name: str) -> Document:
    """Places are 'message header' and 'message body'."""
    message = _message(content)
    metadata = {key.lower(): words for key in HEADERS if (words := header_words(message, key))}
    reading = _Reading()
    _headers(reading.out, metadata)
    _bodies(reading, message)
    text = reading.out.text
    date, warning = _date(metadata.get("date", ""))
    return Document(
        text=text,
        blocks=in_order(reading.out.blocks, len(text)),
        source_type="email",
        media_type="message/rfc822",
        title=metadata.get("subject", ""),
        encoding=reading.encoding,
        document_date=date,
        document_date_from="Date header" if date else "",
        metadata=metadata,
        excluded=merged(reading.out.excluded, len(text)),
        warnings=(*reading.warnings, *warning, *invisible_warning(text)),
        ledger=Ledger("part", reading.parts, reading.parts),
        children=tuple(reading.children),
    )


def _message(content: bytes) -> Message:
    """compat32 keeps broken headers as they are; the newer policies raise on some of them."""
    if content.startswith(b"From "):
        content = content.split(b"\n", 1)[-1]
    try:
        message = BytesParser(policy=policy.compat32).parsebytes(content)
    except (MessageError, ValueError, RecursionError, LookupError) as error:
        raise _damaged() from error
    if not message.keys():
        raise _damaged()
    return message


def _damaged() -> UnreadableDocumentError:
    return UnreadableDocumentError(
        "damaged", "The file is no readable mail message.", "Save the message again as .eml."
    )


def _headers(out: TextBuilder, metadata: dict[str, str]) -> None:
    for key in HEADERS:
        value = metadata.get(key.lower(), "")
        if not value:
            continue
        start = out.length
        out.exclude(f"{key}: {value}", "")
        cell = Cell(key, start + len(key) + 2, out.length - 1)
        location, locator = HEADER_PLACE
        out.blocks.append(Block(start, out.length - 1, BlockKind.MAIL_HEADER, location, locator, cells=(cell,)))
    out.exclude("", "")


def _bodies(reading: _Reading, message: Message) -> None:
    plain_read = False
    for part in leaves(message):
        reading.parts += 1
        kind = part.get_content_type()
        if is_attachment(part):
            _attach(reading, part)
        elif kind == "text/html":
            if not plain_read:
                _html_body(reading, part)
        elif kind.startswith("text/"):
            plain_read = True
            _plain_body(reading, part)
        elif kind == "message/rfc822":
            _attach(reading, part)
        elif kind.startswith("multipart/"):
            _plain_body(reading, part)


def _attach(reading: _Reading, part: Message) -> None:
    name = file_name(part)
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        held = inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], Message) else None
        subject = header_words(held, "Subject") if held else ""
        name = name or f"{subject.replace('/', '-')[:80] or 'message'}.eml"
        content = bytes_of(held) if held else b""
    else:
        content = payload_of(part)
    name = name or f"attachment-{len(reading.children) + 1}"
    if content:
        reading.children.append(Child(name, partial(bytes, content)))


def _text_of(reading: _Reading, part: Message) -> str:
    charset = str(part.get_content_charset() or "")
    decoded = decode(payload_of(part), charset)
    reading.encoding = reading.encoding or decoded.encoding
    reading.warnings.extend(decoded.warnings)
    if charset and not _known(charset):
        message = f"The mail names an unknown encoding; it was read as {decoded.encoding}."
        reading.warnings.append(ParseWarning("unknown_charset", message, "message body", "Check the text."))
    return decoded.text


def _known(charset: str) -> bool:
    try:
        "".encode(charset)
    except (LookupError, ValueError):
        return False
    return True


def _html_body(reading: _Reading, part: Message) -> None:
    tree = LexborHTMLParser(_text_of(reading, part))
    walk = walk_page(tree, BODY_PLACE)
    shift = reading.out.length
    text = walk.out.text
    quoted = [Excluded(b.start, b.end, "quoted") for b in walk.out.blocks if b.kind is BlockKind.QUOTE]
    quoted.extend(excluded_lines(text, split_lines(text)))
    _append(reading.out, text, walk.out.blocks, (*walk.out.excluded, *quoted), shift)


def _plain_body(reading: _Reading, part: Message) -> None:
    text = _text_of(reading, part).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        return
    lines = split_lines(text)
    quoted = excluded_lines(text, lines)
    blocks = _body_blocks(text, [_blanked(line) if _within(line, quoted) else line for line in lines])
    _append(reading.out, text + "\n", blocks, quoted, reading.out.length)


def _within(line: Line, spans: tuple[Excluded, ...]) -> bool:
    return any(span.start <= line.start and line.end <= span.end for span in spans)


def _blanked(line: Line) -> Line:
    return Line(line.start, line.start, line.number)


def _body_blocks(text: str, lines: list[Line]) -> list[Block]:
    groups = tuple(group_lines(text, lines, headings=False))
    leads = lead_in_before(text, groups)
    location, locator = BODY_PLACE
    return [
        Block(
            start=group.start,
            end=group.end,
            kind=group.kind,
            location=location,
            locator={**locator, "line": group.first.number},
            lead_in=leads.get(group.start, ""),
            cells=group.cells,
        )
        for group in groups
    ]


def _append(out: TextBuilder, text: str, blocks: list[Block], excluded: tuple[Excluded, ...], shift: int) -> None:
    """Puts a body that was read on its own behind what is already there."""
    out.exclude(text, "")
    for block in blocks:
        if any(span.start <= block.start and block.end <= span.end for span in excluded):
            continue
        cells = tuple(Cell(cell.head, cell.start + shift, cell.end + shift) for cell in block.cells)
        out.blocks.append(
            Block(
                start=block.start + shift,
                end=block.end + shift,
                kind=block.kind,
                location=block.location,
                locator=block.locator,
                section=block.section,
                level=block.level,
                lead_in=block.lead_in,
                cells=cells,
            )
        )
    out.excluded.extend(Excluded(span.start + shift, span.end + shift, span.reason) for span in excluded)


def _date(value: str) -> tuple[str, tuple[ParseWarning, ...]]:
    if not value:
        return "", ()
    try:
        found: datetime | None = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError, IndexError):
        found = None
    day = of_metadata(found)
    if day:
        return day, ()
    return "", (ParseWarning("date_unreadable", "The mail's date is not a possible one.", "message header"),)
