"""Readers of amounts skip a text without numbers; none may be skipped that has one."""

import pytest

from forager.extraction.values import money, numbers, quantities


@pytest.mark.parametrize("word", sorted(numbers._WORDS))
def test_every_number_word_is_seen(word: str) -> None:
    assert numbers.may_stand_in(f"about {word} of them")


@pytest.mark.parametrize(
    "text", ["dreiundzwanzig Stück", "A dozen eggs", "an eighth", "Fifty-two", "vingt-et-un", "halb 9", "²5"]
)
def test_number_words_are_seen_wherever_they_begin(text: str) -> None:
    assert numbers.may_stand_in(text)


def test_a_text_without_numbers_is_left_alone() -> None:
    assert not numbers.may_stand_in("The ladder leans on the wall.")


@pytest.mark.parametrize("name", sorted(money._names()))
def test_every_name_of_a_currency_is_seen(name: str) -> None:
    for text in (f"It costs 250 {name}.", f"It costs {name} 250."):
        assert [v.type for v in money.find(text, "en")][:1] == ["money"], text


@pytest.mark.parametrize(("text", "value"), [("twenty kilos", "20"), ("12kg", "12"), ("half an hour", "1800")])
def test_quantities_in_words_and_digits_are_found(text: str, value: str) -> None:
    assert value in [v.value for v in quantities.find(text, "en")]
