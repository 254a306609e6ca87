"""Original bytes, kept once per content under their SHA-256. A blob is whole or not there."""

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Blob:
    sha256: str
    size: int


def path_of(sha256: str) -> Path:
    return Path(settings.DATA_DIR) / "blobs" / sha256[:2] / sha256


def write(chunks: Iterable[bytes]) -> Blob:
    """Stores the bytes durably and answers their digest; the same content twice is one file."""
    folder = Path(settings.DATA_DIR) / "blobs"
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".partial-{secrets.token_hex(8)}"
    digest, size = hashlib.sha256(), 0
    try:
        with partial.open("wb") as out:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
        final = path_of(digest.hexdigest())
        final.parent.mkdir(exist_ok=True)
        partial.replace(final)
    finally:
        partial.unlink(missing_ok=True)
    return Blob(digest.hexdigest(), size)


def read(sha256: str) -> bytes:
    return path_of(sha256).read_bytes()


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk
