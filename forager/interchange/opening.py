"""Reads a package of another installation: its word is taken where it can be checked, or the whole is refused.

Checked: that no file is missing, foreign, too large or other than the manifest says; the form of every record; that
what a record points to is in the package; and that every excerpt stands in its text, outside of what is no evidence.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from forager.extraction.model import Frame
from forager.interchange import forms, package
from forager.model.ids import sha256_text
from forager.model.statements import MANUAL
from forager.review import merging, standing
from forager.review.anchors import Anchor

MOST_BYTES = 512 * 1024 * 1024
MOST_MANIFEST_BYTES = 1024 * 1024
PIECE_BYTES = 1 << 20
NUL = b"\\u0000"
FORMS: Mapping[str, TypeAdapter[Any]] = {
    "documents": TypeAdapter(forms.DocumentRow),
    "sources": TypeAdapter(forms.SourceRow),
    "texts": TypeAdapter(forms.TextRow),
    "statements": TypeAdapter(forms.StatementRow),
    "evidence": TypeAdapter(forms.EvidenceRow),
    "claims": TypeAdapter(forms.ClaimsRow),
    "mentions": TypeAdapter(forms.MentionRow),
    "decisions": TypeAdapter(forms.DecisionRow),
    "origins": TypeAdapter(forms.OriginRow),
}
FOUND_AGAIN = ("entities", "conflicts")
"""What an engine finds by itself from the rest; it is counted and checked for damage, not read."""
KINDS = frozenset((*FORMS, *FOUND_AGAIN))
FILES = {f"{band}/{kind}.jsonl": kind for band in (package.TENANT, package.GENERAL) for kind in KINDS}
_MANIFEST = TypeAdapter(forms.Manifest)
_RULING, _NAMES, _FRAME = TypeAdapter(Anchor), TypeAdapter(forms.Names), TypeAdapter(Frame)


class PackageRefused(Exception):
    """Nothing of it is taken in; the message names the file and says why."""


@dataclass(frozen=True)
class Package:
    """Everything of it that is taken in, checked."""

    manifest: forms.Manifest
    documents: list[forms.DocumentRow]
    sources: list[forms.SourceRow]
    texts: list[forms.TextRow]
    statements: list[forms.StatementRow]
    evidence: list[forms.EvidenceRow]
    claims: list[forms.ClaimsRow]
    mentions: list[forms.MentionRow]
    decisions: list[forms.DecisionRow]
    origins: list[forms.OriginRow]

    @property
    def instance_id(self) -> str:
        return self.manifest["producer"]["instance_id"]

    def source(self, source_id: str) -> forms.SourceRow | None:
        return self._sources.get(source_id)

    @cached_property
    def _sources(self) -> dict[str, forms.SourceRow]:
        return {row["id"]: row for row in self.sources}


def opened(path: Path) -> Package:
    """The package in this file; ``PackageRefused`` when any of it is not as it must be."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            _check_names(archive, manifest)
            rows = _rows(archive, manifest)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise PackageRefused("This is no package, or it is damaged: it cannot be unpacked.") from error
    found = Package(manifest, **{kind: rows[kind] for kind in FORMS})
    _Check(found).all()
    return found


def _manifest(archive: zipfile.ZipFile) -> forms.Manifest:
    try:
        content = b"".join(_pieces(archive, package.MANIFEST, MOST_MANIFEST_BYTES))
    except KeyError as error:
        raise PackageRefused(f"This is no package: it holds no {package.MANIFEST}.") from error
    try:
        told = json.loads(content)
    except ValueError as error:
        raise PackageRefused(f"{package.MANIFEST} is damaged.") from error
    version = told.get("package_version") if isinstance(told, dict) else None
    if version != package.VERSION:
        shown = version if isinstance(version, int) else "none"
        raise PackageRefused(f"This engine reads packages of version {package.VERSION}; this one says {shown}.")
    try:
        return _MANIFEST.validate_python(told)
    except ValidationError as error:
        raise PackageRefused(f"{package.MANIFEST}: {_first(error)}") from error


