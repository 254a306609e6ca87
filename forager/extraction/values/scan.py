"""All typed values of a sentence, left to right, none overlapping: the more specific reader goes first."""

import itertools
from collections.abc import Iterable

from forager.extraction.model import Value
from forager.extraction.values import dates, exact, money, quantities, times


def find(text: str, language: str, document_date: str) -> tuple[Value, ...]:
    kept: list[Value] = []
    readers: Iterable[Value] = itertools.chain(
        (v for v in exact.find(text) if v.type != "id"),
        dates.find(text, document_date),
        money.find(text, language),
        times.find(text),
        exact.find(text),
        quantities.find(text, language),
    )
    for value in readers:
        if all(value.end <= k.start or k.end <= value.start for k in kept):
            kept.append(value)
    return tuple(sorted(kept, key=lambda v: v.start))
