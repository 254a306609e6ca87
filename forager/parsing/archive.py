"""ZIP: a container whose entries become sources of their own. Nothing is written to disk or held unfolded;
limits hold while reading."""

import zlib
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from forager.parsing.document import Child, Document, Ledger, ParseWarning, UnreadableDocumentError

MAX_ENTRIES = 10_000
MAX_ENTRY_BYTES = 100 * 1024 * 1024
MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
MAX_RATIO = 200
RATIO_FROM = 1024 * 1024
READ_BYTES = 256 * 1024
SYMLINK = 0o120000
NOISE = ("__MACOSX/", ".DS_Store", "Thumbs.db")


def parse_archive(content: bytes, name: str) -> Document:
    """The readable entries as children; each that is left out is named with its reason."""
    try:
        archive = ZipFile(BytesIO(content))  # stays open: its entries are unfolded again as they are handed on
        entries = [info for info in archive.infolist() if not info.is_dir() and not _is_noise(info.filename)]
        if len(entries) > MAX_ENTRIES:
            message = f"The archive holds {len(entries)} files; at most {MAX_ENTRIES} are read from one."
            raise UnreadableDocumentError("too_many_entries", message, "Split it into smaller archives.")
        filled = [info for info in entries if info.file_size]
        children, warnings = _read(archive, filled)
        if len(filled) < len(entries):
            told = f"{len(entries) - len(filled)} of its {len(entries)} files are empty and were left out."
            warnings.append(ParseWarning("empty_entries", told))
    except BadZipFile as error:
        message = "The archive cannot be read; it may be cut off."
        raise UnreadableDocumentError("damaged", message, "Save or send it again, whole.") from error
    silent = tuple((w.locator, w.message) for w in warnings)
    ledger = Ledger("file", len(entries), len(children), len(entries) - len(children), silent)
    if not entries:
        warnings = [ParseWarning("no_entries", "The archive holds no files.")]
    return Document(
        text="",
        blocks=(),
        source_type="zip",
        media_type="application/zip",
        title=name,
        warnings=tuple(warnings),
        ledger=ledger,
        children=tuple(children),
    )


def _is_noise(name: str) -> bool:
    return name.startswith(NOISE[0]) or PurePosixPath(name).name in NOISE[1:]


def _read(archive: ZipFile, entries: list[ZipInfo]) -> tuple[list[Child], list[ParseWarning]]:
    children: list[Child] = []
    warnings: list[ParseWarning] = []
    taken: set[str] = set()
    left = MAX_TOTAL_BYTES
    for info in entries:
        refused = _refusal(info)
        if refused is None:
            try:
                size = sum(map(len, _chunks(archive, info, left)))
            except _EntryError as error:
                refused = error.warning
        if refused is not None:
            warnings.append(refused)
            continue
        left -= size
        path = _free_name(_clean(info.filename), taken)
        if path != _clean(info.filename):
            told = f"The archive holds this name twice; this one is read as {path}."
            warnings.append(ParseWarning("duplicate_name", told, info.filename))
        children.append(Child(path, partial(archive.read, info)))
    return children, warnings


class _EntryError(Exception):
    def __init__(self, warning: ParseWarning) -> None:
        super().__init__(warning.code)
        self.warning = warning


def _refusal(info: ZipInfo) -> ParseWarning | None:
    """What can be told from the directory alone."""
    if info.flag_bits & 0x1:
        return _left_out(
            "password_needed", "This file is protected by a password.", info, "Load it without the password."
        )
    if (info.external_attr >> 16) & 0o170000 == SYMLINK:
        return _left_out("link", "This entry is a link, which is never followed.", info)
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    if ".." in parts or info.filename.startswith(("/", "\\")) or not _clean(info.filename):
        return _left_out("bad_path", "This entry's path leaves the archive.", info)
    return None


def _chunks(archive: ZipFile, info: ZipInfo, left: int) -> Iterator[bytes]:
    size = 0
    try:
        with archive.open(info) as entry:
            while chunk := entry.read(READ_BYTES):
                size += len(chunk)
                _check(info, size, left)
                yield chunk
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        text = "The bytes of this file are damaged or packed in a way that is not read."
        raise _EntryError(_left_out("damaged", text, info, "Pack it again.")) from error


def _check(info: ZipInfo, size: int, left: int) -> None:
    """Counted as it unfolds: what the directory claims is not believed."""
    if size > MAX_ENTRY_BYTES or size > left:
        limit = MAX_ENTRY_BYTES if size > MAX_ENTRY_BYTES else MAX_TOTAL_BYTES
        raise _EntryError(_left_out("too_large", f"This file is over the limit of {limit >> 20} MB.", info))
    if size > RATIO_FROM and size > MAX_RATIO * max(info.compress_size, 1):
        text = f"This file unfolds to more than {MAX_RATIO} times its packed size."
        raise _EntryError(_left_out("ratio", text, info, "Load the file itself if it is meant."))


def _left_out(code: str, message: str, info: ZipInfo, next_action: str = "") -> ParseWarning:
    return ParseWarning(code, message, info.filename[:200], next_action)


def _clean(name: str) -> str:
    parts = (p for p in PurePosixPath(name.replace("\\", "/")).parts if p not in ("/", "."))
    return "/".join("".join(c for c in part if c.isprintable()) for part in parts)


def _free_name(name: str, taken: set[str]) -> str:
    path, at = name, 2
    while path in taken:
        stem, dot, suffix = name.rpartition(".")
        path = f"{stem} ({at}).{suffix}" if dot else f"{name} ({at})"
        at += 1
    taken.add(path)
    return path