def _check_names(archive: zipfile.ZipFile, manifest: forms.Manifest) -> None:
    listed = [info.filename for info in archive.infolist()]
    told = {package.MANIFEST, *manifest["files"]}
    for name in sorted(told - set(listed)):
        raise PackageRefused(f"{name} is missing.")
    for name in sorted(set(listed) - told):
        raise PackageRefused(f"{_shown(name)} is not told of in the manifest.")
    if len(listed) != len(told):
        raise PackageRefused("The same file is in it twice.")
    for name in sorted(set(manifest["files"]) - set(FILES)):
        raise PackageRefused(f"{_shown(name)}: packages of this version have no such file.")
    for name in sorted(set(FILES) - set(manifest["files"])):
        raise PackageRefused(f"{name} is missing in the manifest.")
    if sum(row["bytes"] for row in manifest["files"].values()) > MOST_BYTES:
        raise PackageRefused(f"It is larger than {MOST_BYTES} bytes when unpacked.")


def _rows(archive: zipfile.ZipFile, manifest: forms.Manifest) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for name, told in sorted(manifest["files"].items()):
        content = _content(archive, name, told)
        lines = content.splitlines()
        if len(lines) != told["records"]:
            raise PackageRefused(f"{name} has {len(lines)} records; the manifest says {told['records']}.")
        rows[FILES[name]] += lines if FILES[name] in FOUND_AGAIN else _read(name, FILES[name], lines)
    for kind, count in manifest["counts"].items():
        if len(rows.get(kind, ())) != count:
            raise PackageRefused(f"The package has {len(rows.get(kind, ()))} {kind}; the manifest says {count}.")
    return rows


def _content(archive: zipfile.ZipFile, name: str, told: forms.FileRow) -> bytes:
    content = b"".join(_pieces(archive, name, told["bytes"]))
    if len(content) != told["bytes"] or hashlib.sha256(content).hexdigest() != told["sha256"]:
        raise PackageRefused(f"{name} was changed: it is not what the manifest says.")
    if NUL in content:
        raise PackageRefused(f"{name} holds characters that no text has.")
    return content


def _pieces(archive: zipfile.ZipFile, name: str, most: int) -> Iterator[bytes]:
    """Of one file as it unpacks; one byte more than it may have ends it."""
    left = most
    try:
        with archive.open(name) as file:
            while piece := file.read(PIECE_BYTES):
                left -= len(piece)
                if left < 0:
                    raise PackageRefused(f"{name} was changed: it is longer than the manifest says.")
                yield piece
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise PackageRefused(f"{name} is damaged: it cannot be unpacked.") from error


