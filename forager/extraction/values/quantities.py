"""Percentages, quantities with units and counted things. Canonical in the base unit of their dimension."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.stems import small_words
from forager.extraction.values import bounds, numbers, units

PERCENT = re.compile(
    rf"(?<![\w.,])(?P<n>[-−]?(?:{numbers.DIGITS})|{numbers.WORD_PATTERN})\s?"
    r"(?:%|percent\b|per cent\b|prozent\b|pour ?cent\b)",
    re.IGNORECASE,
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
TOLERANCE = re.compile(
    rf"(?<![\w.,])(?P<n>{numbers.DIGITS})\s?(?P<unit>%|[^\W\d_]{{1,4}}|°C|°F)?\s?(?:±|\+/-)\s?"
    rf"(?P<room>{numbers.DIGITS})\s?(?P<after>%|°C|°F|[a-zA-Z]{{1,3}}\b)?"
)
SIDE = re.compile(rf"({numbers.DIGITS})\s?(mm|cm|m|in|ft)?")


@cache
def _quantity() -> re.Pattern[str]:
    number = rf"{numbers.DIGITS}|{numbers.WORD_PATTERN}"
    ranged = rf"(?P<a>{number})(?:\s?(?:-|–|to|bis|à)\s?(?P<b>{number}))?"
    return re.compile(
        rf"(?<![\w.,:/])(?P<sign>[-−]?){ranged}[\s-]?(?P<unit>{units.pattern()})(?![\w²/])", re.IGNORECASE
    )


@cache
def _size() -> re.Pattern[str]:
    side = rf"(?:{numbers.DIGITS})(?:\s?(?:mm|cm|m|in|ft))?"
    return re.compile(
        rf"(?<![\w.,/])(?:{side}\s?[x×]\s?){{1,2}}(?:{numbers.DIGITS})\s?(?P<unit>mm|cm|m|in|ft)(?![\w²/])"
    )


def find(text: str, language: str) -> Iterator[Value]:
    yield from _spoken(text)
    if not numbers.may_stand_in(text):
        return
    if numbers.has_digit(text):
        yield from _tolerances(text, language)
        yield from _sizes(text, language)
    yield from _percentages(text, language)
    yield from _with_units(text, language)
    yield from _ranges(text, language)
    yield from _plain(text, language)


def _tolerances(text: str, language: str) -> Iterator[Value]:
    """“50 % ± 5”, “20 ± 2 °C”: from the one to the other."""
    for match in TOLERANCE.finditer(text):
        middle, room = numbers.parse(match["n"], language), numbers.parse(match["room"], language)
        word = match["unit"] or match["after"] or ""
        unit = units.named(word)
        if middle is None or room is None or (word and word != "%" and unit is None):
            continue
        said = f"{numbers.canonical(middle - room)}..{numbers.canonical(middle + room)}"
        kind = "percent" if word == "%" else "quantity" if unit else "number"
        value, base = (units.in_base(said, unit), unit.base) if unit else (said, word)
        yield replace(_value(kind, value, match, text, unit=base, entry="tolerance"), said=f"{said} {word}".strip())


def _percentages(text: str, language: str) -> Iterator[Value]:
    for match in PERCENT.finditer(text):
        number = numbers.parse(match["n"].replace("−", "-"), language)
        if number is not None:
            yield _value("percent", numbers.canonical(number), match, text, unit="%", entry="unit: %")


def _with_units(text: str, language: str) -> Iterator[Value]:
    """Amounts with a unit; “2 hours 30 minutes” is one."""
    found: list[tuple[Value, units.Unit]] = []
    for match in _quantity().finditer(text):
        unit = units.named(match["unit"])
        ends = [numbers.parse(end, language) for end in (match["a"], match["b"]) if end]
        if unit is None or any(end is None for end in ends):
            continue
        sign = -1 if match["sign"] else 1
        said = "..".join(numbers.canonical(sign * end) for end in ends if end is not None)
        value = _value("quantity", units.in_base(said, unit), match, text, unit=unit.base, entry=f"unit: {unit.name}")
        value = replace(value, said=f"{said} {unit.name}")
        if found and _continues(*found[-1], value, unit, text):
            value = _summed(found.pop()[0], value, text)
        found.append((value, unit))
    yield from (value for value, _ in found)


def _continues(value: Value, unit: units.Unit, following: Value, smaller: units.Unit, text: str) -> bool:
    joined = text[value.end : following.start].strip() in ("", "and", "und", "et")
    single = ".." not in value.value + following.value
    return joined and single and unit.dimension == smaller.dimension and unit.factor > smaller.factor


def _summed(value: Value, rest: Value, text: str) -> Value:
    total = numbers.canonical(Decimal(value.value) + Decimal(rest.value))
    raw = text[value.start : rest.end]
    return replace(value, value=total, raw=raw, end=rest.end, said=f"{value.said} {rest.said}")


def _spoken(text: str) -> Iterator[Value]:
    """“half an hour”, “eine Viertelstunde”, “within a week”."""
    for base, table in (("s", "seconds"), ("mo", "months")):
        amounts = lexicon.mapping("durations", table)
        for match in lexicon.keys("durations", table).finditer(text):
            value = amounts[lexicon.fold(match.group())]
            yield replace(_value("quantity", value, match, text, unit=base, entry="a spoken span"), said=match.group())
    for match in _single().finditer(text):
        unit = units.named(match["unit"])
        if unit is not None and unit.base in ("s", "mo"):
            value = numbers.canonical(unit.factor)
            start = match.start("n")
            limit = bounds.bound(text, start, match.end())
            yield Value("quantity", value, text[start : match.end()], start, match.end(), unit.base, limit,
                        f"unit: {unit.name}", f"1 {unit.name}")  # fmt: skip


@cache
def _single() -> re.Pattern[str]:
    lead = "|".join(lexicon.load("durations")["leads_in"])
    return re.compile(
        rf"(?<!\w)(?:{lead})\s+(?P<n>an?|one|single|eine[rmn]?|un|une)\s+(?P<unit>{units.pattern()})(?!\w)",
        re.IGNORECASE,
    )


def _sizes(text: str, language: str) -> Iterator[Value]:
    """“220 x 95 cm”, “2.4 m long and 1.8 m wide” is two values, “2.4 m x 1.8 m” is one."""
    for match in _size().finditer(text):
        outer = units.named(match["unit"])
        sides = [(numbers.parse(n, language), units.named(u) if u else outer) for n, u in SIDE.findall(match.group())]
        if outer is None or any(n is None or u is None or u.dimension != outer.dimension for n, u in sides):
            continue
        measured = "x".join(numbers.canonical(n * u.factor) for n, u in sides if n is not None and u is not None)
        yield Value("size", measured, match.group(), match.start(), match.end(), outer.base,
                    entry="size", said=" ".join(match.group().split()))  # fmt: skip


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
    return re.fullmatch(r"(?:19|20)\d\d", digits) is not None and not (counts and following[0] not in small_words())


def _value(kind: str, value: str, match: re.Match[str], text: str, *, entry: str, unit: str = "") -> Value:
    return Value(
        kind,
        value,
        match.group(),
        match.start(),
        match.end(),
        unit,
        bounds.bound(text, match.start(), match.end()),
        entry,
    )
