"""What another installation read of a document, kept here as one file: it is read again as it was read there."""

import hashlib
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from forager.extraction.model import Extracted, Extractor
from forager.model import blobs
from forager.model.blobs import Blob
from forager.parsing.document import Document
from forager.reading.copies import plain_hash
from forager.reading.messages import Parsed, Refusal, Understood
from forager.reading.reader import Read


@dataclass(frozen=True, slots=True)
class Packed:
    """A document as it was parsed, the statements that were read in it, and by what."""

    document: Document
    statements: tuple[Extracted, ...]
    by: Extractor


_FORM = TypeAdapter(Packed)
AGAIN = "Take the package in again."


def keep(packed: Packed) -> Blob:
    return blobs.write([_FORM.dump_json(packed)])


def read(digest: str) -> Read[Blob]:
    """As a reader tells it; a file that is gone or changed is refused, never guessed at."""
    try:
        content = blobs.read(digest)
    except FileNotFoundError:
        return _refused("bytes_missing", "What the package brought of it is gone.")
    if hashlib.sha256(content).hexdigest() != digest:
        return _refused("bytes_changed", "What the package brought of it was changed.")
    try:
        packed = _FORM.validate_json(content)
    except ValidationError:
        return _refused("bytes_changed", "What the package brought of it has another form.")
    parsed = Parsed(packed.document, plain_hash(packed.document), ())
    return Read(parsed=parsed, understood=Understood(packed.statements, by=packed.by))


def _refused(code: str, message: str) -> Read[Blob]:
    return Read(parsed=Parsed(None, "", (), Refusal(code, message, AGAIN)))
