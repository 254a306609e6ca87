"""How records become what a page shows: pure, so tested with any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.connection.backoff import Backoff
from console.pages.show.differences import differing, in_words, only_in
from console.pages.show.document import Mark, document_view
from console.pages.show.text import visible
from knowledge.records import Block, Excluded, SourceText

TEXTS = st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Zs", "Cc", "Cf"]), max_size=200)


@st.composite
def documents(draw: st.DrawFn) -> tuple[SourceText, list[Mark]]:
    text = draw(TEXTS.filter(bool))
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    blocks = tuple(Block(low, high, "paragraph", "") for low, high in draw(st.lists(spans, max_size=5)))
    excluded = tuple(Excluded(low, high, "quoted") for low, high in draw(st.lists(spans, max_size=3)))
    drawn = draw(st.lists(spans, max_size=5))
    marks = [  # an excerpt begins with a mark of its own, never with the space before it
        Mark(f"ev_{at}", f"ki_{at}", at + 1, low, high, False)
        for at, (low, high) in enumerate(drawn)
        if high > low and not text[low].isspace()
    ]
    return SourceText("src_1", text, "", blocks, excluded), marks


@given(documents())
def test_every_visible_word_of_a_text_is_shown_once_and_in_order(drawn: tuple[SourceText, list[Mark]]) -> None:
    text, marks = drawn
    shown = "".join(piece.text for block in document_view(text, marks).blocks for piece in block.pieces)
    assert "".join(shown.split()) == "".join(visible(text.text).split())


@given(documents())
def test_every_mark_has_one_anchor(drawn: tuple[SourceText, list[Mark]]) -> None:
    text, marks = drawn
    pieces = [piece for block in document_view(text, marks).blocks for piece in block.pieces]
    anchors = [anchor for piece in pieces for anchor in piece.anchors]
    assert len(anchors) == len(set(anchors))
    seen = {mark.evidence_id for mark in marks if text.text[mark.start : mark.end].strip()}
    assert seen <= set(anchors)


@given(TEXTS)
def test_nothing_invisible_is_left(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & set("\u202e\u200b\u2066\ufeff\x00\x1b")


@given(TEXTS, TEXTS)
def test_differing_keeps_the_whole_value(left: str, right: str) -> None:
    assert "".join(each.text for each in differing([left, right], 0)) == left


def test_an_engine_is_started_later_each_time_and_then_given_up() -> None:
    backoff = Backoff()
    assert [backoff.ended(float(at)) for at in range(5)] == [1.0, 2.0, 4.0, 8.0, None]
    assert backoff.ended(2000.0) == 1.0


@given(st.lists(TEXTS, min_size=2, max_size=4), st.data())
def test_differing_keeps_the_whole_value_among_any_number_of_sides(values: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    assert "".join(each.text for each in differing(values, at)) == values[at]


@given(TEXTS)
def test_nothing_differs_between_equal_values(text: str) -> None:
    assert not any(each.differs for each in differing([text, text], 0))
    assert only_in([text, text]) == ()


@pytest.mark.parametrize(
    ("left", "right", "marked"),
    [
        ("2026-03-03", "2026-04-10", ["04", "10"]),
        ("12,000 rpm", "12,500 rpm", ["5"]),
        ("required", "optional", ["optional"]),
    ],
)
def test_what_differs_is_marked_to_the_character(left: str, right: str, marked: list[str]) -> None:
    assert [each.text for each in differing([left, right], 1) if each.differs] == marked


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["2026-03-03", "2026-04-10"], "B is 38 days later than A."),
        (["2026-04-10", "2026-04-09"], "B is 1 day earlier than A."),
        (["9:00", "10:30"], "B is 1 h 30 min later than A."),
        (["USD 1200000", "USD 1350000"], "B is 150,000 USD (12.5%) more than A."),
        (["12 EUR", "10 EUR"], "B is 2 EUR (16.7%) less than A."),
        (["12 EUR", "10 USD"], "A says “12 EUR”, B says “10 USD”."),
        (["required", "optional"], "A says “required”, B says “optional”."),
        (["1", "2", "3"], "A says “1”, B says “2”, C says “3”."),
        (["", ""], ""),
    ],
)
def test_the_distance_is_told_in_words(values: list[str], words: str) -> None:
    assert in_words(values) == words
