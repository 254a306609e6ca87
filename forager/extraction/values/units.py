"""Units of measure: what each is in the base unit of its dimension, and every way CLDR spells it in our languages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any, Literal

from babel import Locale
from babel.dates import get_day_names, get_month_names
from babel.units import format_unit

from forager.extraction import lexicon
from forager.extraction.values import numbers

STYLES: tuple[Literal["long", "short"], ...] = ("long", "short")
"""CLDR also has a narrow style; there one letter stands for a minute, a month and a metre."""
SHORTEST = 2
COUNTS = (1, 2)


@dataclass(frozen=True, slots=True)
class Unit:
    """``factor`` turns an amount of it into the base unit of its dimension."""

    name: str
    dimension: str
    factor: Decimal

    @property
    def base(self) -> str:
        return _bases()[self.dimension]


@cache
def spelled() -> dict[str, Unit]:
    """Every spelling, folded, to its unit; what our own table says goes before what CLDR says."""
    found: dict[str, Unit] = {}
    rows = [(name, row, _unit(name, row)) for name, row in lexicon.load("units").items()]
    for name, row, unit in rows:
        for word in (name, *row.get("words", ())):
            found.setdefault(str(word).casefold(), unit)
    for _, row, unit in rows:
        for word in _in_cldr(row.get("cldr", "")):
            found.setdefault(word, unit)
    never = set(lexicon.load("words")["never_units"])
    return {word: unit for word, unit in found.items() if word not in never}


@cache
def pattern() -> str:
    """A regular expression for any spelling, the longest first."""
    return "|".join(sorted(map(re.escape, spelled()), key=len, reverse=True))


def named(word: str) -> Unit | None:
    """The unit of a spelling. One letter must stand in its own case: “5 A” is a current, “5 a” is nothing."""
    unit = spelled().get(word.casefold())
    if unit is None or (len(word) == 1 and word not in (unit.name, unit.name.upper(), "l", "h")):
        return None
    return None if word == "M" or (word == "H" and unit.name == "h") else unit


def in_head(head: str) -> Unit | None:
    """The unit a column head or key ends in: “weight (kg)”, “payment terms in days”, “size_ml”, “payment_days”."""
    match = re.search(r"(?:[(\[/_]|\bin\s)\s*([^\W\d_]{1,12}|°[CF])\s*[)\]]?\s*$", head, re.IGNORECASE)
    return named(match.group(1)) if match else None


def in_base(value: str, unit: Unit) -> str:
    """An amount (or the ends of a range) in the base unit."""
    return "..".join(numbers.canonical(Decimal(end) * unit.factor) for end in value.split(".."))


def _unit(name: str, row: dict[str, Any]) -> Unit:
    return Unit(name, row["dimension"], Decimal(str(row["factor"])))


@cache
def _bases() -> dict[str, str]:
    return {row["dimension"]: name for name, row in lexicon.load("units").items() if Decimal(str(row["factor"])) == 1}


def _in_cldr(identifier: str) -> Iterator[str]:
    if not identifier:
        return
    for language, style, count in product(lexicon.LANGUAGES, STYLES, COUNTS):
        written = format_unit(count, identifier, style, locale=Locale(language))
        word = re.sub(r"\d", "", written).replace("\u00a0", " ").replace("\u202f", " ").strip(" .").casefold()
        if len(word) >= SHORTEST and word not in _calendar():
            yield word


@cache
def _calendar() -> frozenset[str]:
    """Short names of months and weekdays, which a short unit must not be taken for (“Mon”)."""
    names: set[str] = set()
    for language in lexicon.LANGUAGES:
        locale = Locale(language)
        for table in (get_day_names("abbreviated", locale=locale), get_month_names("abbreviated", locale=locale)):
            names |= {str(name).casefold().rstrip(".") for name in table.values()}
    return frozenset(names)
