"""The date a document states about itself. Only dates with one reading count; others give an empty string."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from functools import cache

from babel import Locale

MONTH_LOCALES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "pl", "cs", "fi")
LABEL = re.compile(
    r"^\W*(?:date|dated|document date|last updated|updated(?: on)?|last modified|datum|stand|"
    r"date de (?:publication|rédaction)|fecha|data|dato|päivämäärä)\W{0,3}\s*[:：]\W*(?P<value>\S.*)$",
    re.IGNORECASE,
)
NEAR_TOP = 15
"""Lines from the top in which a 'Date:' line still speaks of the whole document."""

FIXED_STAMPS = ((2000, 1, 1), (2013, 12, 23), (2013, 1, 27), (1990, 1, 1))
"""Days that document libraries write into every file: they tell of the library, not of the document."""

ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
DOTTED = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th|\.|er)?\s+(?:de\s+|of\s+)?([^\W\d_]+)\.?,?\s+(?:de\s+)?(\d{4})\b")
MONTH_FIRST = re.compile(r"\b([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
MONTH_ONLY = re.compile(r"\b([^\W\d_]+)\.?\s+(\d{4})\b")


def read_date(value: str) -> str:
    """ISO date of ``value`` with the precision found, or "" when there is none or it has two readings."""
    for reader in (_iso, _dotted, _slashed, _day_first, _month_first, _month_only):
        found = reader(value)
        if found:
            return found
    return ""


def stated_near_top(lines: Iterable[str]) -> tuple[str, str]:
    """Date and where it came from, of the first 'Date: …' line near the top; two empty strings without one."""
    for number, line in enumerate(lines, 1):
        if number > NEAR_TOP:
            break
        match = LABEL.match(line.strip())
        found = read_date(match["value"]) if match else ""
        if found:
            return found, f"line {number}: {line.strip()[:80]}"
    return "", ""


def of_metadata(value: datetime | date | None) -> str:
    """ISO day of a file's own metadata; a tool's fixed stamp and years no program has written are no date."""
    if value is None or not 1985 <= value.year <= 2200 or (value.year, value.month, value.day) in FIXED_STAMPS:
        return ""
    return f"{value:%Y-%m-%d}"


def of_package(stamps: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Day and origin of the first usable stamp of a package's own metadata; ``stamps`` are (what it is, its words)."""
    for said, words in stamps:
        written = read_date(words[:10])
        day = of_metadata(date.fromisoformat(written)) if len(written) == 10 else ""
        if day:
            return day, f"file metadata: {said}"
    return "", ""


def _iso(value: str) -> str:
    match = ISO.search(value)
    return _checked(*match.groups()) if match else ""


def _dotted(value: str) -> str:
    match = DOTTED.search(value)
    return _checked(match[3], match[2], match[1]) if match else ""


def _slashed(value: str) -> str:
    match = SLASHED.search(value)
    if match is None:
        return ""
    first, second = int(match[1]), int(match[2])
    if first == second or first > 12:
        return _checked(match[3], match[2], match[1])
    return _checked(match[3], match[1], match[2]) if second > 12 else ""


def _day_first(value: str) -> str:
    return next((found for m in DAY_FIRST.finditer(value) if (found := _named(m[3], m[2], m[1]))), "")


def _month_first(value: str) -> str:
    return next((found for m in MONTH_FIRST.finditer(value) if (found := _named(m[3], m[1], m[2]))), "")


def _month_only(value: str) -> str:
    if any(match[2].casefold() in _months() for match in DAY_FIRST.finditer(value)):
        return ""
    return next((found for m in MONTH_ONLY.finditer(value) if (found := _named(m[2], m[1], None))), "")


def _named(year: str, month: str, day: str | None) -> str:
    number = _months().get(month.casefold())
    return _checked(year, str(number), day) if number else ""


def _checked(year: str, month: str, day: str | None) -> str:
    try:
        whole = date(int(year), int(month), int(day or 1))
    except ValueError:
        return ""
    return whole.isoformat() if day else f"{whole:%Y-%m}"


@cache
def _months() -> dict[str, int]:
    """Month names and abbreviations by case-folded word; a word two languages use for two months is left out."""
    seen: dict[str, set[int]] = {}
    for code in MONTH_LOCALES:
        months = Locale(code).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, word in months[context][width].items():
                    seen.setdefault(word.rstrip(".").casefold(), set()).add(number)
    seen.setdefault("sept", {9})
    return {word: numbers.pop() for word, numbers in seen.items() if len(numbers) == 1}
