"""Text that is no prose must cost about its length, and give nothing it does not say."""

import pytest

from forager.extraction import statements
from forager.extraction.segment import MAX_SENTENCE
from forager.parsing.registry import parse

RUNAWAY = {
    "words": "word " * 8000,
    "capitals": "Alpha Beta " * 4000,
    "addresses": "a@b.example <x " * 3000,
    "openings": '"(Also known as ' * 3000,
    "number words": "zweihundert " * 4000,
    "keys": "key: " * 8000,
}


@pytest.mark.parametrize("text", RUNAWAY.values(), ids=RUNAWAY)
def test_no_statement_is_longer_than_a_sentence_may_be(text: str) -> None:
    found = statements.read(parse(text.encode(), "long.txt"), "long.txt")
    assert all(e.end - e.start <= MAX_SENTENCE for e in found)
    assert all(len(e.claims) <= 20 for e in found)


def test_a_stretch_without_a_space_says_nothing() -> None:
    text = "QUJD" * 20_000 + "\n\nThe pump runs.\n"
    assert [e.text for e in statements.read(parse(text.encode(), "a.txt"), "a.txt")] == ["The pump runs."]
