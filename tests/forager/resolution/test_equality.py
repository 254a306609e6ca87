import pytest

from forager.extraction.model import Claim
from forager.resolution.equality import Verdict, compare


def claim(kind: str, value: str, unit: str = "", bound: str = "") -> Claim:
    return Claim(kind, value, value, unit, bound, (), (), ())


@pytest.mark.parametrize(
    ("kind", "a", "b", "verdict"),
    [
        ("date", "2026-03", "2026-03-03", Verdict.EQUAL),
        ("date", "2026-03-03", "2026-04-10", Verdict.DIFFER),
        ("date", "2026-03-04|2026-04-03", "2026-04-03", Verdict.EQUAL),
        ("date", "2026-Q1", "2026-03-03", Verdict.EQUAL),
        ("date", "2026-Q2", "2026-03-03", Verdict.DIFFER),
        ("date", "--04-10", "2026-04-10", Verdict.EQUAL),
        ("date", "2026-05-10..2026-05-12", "2026-05-11", Verdict.UNCLEAR),
        ("number", "20..25", "22", Verdict.EQUAL),
        ("number", "20..25", "30", Verdict.DIFFER),
        ("version", "16", "16.2", Verdict.EQUAL),
        ("version", "16.1", "16.2", Verdict.DIFFER),
        ("name", "hamid", "hamid rezaei", Verdict.EQUAL),
        ("time", "09:00..17:00", "12:00", Verdict.UNCLEAR),
        ("time", "09:00..17:00", "18:30", Verdict.DIFFER),
        ("email", "a@b.example", "a@c.example", Verdict.DIFFER),
    ],
)
def test_equal_means_equal_as_far_as_both_say(kind: str, a: str, b: str, verdict: Verdict) -> None:
    assert compare(claim(kind, a), claim(kind, b)) is verdict
    assert compare(claim(kind, b), claim(kind, a)) is verdict


@pytest.mark.parametrize(
    ("bound", "value", "verdict"),
    [
        ("min", "45", Verdict.UNCLEAR),
        ("min", "20", Verdict.DIFFER),
        ("max", "20", Verdict.UNCLEAR),
        ("max", "45", Verdict.DIFFER),
    ],
)
def test_a_bound_holds_or_is_broken_by_an_exact_number(bound: str, value: str, verdict: Verdict) -> None:
    assert compare(claim("number", "30", bound=bound), claim("number", value)) is verdict


def test_two_different_lower_bounds_differ() -> None:
    assert compare(claim("number", "3", bound="min"), claim("number", "2", bound="min")) is Verdict.DIFFER


def test_a_rounded_number_covers_the_exact_one_nearby() -> None:
    assert compare(claim("number", "1200", bound="about"), claim("number", "1187")) is Verdict.EQUAL
    assert compare(claim("number", "1200", bound="about"), claim("number", "1450")) is Verdict.DIFFER


def test_amounts_of_two_currencies_are_not_compared() -> None:
    assert compare(claim("money", "10", "EUR"), claim("money", "12", "USD")) is Verdict.UNCLEAR
