"""A mailbox: its messages become sources of their own."""

import re
from functools import partial

from forager.parsing.document import Child, Document, Ledger, UnreadableDocumentError

SEPARATOR = re.compile(rb"^From \S+.*\d{4}\s*?\r?$", re.MULTILINE)
ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
HEADER = re.compile(rb"\s*[\w-]+:")
MESSAGE_LIMIT = 10_000


def is_mailbox(content: bytes) -> bool:
    """Two messages or more, each with its header behind its separator."""
    return content.startswith(b"From ") and len(_messages(content, 2)) > 1


def parse_mbox(content: bytes, name: str) -> Document:
    """A document without text of its own; a line of a body that begins with 'From ' does not begin a message."""
    messages = _messages(content, MESSAGE_LIMIT)
    if not messages:
        raise UnreadableDocumentError("damaged", "The mailbox holds no message.", "Export it again.")
    children = tuple(Child(f"message-{number:04}.eml", partial(bytes, body)) for number, body in enumerate(messages, 1))
    return Document(
        text="",
        blocks=(),
        source_type="mbox",
        media_type="application/mbox",
        ledger=Ledger("message", len(children), len(children)),
        children=children,
    )


def _messages(content: bytes, limit: int) -> list[bytes]:
    """A separator counts at the start or behind an empty line, and only with a header line below it."""
    starts: list[tuple[int, int]] = []
    for match in SEPARATOR.finditer(content):
        before = content[max(0, match.start() - 4) : match.start()]
        is_first = match.start() == 0 or before.endswith((b"\n\n", b"\n\r\n"))
        if is_first and HEADER.match(content, match.end()):
            starts.append(match.span())
    ends = [start for start, _ in starts[1:]] + [len(content)]
    found = (content[begin:end].lstrip(b"\r\n") for (_, begin), end in zip(starts[:limit], ends, strict=False))
    return [ESCAPED.sub(rb"\1", body) for body in found]
