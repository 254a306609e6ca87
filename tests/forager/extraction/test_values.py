import pytest

from forager.extraction.values import scan


def read(text: str, language: str = "en", date: str = "2026-02-18") -> list[tuple[str, str, str]]:
    return [(v.type, v.value, v.unit) for v in scan.find(text, language, date)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on March 3, 2026", "2026-03-03"),
        ("on 3 March 2026", "2026-03-03"),
        ("on the 3rd of March 2026", "2026-03-03"),
        ("am 3. März 2026", "2026-03-03"),
        ("le 3 mars 2026", "2026-03-03"),
        ("le 1er juin 2026", "2026-06-01"),
        ("due 2026-03-03", "2026-03-03"),
        ("am 03.03.2026", "2026-03-03"),
        ("on 13/04/2026", "2026-04-13"),
        ("on 12/31/2026", "2026-12-31"),
        ("in March 2026", "2026-03"),
        ("in Q3 2026", "2026-Q3"),
        ("from 10-12 May 2026", "2026-05-10..2026-05-12"),
    ],
)
def test_a_date_in_any_common_notation_has_one_canonical_form(text: str, value: str) -> None:
    assert [v for t, v, _ in read(text) if t == "date"] == [value]


def test_a_numeric_date_that_can_be_two_days_stays_both() -> None:
    assert read("on 03/04/2026") == [("date", "2026-03-04|2026-04-03", "")]


def test_a_day_without_a_year_takes_the_year_nearest_to_the_document() -> None:
    assert read("moved to April 10", date="2026-02-18") == [("date", "2026-04-10", "")]
    assert read("moved to January 5", date="2026-12-20") == [("date", "2027-01-05", "")]


def test_a_day_without_a_year_in_an_undated_document_stays_open() -> None:
    assert read("moved to April 10", date="") == [("date", "--04-10", "")]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("$1.2 million", "en"),
        ("1,200,000 USD", "en"),
        ("USD 1 200 000", "en"),
        ("1.200.000 Dollar", "de"),
        ("1,2 Mio. USD", "de"),
        ("$1.2M", "en"),
    ],
)
def test_an_amount_of_money_in_any_notation_is_one_value(text: str, language: str) -> None:
    assert read(text, language) == [("money", "1200000", "USD")]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("24,500 g", "24.5", "kg"),
        ("24.5 kg", "24.5", "kg"),
        ("1.5 GB", "1536", "MB"),
        ("two weeks", "1209600", "s"),
        ("1 hour 30 minutes", "5400", "s"),
        ("2 Liter", "2", "l"),
        ("2 Werktage", "2", "working d"),
        ("30-40 kg", "30..40", "kg"),
        ("three months", "3", "mo"),
    ],
)
def test_a_quantity_is_held_in_the_base_unit_of_its_dimension(text: str, value: str, unit: str) -> None:
    assert read(text) == [("quantity", value, unit)]


@pytest.mark.parametrize(
    ("text", "value"), [("9:00 to 17:00", "09:00..17:00"), ("9 am", "09:00"), ("2 pm", "14:00"), ("14 Uhr", "14:00")]
)
def test_times_are_read_as_times_and_spans_as_one(text: str, value: str) -> None:
    assert read(text) == [("time", value, "")]


@pytest.mark.parametrize(
    ("text", "bound"), [("at least 30 people", "min"), ("up to 30 people", "max"), ("about 30 people", "about")]
)
def test_a_bound_is_kept_beside_the_number(text: str, bound: str) -> None:
    assert [v.bound for v in scan.find(text, "en", "")] == [bound]


def test_a_number_behind_a_name_is_a_label_and_no_number() -> None:
    assert read("It was held in Building 4.") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("next Friday", "2026-02-20"),
        ("on Wednesday next week or this coming Wednesday", "2026-02-25"),
        ("last Monday", "2026-02-16"),
        ("tomorrow", "2026-02-19"),
        ("am kommenden Freitag", "2026-02-20"),
        ("vendredi prochain", "2026-02-20"),
        ("the first Monday in May", "2026-05-04"),
        ("the last Friday of March 2027", "2027-03-26"),
        ("am ersten Montag im Mai", "2026-05-04"),
    ],
)
def test_a_date_told_from_the_documents_own_date_is_a_day(text: str, value: str) -> None:
    assert [v for t, v, _ in read(text, date="2026-02-18") if t == "date"] == [value]


def test_without_a_date_of_its_own_a_document_tells_no_relative_day() -> None:
    assert [t for t, _, _ in read("next Friday", date="")] == ["weekday"]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("we charge 20p for each day", "en", ("money", "0.2", "GBP")),
        ("Cost: 6 pounds 50", "en", ("money", "6.5", "GBP")),
        ("12,- € pro Person", "de", ("money", "12", "EUR")),
        ("£12–15 a head", "en", ("money", "12..15", "GBP")),
        ("Entry is free of charge.", "en", ("money", "0", "")),
        ("a board of 2200 mm x 950 mm", "en", ("size", "2.2x0.95", "m")),
        ("We meet at 8.15 outside.", "en", ("time", "08:15", "")),
        ("Doors open at seven in the evening", "en", ("time", "19:00", "")),
        ("pilot at 0400 local", "en", ("time", "04:00", "")),
        ("Mo-Fr: 7.00 - 17.00 Uhr", "de", ("weekday", "1,2,3,4,5", "")),
        ("emptied on Tuesdays and Fridays", "en", ("weekday", "2,5", "")),
        ("cleaned twice a week", "en", ("frequency", "3.5", "")),
        ("every six months", "en", ("frequency", "182.4", "")),
        ("Telefon 05523 / 77 41 20", "de", ("phone", "05523774120", "")),
    ],
)
def test_what_people_write_in_notices_is_read(text: str, language: str, value: tuple[str, str, str]) -> None:
    assert value in read(text, language)


@pytest.mark.parametrize("text", ["3 p.m. sharp", "Do not drive.", "So far so good.", "5 to 7 people", "2 an hour"])
def test_what_only_looks_like_another_value_is_not_taken_for_it(text: str) -> None:
    assert {t for t, _, _ in read(text)} <= {"time", "number"}


@pytest.mark.parametrize(
    ("text", "bound"), [("until 8 pm", "max"), ("from 9:00", "min"), ("due on 3 May 2026", "max"), ("at 9:00", "")]
)
def test_a_date_or_time_knows_whether_it_opens_or_closes(text: str, bound: str) -> None:
    assert [v.bound for v in scan.find(text, "en", "2026-02-18")] == [bound]
