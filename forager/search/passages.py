"""The words of chunks: read as stretches, not with the whole text of their source, and without what is no evidence."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Substr

from forager.model.models import Chunk


def read(rows: QuerySet[Chunk]) -> QuerySet[Chunk]:
    """With their words at hand for ``said``."""
    words = Substr("source__stored__text", F("start") + 1, F("end") - F("start"))
    return rows.select_related("source").annotate(words=words, excluded=F("source__stored__excluded"))


def said(row: Chunk) -> str:
    """The words of a chunk that ``read`` gave."""
    words: str = getattr(row, "words", "")
    return without(words, row.start, getattr(row, "excluded", ()))


def without(text: str, start: int, excluded: Iterable[Mapping[str, Any]]) -> str:
    """A stretch that begins at ``start``, blank where it is excluded; of the same length, so that offsets hold."""
    for span in excluded:
        first, last = max(span["start"] - start, 0), min(span["end"] - start, len(text))
        if first < last:
            text = text[:first] + " " * (last - first) + text[last:]
    return text
