"""What passes between a worker and its reader: frames of bytes, each with its length before it.

The reader is not trusted: what it says is checked against these shapes, and how much it may say is bounded.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from socket import socket

from pydantic import TypeAdapter, ValidationError

from forager.extraction.lexicon import BUILT_IN, Vocabulary
from forager.extraction.model import Extracted, Extractor
from forager.parsing.document import Document

LENGTH = struct.Struct(">Q")
JSON_BYTES = 48 * 1024 * 1024
CHILD_BYTES = 100 * 1024 * 1024
PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """Read the file at ``blob`` with its base's words; with a ``document`` only understand what was parsed before."""

    path: str
    name: str
    blob: str
    sha256: str
    document: Document | None = None
    vocabulary: Vocabulary = BUILT_IN


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a document gives nothing; ``harmful`` when it hurt the reader instead of being merely unreadable."""

    code: str
    message: str
    next_action: str
    harmful: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document without its children's bytes, which follow as frames of their own, in the order of ``children``."""

    document: Document | None
    plain_hash: str
    children: tuple[str, ...]
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Understood:
    """``by`` is told where it was not this engine's own extractor."""

    statements: tuple[Extracted, ...]
    refusal: Refusal | None = None
    by: Extractor | None = None


REQUEST = TypeAdapter(Request)
PARSED = TypeAdapter(Parsed)
UNDERSTOOD = TypeAdapter(Understood)


class ReaderEnded(Exception):
    """The other side is gone, or says what it may not say."""


def send(link: socket, body: bytes) -> None:
    link.sendall(LENGTH.pack(len(body)))
    link.sendall(body)


def receive(link: socket, most: int) -> bytes:
    """One frame, whole; ``ReaderEnded`` when the other side ends before or says too much."""
    return b"".join(pieces(link, most))


def pieces(link: socket, most: int) -> Iterator[bytes]:
    """One frame as it comes, so that a large one need not be held."""
    left = LENGTH.unpack(_exactly(link, LENGTH.size))[0]
    if left > most:
        raise ReaderEnded("too_much_output")
    while left:
        piece = link.recv(min(left, PIECE_BYTES))
        if not piece:
            raise ReaderEnded("ended")
        left -= len(piece)
        yield piece


def read_as[T](adapter: TypeAdapter[T], body: bytes) -> T:
    try:
        return adapter.validate_json(body)
    except ValidationError as error:
        raise ReaderEnded("malformed") from error


def _exactly(link: socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        piece = link.recv(size - len(found))
        if not piece:
            raise ReaderEnded("ended")
        found += piece
    return found
