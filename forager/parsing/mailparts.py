"""The parts of a mail: which hold text, which are attachments, and their words and bytes however broken."""

from collections.abc import Iterator, Sequence
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from forager.parsing.encoding import storable

HEADER_LIMIT = 4_000
PART_LIMIT = 500


def header_words(message: Message, key: str) -> str:
    """A header decoded, on one line."""
    value = message.get(key)
    if value is None:
        return ""
    raw = str(value)[:HEADER_LIMIT]
    try:
        words = str(make_header(decode_header(raw)))
    except (MessageError, LookupError, ValueError):
        words = raw
    return " ".join(storable(words).split())


def leaves(message: Message) -> Iterator[Message]:
    """Every part that holds content, in order; a mail within the mail is one part."""
    pending = [message]
    seen = 0
    while pending and seen < PART_LIMIT:
        part = pending.pop(0)
        inner = part.get_payload()
        if part.get_content_type() != "message/rfc822" and isinstance(inner, list):
            pending[:0] = [child for child in _preferred(part, inner) if isinstance(child, Message)]
            continue
        seen += 1
        yield part


def _preferred(part: Message, inner: Sequence[object]) -> Sequence[object]:
    """Of alternatives the plain text is read, unless it is empty."""
    if part.get_content_type() != "multipart/alternative":
        return inner
    plain = [
        child
        for child in inner
        if isinstance(child, Message) and child.get_content_type() == "text/plain" and payload_of(child).strip()
    ]
    return plain[:1] or inner


def is_attachment(part: Message) -> bool:
    disposition = (part.get_content_disposition() or "").lower()
    return disposition == "attachment" or (bool(file_name(part)) and not part.get_content_type().startswith("text/"))


def file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (LookupError, ValueError):
        return ""
    try:
        decoded = str(make_header(decode_header(name)))
    except (MessageError, LookupError, ValueError):
        decoded = name
    return " ".join(storable(decoded).replace("\\", "/").split("/")[-1].split())


def payload_of(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        return b""
    return payload if isinstance(payload, bytes) else b""


def bytes_of(message: Message) -> bytes:
    try:
        return message.as_bytes()
    except (ValueError, LookupError, MessageError):
        return b""
