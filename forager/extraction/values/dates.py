"""Dates as written in English, German and French, to ISO with their precision.

``2026-03-03``, ``2026-03``, ``2026-Q3``; a range is ``a..b``; a numeric date that can be two days is both, joined by
``|``. A day without a year takes the year that brings it nearest to the document's date; without one it is ``--04-10``.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache

from babel import Locale
from babel.dates import get_month_names

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.phrases import runs
from forager.extraction.values import numbers

NEAR_YEARS = (-1, 0, 1)


def _month_names() -> dict[str, int]:
    names: dict[str, int] = {}
    for language in lexicon.LANGUAGES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, Locale(language)).items():
                    names[name.casefold().rstrip(".")] = int(number)
    names.update({name: int(n) for name, n in lexicon.load("words")["months_extra"].items()})
    return {name: number for name, number in names.items() if len(name) > 2}


MONTH_NAMES = _month_names()
_MONTH = "(?P<month>" + "|".join(sorted(map(re.escape, MONTH_NAMES), key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.)?"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_DASH = r"\s*(?:-|–|—|to|until|bis|au|à)\s*"
_LEFT, _RIGHT = r"(?<![\w.,/-])", r"(?![\w/]|[-.,]\d)"


def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(_LEFT + body + _RIGHT, re.IGNORECASE)


ISO = re.compile(r"(?<![\w/-])(?P<year>(?:19|20)\d{2})-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?![\w-]*\d)")
DAY_RANGE = _compiled(rf"(?P<from>[0-3]?\d)\.?{_DASH}{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?")
_TO = r"\s*(?:-|–|—|to|until|through|bis(?: zum)?|au|à|jusqu'au|and|und|et)\s*"
SPAN = _compiled(
    rf"(?P<from>[0-3]?\d)(?:st|nd|rd|th|er|\.)?(?:\s+of)?\s+{_MONTH.replace('month', 'month1')}"
    rf"(?:,?\s+{_YEAR.replace('year', 'year1')})?"
    rf"{_TO}(?:the\s+)?{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?"
)
DAY_MONTH = _compiled(rf"{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?")
MONTH_DAY = _compiled(rf"{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?")
MONTH_YEAR = _compiled(rf"{_MONTH},?\s+{_YEAR}")
MONTH_ONLY = re.compile(
    rf"(?<![\w-])(?:(?:in|by|until|since|from|im|ab|bis|seit|en|au|fin|début|mi|end of|beginning of|early|late|mid|"
    rf"mitte|anfang|ende)[\s-]+)+{_MONTH}(?:\s+{_YEAR})?(?!\s*\d)(?!\w)",
    re.IGNORECASE,
)
POINTED = _compiled(r"(?P<day>[0-3]?\d)\.\s?(?P<month>[01]?\d)\.\s?(?P<year>(?:19|20)?\d{2})")
POINTED_NO_YEAR = re.compile(r"(?<![\w.,/-])(?P<day>[0-3]?\d)\.\s?(?P<month>[01]?\d)\.(?!\d)(?P<year>)")
SLASHED = _compiled(r"(?P<a>[0-3]?\d)[/-](?P<b>[0-3]?\d)[/-](?P<year>(?:19|20)\d{2})")
YEAR_FIRST = _compiled(r"(?P<year>(?:19|20)\d{2})/(?P<month>[01]?\d)/(?P<day>[0-3]?\d)")
QUARTER = _compiled(
    rf"(?:Q(?P<quarter>[1-4])|(?P<ordinal>[1-4])\.?\s*(?:quartal|quarter|trimestre))(?:\s+of)?\s*,?/?\s*{_YEAR}"
)


def find(text: str, document_date: str) -> Iterator[Value]:
    """All dates of a sentence, possibly overlapping; the caller keeps the first of each place."""
    digits, month = numbers.has_digit(text), not MONTH_NAMES.keys().isdisjoint(runs(text))
    for needs_digits, needs_month, pattern, read, entry in _readers():
        if (needs_digits and not digits) or (needs_month and not month):
            continue
        for match in pattern.finditer(text):
            value = read(match, document_date)
            if value:
                yield Value("date", value, match.group(), match.start(), match.end(), entry=f"date: {entry}")


@cache
def _readers() -> tuple[tuple[bool, bool, re.Pattern[str], Callable[[re.Match[str], str], str], str], ...]:
    """In the order they are asked: whether digits, and the name of a month, must stand in the text; the notation."""
    return (
        (True, False, ISO, _from_numbers, "iso"),
        (True, True, SPAN, _from_span, "day to day"),
        (True, True, DAY_RANGE, _from_range, "day range"),
        (True, True, DAY_MONTH, _from_words, "day month"),
        (True, True, MONTH_DAY, _from_words, "month day"),
        (True, True, MONTH_YEAR, _from_month, "month year"),
        (True, False, YEAR_FIRST, _from_numbers, "year/month/day"),
        (True, False, POINTED, _from_numbers, "day.month.year"),
        (True, False, POINTED_NO_YEAR, _from_pointed, "day.month."),
        (True, False, SLASHED, _from_slashed, "day/month or month/day"),
        (True, False, QUARTER, _from_quarter, "quarter"),
        (False, True, MONTH_ONLY, _from_bare_month, "month"),
    )


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _year(text: str) -> int:
    year = int(text)
    return year if year > 99 else 2000 + year


def _from_numbers(match: re.Match[str], _document_date: str) -> str:
    return _iso(_year(match["year"]), int(match["month"]), int(match["day"]))


def _from_slashed(match: re.Match[str], _document_date: str) -> str:
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    readings = {_iso(year, b, a), _iso(year, a, b)} - {""}
    return "|".join(sorted(readings))


def _from_words(match: re.Match[str], document_date: str) -> str:
    return _day(match, int(match["day"]), document_date)


def _from_range(match: re.Match[str], document_date: str) -> str:
    first, last = _day(match, int(match["from"]), document_date), _day(match, int(match["day"]), document_date)
    return f"{first}..{last}" if first and last and first < last else ""


def _from_pointed(match: re.Match[str], document_date: str) -> str:
    return _in_year(int(match["month"]), int(match["day"]), document_date)


def _from_span(match: re.Match[str], document_date: str) -> str:
    """“from 1 January to 31 December 2025”: the year of the end is that of the beginning, if that has none."""
    last = _day(match, int(match["day"]), document_date)
    month, year = MONTH_NAMES[match["month1"].casefold().rstrip(".")], match["year1"] or last[:4]
    first = _iso(int(year), month, int(match["from"])) if year.isdigit() else ""
    if first > last and not match["year1"] and first:
        first = _iso(int(year) - 1, month, int(match["from"]))
    return f"{first}..{last}" if first and first < last else ""


def _day(match: re.Match[str], day: int, document_date: str) -> str:
    month = MONTH_NAMES[match["month"].casefold().rstrip(".")]
    if match["year"]:
        return _iso(int(match["year"]), month, day)
    return _in_year(month, day, document_date)


def _in_year(month: int, day: int, document_date: str) -> str:
    """In the year that brings it nearest to the document's date."""
    anchor = _anchor(document_date)
    if anchor is None:
        return f"--{month:02d}-{day:02d}" if _iso(2000, month, day) else ""
    near = [d for shift in NEAR_YEARS if (d := _iso(anchor.year + shift, month, day))]
    return min(near, key=lambda d: abs((date.fromisoformat(d) - anchor).days), default="")


def _anchor(document_date: str) -> date | None:
    try:
        return date.fromisoformat(document_date[:10])
    except ValueError:
        return None


def _from_month(match: re.Match[str], _document_date: str) -> str:
    return f"{match['year']}-{MONTH_NAMES[match['month'].casefold().rstrip('.')]:02d}"


def _from_bare_month(match: re.Match[str], document_date: str) -> str:
    """“in August”, “mid-June”: the month nearest to the document's date."""
    month = MONTH_NAMES[match["month"].casefold().rstrip(".")]
    if match["year"]:
        return f"{match['year']}-{month:02d}"
    anchor = _anchor(document_date)
    if anchor is None:
        return f"--{month:02d}"
    near = [date(anchor.year + shift, month, 15) for shift in NEAR_YEARS]
    return min(near, key=lambda d: abs((d - anchor).days)).isoformat()[:7]


def _from_quarter(match: re.Match[str], _document_date: str) -> str:
    return f"{match['year']}-Q{match['quarter'] or match['ordinal']}"
