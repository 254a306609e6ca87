"""Dates told from where one stands: “next Friday”, “tomorrow”, “the first Monday in May”. Without a standpoint none."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from babel import Locale
from babel.dates import get_day_names

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.values.dates import MONTH_NAMES, NEAR_YEARS

WEEK = 7


@cache
def weekdays() -> dict[str, int]:
    """Names of weekdays (CLDR), folded, to 0 for Monday … 6 for Sunday."""
    return {
        name.casefold(): number
        for language in lexicon.LANGUAGES
        for number, name in get_day_names("wide", locale=Locale(language)).items()
    }


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    words = lexicon.load("relative")
    day = "|".join(sorted(map(re.escape, weekdays()), key=len, reverse=True))
    month = "|".join(sorted(map(re.escape, MONTH_NAMES), key=len, reverse=True))
    nth = "|".join(sorted((re.escape(w) for w in words["nth"]), key=len, reverse=True))
    ahead = "|".join(sorted(map(re.escape, words["ahead"]), key=len, reverse=True))
    behind = "|".join(sorted(map(re.escape, words["behind"]), key=len, reverse=True))
    return {
        "nth": re.compile(
            rf"(?<!\w)(?P<nth>{nth})\s+(?P<day>{day})\s+(?:in|of|im|des|de|du mois de)\s+(?P<month>{month})"
            r"(?:\s+(?P<year>(?:19|20)\d\d))?(?!\w)",
            re.IGNORECASE,
        ),
        "ahead": re.compile(
            rf"(?<!\w)(?:{ahead})\s+(?P<day>{day})(?!\w)|(?<!\w)(?P<after>{day})\s+prochain(?!\w)", re.IGNORECASE
        ),
        "behind": re.compile(
            rf"(?<!\w)(?:{behind})\s+(?P<day>{day})(?!\w)|(?<!\w)(?P<after>{day})\s+dernier(?!\w)", re.IGNORECASE
        ),
    }


def find(text: str, document_date: str) -> Iterator[Value]:
    try:
        anchor = date.fromisoformat(document_date[:10])
    except ValueError:
        return
    for match in _patterns()["nth"].finditer(text):
        yield _value(_nth(match, anchor), match, "nth weekday of a month")
    for name, step in (("ahead", 1), ("behind", -1)):
        for match in _patterns()[name].finditer(text):
            day = weekdays()[(match["day"] or match["after"]).casefold()]
            yield _value(_from(anchor, day, step), match, f"weekday {name}")
    for match in lexicon.keys("relative", "days").finditer(text):
        word = lexicon.fold(match.group())
        shift = int(lexicon.mapping("relative", "days")[word])
        yield _value(anchor + timedelta(days=shift), match, f"day: {word}")


def _value(day: date, match: re.Match[str], entry: str) -> Value:
    return Value("date", day.isoformat(), match.group(), match.start(), match.end(), entry=f"date: {entry}")


def _from(anchor: date, weekday: int, step: int) -> date:
    """The first such weekday after (or before) the standpoint, never the day itself."""
    distance = (weekday - anchor.weekday()) * step % WEEK or WEEK
    return anchor + timedelta(days=step * distance)


def _nth(match: re.Match[str], anchor: date) -> date:
    """In the year named, else in the one nearest to the standpoint."""
    month, weekday = MONTH_NAMES[match["month"].casefold()], weekdays()[match["day"].casefold()]
    nth = int(lexicon.load("relative")["nth"][match["nth"].casefold()])
    years = [int(match["year"])] if match["year"] else [anchor.year + shift for shift in NEAR_YEARS]
    return min((_weekday_of(year, month, weekday, nth) for year in years), key=lambda d: abs((d - anchor).days))


def _weekday_of(year: int, month: int, weekday: int, nth: int) -> date:
    first = date(year, month, 1)
    if nth > 0:
        return first + timedelta(days=(weekday - first.weekday()) % WEEK + WEEK * (nth - 1))
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % WEEK)
