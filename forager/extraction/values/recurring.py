"""How often, and on which days: ``every six months``, ``twice a week``, ``Tuesdays and Fridays``, ``Mon–Sat``.

A frequency is canonical as the days between two times; weekdays as their numbers, Monday first: ``2,5``.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.dates import get_day_names

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.phrases import first_run, runs
from forager.extraction.values import numbers, units

DAYS_OF_A_MONTH = Decimal("30.4")
SECONDS_OF_A_DAY = Decimal(86400)
ADVERB_BEFORE = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:at|on|by|in|from|to|um|am|und|bis|à|et|with|for|von|mit)\b)", re.IGNORECASE
)
SPANNING = re.compile(r"\s*(?:-|–|—|to|till|until|through|thru|bis|au|à)\s*", re.IGNORECASE)
LISTING = re.compile(r"\s*(?:,|/|&|\+|and|or|und|oder|et|ou|,\s*and)\s*", re.IGNORECASE)
SHORT_DAY = 2


def frequencies(text: str) -> Iterator[Value]:
    for match in _every().finditer(text) if not _every_words().isdisjoint(runs(text)) else ():
        count, unit = numbers.parse(match["n"] or "1"), units.named(match["unit"])
        if count is not None and unit is not None and (days := in_days(count * unit.factor, unit.base)):
            turns = count * (2 if match["other"] else 1)
            said = f"every {numbers.canonical(turns)} {unit.name}"
            yield _frequency(days * (2 if match["other"] else 1), match, "every", said)
    for match in _counted().finditer(text) if _may_be_counted(text) else ():
        times = _count(match["times"])
        if times:
            yield _frequency(Decimal(_rounds()[lexicon.fold(match["round"])]) / times, match, "times a round")
    rates = lexicon.mapping("recurring", "rates")
    for match in lexicon.keys("recurring", "rates").finditer(text):
        if " " in match.group() or ADVERB_BEFORE.match(text, match.end()):
            yield _frequency(Decimal(rates[lexicon.fold(match.group())]), match, "rate")


def in_days(amount: Decimal, base: str) -> Decimal | None:
    """A duration in days; None when the unit is none of time."""
    if base == "s":
        return amount / SECONDS_OF_A_DAY
    return amount * DAYS_OF_A_MONTH if base == "mo" else None


def weekdays(text: str) -> Iterator[Value]:
    """Weekdays named together are one value; a span of them is all its days."""
    run: list[tuple[int, re.Match[str]]] = []
    joined: list[int] = []
    for match in filter(_is_day, day_pattern().finditer(text)) if _may_name_a_day(text) else ():
        day = day_numbers()[(match.group(1) or match.group(2)).casefold()]
        between = text[run[-1][1].end() : match.start()] if run else ""
        if run and SPANNING.fullmatch(between):
            first = joined[-1]
            joined += [(first - 1 + step) % 7 + 1 for step in range(1, (day - first) % 7 + 1)]
        elif run and LISTING.fullmatch(between):
            joined.append(day)
        else:
            if run:
                yield _weekdays(joined, run, text)
            run, joined = [], [day]
        run.append((day, match))
    if run:
        yield _weekdays(joined, run, text)


def _may_name_a_day(text: str) -> bool:
    """By its first letters: “Montags”, “Mondays”."""
    return any(word[:SHORT_DAY] in _day_beginnings() for word in runs(text))


@cache
def _day_beginnings() -> frozenset[str]:
    return frozenset(name[:SHORT_DAY] for name in day_numbers())


@cache
def day_numbers() -> dict[str, int]:
    """Names of weekdays in CLDR, whole and short, folded, to 1 for Monday … 7 for Sunday."""
    found: dict[str, int] = {}
    for language in lexicon.LANGUAGES:
        for width in ("wide", "abbreviated"):
            for number, name in get_day_names(width, locale=Locale(language)).items():
                found.setdefault(str(name).casefold().rstrip("."), int(number) + 1)
    found.update({str(name): int(n) for name, n in lexicon.load("words")["weekdays_extra"].items()})
    return found


@cache
def day_pattern() -> re.Pattern[str]:
    """A weekday; a name of two or three letters only with a capital, for “so”, “do” and “sun” are words too."""
    names = sorted(day_numbers(), key=len, reverse=True)
    whole = "|".join(re.escape(n) for n in names if len(n) > SHORT_DAY + 2)
    short = "|".join(re.escape(n.capitalize()) for n in names if len(n) <= SHORT_DAY + 2)
    return re.compile(rf"(?<!\w)(?:((?i:{whole}))(?:s|e|en)?|({short})\.?)(?!\w)")


def _is_day(match: re.Match[str]) -> bool:
    """“Do” and “So” begin sentences, “Fr.” stands before names: two letters need another day or a time beside them."""
    if len((match.group(2) or "").rstrip(".")) != SHORT_DAY:
        return True
    before, after = match.string[: match.start()], match.string[match.end() :]
    beside = re.match(r"\s*(?:$|[-–—:/&+,]|bis\b|und\b|\d)", after) or re.search(r"(?:[-–—/&+,]|bis|und)\s*$", before)
    return beside is not None and not re.match(r"\s*,?\s+[a-z]", after)


def _weekdays(days: list[int], run: list[tuple[int, re.Match[str]]], text: str) -> Value:
    start, end = run[0][1].start(), run[-1][1].end()
    value = ",".join(str(day) for day in sorted(set(days)))
    return Value("weekday", value, text[start:end], start, end, entry="weekdays", said=text[start:end])


def _frequency(days: Decimal, match: re.Match[str], entry: str, said: str = "") -> Value:
    shortened, raw = numbers.canonical(days.quantize(Decimal("0.0001"))), match.group()
    said = said or " ".join(raw.split())
    return Value("frequency", shortened, raw, match.start(), match.end(), entry=f"frequency: {entry}", said=said)


def _count(times: str) -> Decimal | None:
    folded = lexicon.fold(times)
    known = lexicon.load("recurring")["times"]
    return Decimal(known[folded]) if folded in known else numbers.parse(re.split(r"\s|mal", folded)[0])


@cache
def _rounds() -> dict[str, int]:
    return {
        str(word): int(row["days"]) for row in lexicon.load("recurring")["rounds"].values() for word in row["words"]
    }


@cache
def _every_words() -> frozenset[str]:
    """What “every” begins with in any language."""
    return frozenset(first_run(w) for some in lexicon.load("recurring")["every"].values() for w in some)


@cache
def _times_words() -> frozenset[str]:
    return frozenset(first_run(w) for w in lexicon.load("recurring")["times"])


def _may_be_counted(text: str) -> bool:
    return numbers.may_stand_in(text) or not _times_words().isdisjoint(runs(text))


@cache
def _every() -> re.Pattern[str]:
    words = lexicon.load("recurring")
    every = "|".join(sorted((w for some in words["every"].values() for w in some), key=len, reverse=True))
    other = "|".join(words["other"])
    number = rf"{numbers.DIGITS}|{numbers.WORD_PATTERN}"
    return re.compile(
        rf"(?<!\w)(?:{every})\s+(?:(?P<other>{other})\s+)?(?:(?P<n>{number})\s+)?(?P<unit>{units.pattern()})(?!\w)",
        re.IGNORECASE,
    )


@cache
def _counted() -> re.Pattern[str]:
    times = "|".join(sorted(map(re.escape, lexicon.load("recurring")["times"]), key=len, reverse=True))
    rounds = "|".join(sorted(map(re.escape, _rounds()), key=len, reverse=True))
    number = rf"(?:{numbers.DIGITS}|{numbers.WORD_PATTERN})"
    return re.compile(
        rf"(?<!\w)(?P<times>{times}|{number}\s?(?:times|mal|fois))\s+"
        rf"(?:(?:a|per|each|every|pro|im|am|in der|par)\s+)?(?P<round>{rounds})(?!\w)",
        re.IGNORECASE,
    )
