"""Phrases looked up by their words are exactly those one long alternation finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forager.extraction import lexicon
from forager.extraction.phrases import Phrases

LISTS = [
    ("bounds",),
    ("polarity",),
    ("standing", "hedges"),
    ("standing", "hearsay"),
    ("predicates", "change"),
    ("instructions", "phrases"),
    ("qualifiers",),
]
PIECES = ["the", "no", "no later than", "later than", "don't", "don’t", "≥", "30", "+ VAT", "STRASSE", "straße", "été"]


def plain(phrases: list[str]) -> re.Pattern[str]:
    ordered = sorted({p.strip() for p in phrases}, key=lambda p: (-len(p), p))
    body = "|".join(re.escape(p).replace(r"\ ", r"\s+") for p in ordered)
    return re.compile(rf"(?<![\w'’])(?:{body})(?![\w])", re.IGNORECASE)


def words_of(*path: str) -> list[str]:
    here = lexicon.load(path[0])
    for part in path[1:]:
        here = here[part]
    return list(flat(here))


def flat(here: object) -> list[str]:
    if isinstance(here, dict):
        return [w for part in here.values() for w in flat(part)]
    return [w for part in here for w in flat(part)] if isinstance(here, list) else [str(here)]


def spans(matches: object) -> list[tuple[int, int, str]]:
    return [(m.start(), m.end(), m.group()) for m in matches]  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", LISTS, ids=" ".join)
@given(data=st.data())
def test_a_list_finds_what_its_alternation_finds(path: tuple[str, ...], data: st.DataObject) -> None:
    entries = words_of(*path)
    gaps = st.sampled_from([" ", "  ", "\n", ", ", ".", "-", "'", "’", ""])
    pieces = st.one_of(st.sampled_from(entries), st.sampled_from(PIECES), st.text(max_size=4))
    parts = data.draw(st.lists(st.tuples(pieces, gaps), max_size=8))
    text = "".join(piece + gap for piece, gap in parts)
    phrases, alternation = Phrases(entries), plain(entries)
    assert spans(phrases.finditer(text)) == spans(alternation.finditer(text))
    assert phrases.sub(" ", text) == alternation.sub(" ", text)
    first, expected = phrases.search(text), alternation.search(text)
    assert (first and first.span()) == (expected and expected.span())
    at_start, expected = phrases.match(text), alternation.match(text)
    assert (at_start and at_start.span()) == (expected and expected.span())


def test_the_longest_phrase_of_a_place_wins() -> None:
    phrases = Phrases(["later than", "no later than", "no"])
    assert [m.group() for m in phrases.finditer("No later than May, later than June, no.")] == [
        "No later than",
        "later than",
        "no",
    ]


def test_signs_begin_phrases_too() -> None:
    assert [m.group() for m in Phrases(["≥", "+ vat"]).finditer("≥ 30 + VAT")] == ["≥", "+ VAT"]
