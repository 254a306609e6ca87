"""All typed values of a sentence, left to right, none overlapping: the more specific reader goes first."""

import itertools
from collections.abc import Iterable
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.values import (
    bounds,
    dates,
    edges,
    exact,
    kinds,
    money,
    numbers,
    quantities,
    recurring,
    relative,
    times,
)


def find(text: str, language: str, document_date: str, anchor: str = "") -> tuple[Value, ...]:
    """``anchor`` places a day without a year where the document has no date of its own."""
    kept: list[Value] = []
    exactly = list(exact.find(text))
    readers: Iterable[Value] = itertools.chain(
        (v for v in exactly if v.type not in ("id", "version", "code")),
        relative.find(text, document_date),
        dates.find(text, document_date or anchor),
        (v for v in exactly if v.type == "version"),
        money.find(text, language),
        times.find(text),
        exactly,
        recurring.frequencies(text),
        quantities.find(text, language),
        recurring.weekdays(text),
        kinds.find(text),
    )
    for value in readers:
        if value.type == "number" and (_is_label(text, value) or _repeats(text, value, language)):
            continue
        if all(value.end <= k.start or k.end <= value.start for k in kept):
            kept.append(edges.with_edge(value, text))
    return tuple(sorted(kept, key=lambda v: v.start))


def _repeats(text: str, value: Value, language: str) -> bool:
    """“twelve (12)”: the number once more, in the other notation."""
    before = text[: value.start]
    if not before.endswith("(") or text[value.end : value.end + 1] != ")" or not before[:-1].split():
        return False
    said = numbers.parse(before[:-1].split()[-1], language)
    return said is not None and numbers.canonical(said) == value.value


def _is_label(text: str, value: Value) -> bool:
    """“Building 4”, “Annex 2”: a number that names, right behind a capitalised word that is no small word."""
    before = text[: value.start].split()
    word = before[-1] if before and text[: value.start].endswith(" ") else ""
    if word.casefold().strip(".#") in _identified():
        return True
    return word[:1].isupper() and word.isalpha() and word.casefold() not in _small_words() and len(before) > 1


@cache
def _identified() -> frozenset[str]:
    """Nouns behind which a number names one of them: “order 7731”, “ticket no. 12”."""
    return frozenset(str(w) for w in lexicon.load("words")["identified_by_number"])


@cache
def _small_words() -> frozenset[str]:
    stop = frozenset(word for words in lexicon.load("words")["stop"].values() for word in words)
    return stop | bounds.bound_words()
