"""A base's own words: checked, counted only while it is read, and never seen by another base."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from forager.extraction import lexicon, vocabulary
from forager.extraction.lexicon import Vocabulary
from forager.extraction.standing import polarities
from forager.extraction.stems import stem, stems

SHIFTS = Vocabulary("one", concepts=(("owner", ("shiftkeeper", "looks after")), ("berth", ("mooring", "slip"))))
NAMES = [f"c_{a}{b}" for a in "abcdefghijklmnop" for b in "abcdefghijklmnop"]
SALES = Vocabulary("two", opposites=(("listing", ("listed",), ("delisted",)), ("opening", ("doors up",), ())))


def test_added_words_count_only_while_the_base_is_read() -> None:
    assert stem("shiftkeeper") != "=owner"
    with lexicon.using(SHIFTS):
        assert stem("shiftkeeper") == stem("owner") == "=owner"
        assert stems("Ada looks after the mooring") == ("=owner", "ada", "=berth")
    assert stem("shiftkeeper") != "=owner"


def test_added_opposites_are_a_scale_of_their_own() -> None:
    text = "The share was delisted."
    assert polarities(text) == ()
    with lexicon.using(SALES):
        (side,) = polarities(text)
        assert (side.dimension, side.sign) == ("listing", "-")
        assert lexicon.load("polarity")["labels"]["listing"] == {"+": "listed", "-": "delisted"}
        assert polarities("The doors up sign is lit.")[0].dimension == "opening"
    assert polarities(text) == ()
    assert "listing" not in lexicon.scales()


def test_two_bases_read_at_once_by_one_process_never_mix() -> None:
    def read(which: int) -> set[str]:
        with lexicon.using((SHIFTS, SALES, lexicon.BUILT_IN)[which % 3]):
            return {stem("shiftkeeper"), *lexicon.scales()} & {"=owner", "listing"}

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(read, range(300)))
    assert all(one == ({"=owner"}, {"listing"}, set())[at % 3] for at, one in enumerate(seen))


def test_words_are_cleaned_and_kept_once() -> None:
    cleaned = vocabulary.check({"concepts": {"owner": ["Shiftkeeper ", "shiftkeeper"]}, "aliases": [["Kite", "Milan"]]})
    assert cleaned == {"concepts": {"owner": ["shiftkeeper"]}, "opposites": {}, "aliases": [["Kite", "Milan"]]}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"concepts": {"Owner!": ["x"]}}, "concepts"),
        ({"concepts": {"owner": []}}, "concepts.owner"),
        ({"concepts": {"owner": ["budget"]}}, "concepts.owner"),
        ({"concepts": {"one_thing": ["zorb"], "other_thing": ["zorb"]}}, "concepts.other_thing"),
        ({"concepts": {"owner": ["1234"]}}, "concepts.owner"),
        ({"concepts": {"owner": ["x" * 61]}}, "concepts.owner"),
        ({"concepts": {"owner": ["shift\u202ekeeper"]}}, "concepts.owner"),
        ({"concepts": {name: ["w"] for name in NAMES}}, "concepts"),
        ({"opposites": {"labels": {"yes": ["a b"], "no": ["c d"]}}}, "opposites.labels"),
        ({"opposites": {"listing": {"yes": ["listed"], "no": []}}}, "opposites.listing.no"),
        ({"opposites": {"listing": {"yes": ["listed"], "no": ["listed"]}}}, "opposites.listing.no"),
        ({"opposites": {"listing": {"yes": ["closed"], "no": ["delisted"]}}}, "opposites.listing.yes"),
        ({"aliases": [["Kite", "kite"]]}, "aliases.0"),
    ],
)
def test_a_wrong_word_is_refused_with_its_place(given: dict[str, Any], field: str) -> None:
    with pytest.raises(vocabulary.VocabularyRefused) as caught:
        vocabulary.check(given)
    assert caught.value.field == field
