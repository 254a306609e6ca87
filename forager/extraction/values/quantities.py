"""Percentages, quantities with units and counted things. Canonical in the base unit of their dimension."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.values import numbers

PERCENT = re.compile(
    rf"(?<![\w.,])(?P<n>[-−]?(?:{numbers.DIGITS}))\s?(?:%|percent\b|per cent\b|prozent\b|pour ?cent\b)", re.IGNORECASE
)
NUMBER = re.compile(
    rf"(?<![\w.,:/-])(?P<n>[-−]?(?:{numbers.DIGITS}))(?:\s?(?P<scale>k|m|million|millionen|mio|billion|mrd|thousand)\b\.?)?(?![\w:/]|[.,]\d)",
    re.IGNORECASE,
)
NUMBER_WORD = re.compile(rf"(?<![\w-])(?P<n>{numbers.WORD_PATTERN})", re.IGNORECASE)
RANGE = re.compile(
    rf"(?<![\w.,:/-])(?P<a>{numbers.DIGITS})\s?(?:-|–|to|bis|à)\s?(?P<b>{numbers.DIGITS})(?![\w:/]|[.,]\d)",
    re.IGNORECASE,
)
BEFORE = 26
TURNED = ("more than", "over", "above")


@dataclass(frozen=True, slots=True)
class Unit:
    name: str
    dimension: str
    factor: Decimal

    @property
    def base(self) -> str:
        return _base_units()[self.dimension]


@cache
def _base_units() -> dict[str, str]:
    """Of each dimension the unit that all others are turned into."""
    return {row["dimension"]: name for name, row in lexicon.load("units").items() if Decimal(str(row["factor"])) == 1}


@cache
def _units() -> dict[str, Unit]:
    spelled = {}
    for name, row in lexicon.load("units").items():
        for word in row["words"]:
            spelled[str(word).casefold()] = Unit(name, row["dimension"], Decimal(str(row["factor"])))
    return spelled


@cache
def _quantity() -> re.Pattern[str]:
    unit = "|".join(sorted(map(re.escape, _units()), key=len, reverse=True))
    number = rf"{numbers.DIGITS}|{numbers.WORD_PATTERN}"
    ranged = rf"(?P<a>{number})(?:\s?(?:-|–|to|bis|à)\s?(?P<b>{number}))?"
    return re.compile(rf"(?<![\w.,/])(?P<sign>[-−]?){ranged}[\s-]?(?P<unit>{unit})(?![\w²/])", re.IGNORECASE)


def unit_in(head: str) -> Unit | None:
    """The unit a column head or key ends in: “weight (kg)”, “payment terms in days”, “size_ml”."""
    match = re.search(r"(?:[(\[/_]|\bin\s)\s*([^\W\d_]{1,12}|°[CF])\s*[)\]]?\s*$", head, re.IGNORECASE)
    return _units().get(match.group(1).casefold()) if match else None


def in_base(value: str, unit: Unit) -> str:
    return "..".join(numbers.canonical(Decimal(end) * unit.factor) for end in value.split(".."))


def find(text: str, language: str) -> Iterator[Value]:
    yield from _percentages(text, language)
    yield from _with_units(text, language)
    yield from _ranges(text, language)
    yield from _plain(text, language)


def _percentages(text: str, language: str) -> Iterator[Value]:
    for match in PERCENT.finditer(text):
        number = numbers.parse(match["n"].replace("−", "-"), language)
        if number is not None:
            yield _value("percent", numbers.canonical(number), match, text, unit="%", entry="unit: %")


def _with_units(text: str, language: str) -> Iterator[Value]:
    for match in _quantity().finditer(text):
        unit = _units()[match["unit"].casefold()]
        ends = [numbers.parse(end, language) for end in (match["a"], match["b"]) if end]
        if any(end is None for end in ends):
            continue
        sign = -1 if match["sign"] else 1
        value = "..".join(numbers.canonical(sign * end * unit.factor) for end in ends if end is not None)
        yield _value("quantity", value, match, text, unit=_base_units()[unit.dimension], entry=f"unit: {unit.name}")


def _ranges(text: str, language: str) -> Iterator[Value]:
    for match in RANGE.finditer(text):
        low, high = numbers.parse(match["a"], language), numbers.parse(match["b"], language)
        if low is not None and high is not None and low < high:
            yield _value("number", f"{numbers.canonical(low)}..{numbers.canonical(high)}", match, text, entry="range")


def _plain(text: str, language: str) -> Iterator[Value]:
    for pattern in (NUMBER, NUMBER_WORD):
        for match in pattern.finditer(text):
            number = numbers.parse(match["n"].replace("−", "-"), language)
            if number is None:
                continue
            scale = match.groupdict().get("scale") or ""
            if not scale and _is_year(match["n"], text[match.end() :]):
                yield Value("date", match["n"], match.group(), match.start(), match.end(), entry="date: year")
                continue
            yield _value("number", numbers.canonical(numbers.scaled(number, scale)), match, text, entry="number")


def _is_year(digits: str, after: str) -> bool:
    """1900 to 2099, unless it counts what follows (“2000 chairs”)."""
    following = after.split(maxsplit=1)[:1]
    counts = bool(following) and after.startswith(" ") and following[0].isalpha() and following[0].islower()
    small = {word for words in lexicon.load("words")["stop"].values() for word in words}
    return re.fullmatch(r"(?:19|20)\d\d", digits) is not None and not (counts and following[0] not in small)


def _value(kind: str, value: str, match: re.Match[str], text: str, *, entry: str, unit: str = "") -> Value:
    return Value(kind, value, match.group(), match.start(), match.end(), unit, bound(text, match), entry)


@cache
def bound_words() -> frozenset[str]:
    """The single words of all bounds."""
    return frozenset(word for phrases in lexicon.load("bounds").values() for p in phrases for word in p.split())


@cache
def _bound_patterns() -> dict[str, re.Pattern[str]]:
    return {name: lexicon.any_of(lexicon.load("bounds")[name]) for name in ("min", "max", "about")}


def bound(text: str, match: re.Match[str]) -> str:
    """``at least 30`` is a lower bound, ``about 30`` is rounded; the words stand close before or right after."""
    before, after = text[max(0, match.start() - BEFORE) : match.start()], text[match.end() : match.end() + 12]
    for name, pattern in _bound_patterns().items():
        hits = list(pattern.finditer(before))
        if hits and not before[hits[-1].end() :].strip(" a"):
            negated = lexicon.pattern("bounds", "negated").search(text[: match.start()]) is not None
            return "max" if name == "min" and negated and hits[-1].group().casefold() in TURNED else name
        after_hit = pattern.search(after) if name == "min" else None
        if after_hit and not after[: after_hit.start()].strip() and after_hit.group() != "from":
            return name
    return ""
