"""Whether a source is still what was read: its bytes, its text, and every excerpt taken from it."""

import hashlib
from dataclasses import dataclass

from forager.model import blobs
from forager.model.ids import sha256_text
from forager.model.models import Evidence, Source, SourceText


@dataclass(frozen=True, slots=True)
class Checked:
    """``broken`` are ids of open evidence rows that cannot be relied on; ``problems`` are (code, detail)."""

    problems: tuple[tuple[str, str], ...]
    broken: tuple[int, ...]


def check(source: Source) -> Checked:
    """Changed bytes or a changed text break every excerpt of the source; else each is compared by itself."""
    problems = [*_bytes(source)]
    stored = SourceText.objects.filter(source=source).first()
    rows = list(
        Evidence.objects.filter(source=source, rev_to__isnull=True).only(
            "pk", "start", "end", "excerpt", "excerpt_hash"
        )
    )
    if stored is None:
        problems += [("text_missing", "")] if rows else []
    elif sha256_text(stored.text) != stored.text_hash:
        problems.append(("text_changed", ""))
    if problems:
        return Checked(tuple(problems), tuple(r.pk for r in rows))
    text = stored.text if stored is not None else ""
    broken = [r for r in rows if text[r.start : r.end] != r.excerpt or sha256_text(r.excerpt) != r.excerpt_hash]
    return Checked(tuple(("excerpt_changed", str(r.pk)) for r in broken), tuple(r.pk for r in broken))


def _bytes(source: Source) -> list[tuple[str, str]]:
    path = blobs.path_of(source.blob)
    if not path.exists():
        return [("bytes_missing", source.blob)]
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for chunk in blobs.chunks_of(file):
            digest.update(chunk)
    return [] if digest.hexdigest() == source.blob else [("bytes_changed", source.blob)]