def _read(name: str, kind: str, lines: list[bytes]) -> Iterator[Any]:
    for number, line in enumerate(lines, 1):
        try:
            yield FORMS[kind].validate_json(line)
        except ValidationError as error:
            raise PackageRefused(f"{name}, record {number}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """The place and what is wrong there; never the words that stand there."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]


def _shown(name: str) -> str:
    return name[:80] if name.isprintable() else "A file"


class _Check:
    """Whether the records agree with each other."""

    def __init__(self, found: Package) -> None:
        self.found = found
        self.texts = {row["source_id"]: row for row in found.texts}

    def all(self) -> None:
        documents = _ids("documents", found := self.found.documents)
        _once("documents", "path", [row["path"] for row in found])
        sources = _ids("sources", self.found.sources)
        statements, evidence = _ids("statements", self.found.statements), _ids("evidence", self.found.evidence)
        _ids("decisions", self.found.decisions)
        _once("texts", "source_id", [row["source_id"] for row in self.found.texts])
        _once("claims", "evidence_id", [row["evidence_id"] for row in self.found.claims])
        _point("sources", "document_id", self.found.sources, documents)
        _point("texts", "source_id", self.found.texts, sources)
        _point("evidence", "statement_id", self.found.evidence, statements)
        _point("evidence", "source_id", self.found.evidence, set(self.texts))
        _point("claims", "evidence_id", self.found.claims, evidence)
        _point("mentions", "statement_id", self.found.mentions, statements)
        self._paths()
        for row in self.found.texts:
            _check_text(row)
        for decision in self.found.decisions:
            _check_decision(decision)
        for statement in self.found.statements:
            frame_of(statement)
        for piece in self.found.evidence:
            self._excerpt(piece)

    def _paths(self) -> None:
        path_of = {row["id"]: row["path"] for row in self.found.documents}
        for row in self.found.sources:
            if row["path"] != path_of[row["document_id"]]:
                raise PackageRefused("sources: a version has another path than its document.")
            if row["path"].startswith("/") or ".." in row["path"].split("/") or not row["path"].isprintable():
                raise PackageRefused("sources: a path is absolute, leaves its folder or cannot be shown.")

    def _excerpt(self, piece: forms.EvidenceRow) -> None:
        text = self.texts[piece["source_id"]]
        excerpt = text["text"][piece["start"] : piece["end"]]
        if not excerpt or excerpt != piece["excerpt"] or sha256_text(excerpt) != piece["excerpt_hash"]:
            raise PackageRefused(f"evidence: the excerpt of {piece['id']} is not what its text says there.")
        if any(piece["start"] < part.end and part.start < piece["end"] for part in text["excluded"]):
            raise PackageRefused(f"evidence: {piece['id']} lies in a part of its text that is no evidence.")


def _check_text(row: forms.TextRow) -> None:
    if sha256_text(row["text"]) != row["text_hash"]:
        raise PackageRefused(f"texts: the text of {row['source_id']} has another digest.")
    length = len(row["text"])
    spans = [(block.start, block.end) for block in row["blocks"]]
    spans += [(part.start, part.end) for part in row["excluded"]]
    spans += [(cell.start, cell.end) for block in row["blocks"] for cell in block.cells]
    for start, end in spans:
        if not 0 <= start <= end <= length:
            raise PackageRefused(f"texts: a part of {row['source_id']} lies outside of its text.")


def _check_decision(row: forms.DecisionRow) -> None:
    is_ruling = row["kind"] == "ruling"
    try:
        (_RULING if is_ruling else _NAMES).validate_python(row["anchor"])
        datetime.fromisoformat(row["decided_at"]).astimezone()
    except ValueError as error:
        raise PackageRefused(f"decisions: {row['id']} has another form than a decision.") from error
    if row["action"] not in (standing.STATUS_OF_ACTION if is_ruling else merging.STATUS):
        raise PackageRefused(f"decisions: {row['id']} decides in a way this engine does not know.")
    if is_ruling and row["winner"] is not None and row["winner"] >= len(row["anchor"]["sides"]):
        raise PackageRefused(f"decisions: {row['id']} chooses a side it does not have.")


def frame_of(row: forms.StatementRow) -> Frame | None:
    """What the statement says of whom. That of one made by hand is left as it is; nothing is compared by it."""
    if row["frame"] is None or row["extractor_name"] == MANUAL:
        return None
    try:
        return _FRAME.validate_python({k: v for k, v in row["frame"].items() if k != "speaker"})
    except ValidationError as error:
        raise PackageRefused(f"statements: {row['id']}: {_first(error)}") from error


def _ids(kind: str, rows: Collection[Any]) -> set[str]:
    return _once(kind, "id", [row["id"] for row in rows])


def _once(kind: str, what: str, values: list[str]) -> set[str]:
    found = set(values)
    if len(found) != len(values):
        raise PackageRefused(f"{kind}: two records have the same {what}.")
    return found


def _point(kind: str, field: str, rows: Collection[Any], known: Collection[str]) -> None:
    for row in rows:
        if row[field] not in known:
            raise PackageRefused(f"{kind}: a record's {field} is not in the package: {cast('str', row[field])[:40]}.")
