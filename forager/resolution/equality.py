"""Whether two values of one type say the same. Three answers: equal, differ, or they cannot be compared."""

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from forager.extraction.model import Claim
from forager.extraction.names import TITLES
from forager.extraction.values import numbers, recurring

ROUNDING, ROUNDEST = Decimal("0.06"), Decimal("0.15")
"""How far a value said to be rounded may lie from the exact one: “about 1,200” at least 6 %, “about 20” up to 15 %."""


AMOUNTS = ("number", "quantity", "money", "percent", "frequency")
SCALED = re.compile(rf"\d\s?(?:{'|'.join(numbers.MULTIPLIERS)})\b", re.IGNORECASE)
WRITTEN = re.compile(numbers.DIGITS)
STANCE = "stance"
STANCES = tuple(
    f"polarity:{s}" for s in ("permission", "approval", "support", "inclusion", "presence", "taking_place", "assertion")
)
"""Scales that answer each other: what is not allowed is not accepted either."""
PHONE_DIGITS = 8
MOST_TIMES = 366
"""Days of a year: the most often that a rate is summed up in ordinary papers."""


EDGES = {"min", "max"}
SHORTEST_MONTH, LONGEST_MONTH = Decimal(28), Decimal(31)
LOOSE_ROUND = Decimal("0.1")
"""A month is four weeks where rounds are counted, a quarter three months."""


class Verdict(StrEnum):
    EQUAL = "equal"
    DIFFER = "differ"
    UNCLEAR = "unclear"


def compare(a: Claim, b: Claim) -> Verdict:
    if family(a) == family(b) == STANCE:
        return _exact(a, b)
    if a.type != b.type:
        return _as_written(a, b)
    if a.type == "quantity" and {a.unit, b.unit} == {"mo", "s"}:
        return _duration(a, b)
    if a.unit != b.unit and not (a.type == "money" and "" in (a.unit, b.unit)):
        return Verdict.UNCLEAR
    if a.value == b.value and a.bound == b.bound:
        return Verdict.EQUAL
    return _BY_TYPE.get(a.type.partition(":")[0], _exact)(a, b)


def family(claim: Claim) -> str:
    """Claims of one family may be compared: a bare number in a table may be an amount of anything."""
    if claim.type in AMOUNTS:
        return "amount"
    return STANCE if claim.type in STANCES else claim.type


def is_exact(claim: Claim) -> bool:
    """An exact value may start a side; a vague one (ambiguous, without its year) only joins one."""
    return claim.type == "time" or ("|" not in claim.value and not claim.value.startswith("--"))


def _as_written(a: Claim, b: Claim) -> Verdict:
    if {a.type, b.type} == {"frequency", "quantity"}:
        return _round_of(a, b)
    """A bare number against one with a unit: by the digits as written; only a table leaves the unit out."""
    bare, other = (a, b) if a.type == "number" else (b, a)
    said = [numbers.parse(m.group()) for c in (bare, other) if (m := WRITTEN.search(c.raw))]
    if bare.type != "number" or not bare.row or len(said) != 2 or None in said:
        return Verdict.UNCLEAR
    return Verdict.EQUAL if said[0] == said[1] else Verdict.DIFFER


def _round_of(a: Claim, b: Claim) -> Verdict:
    """“every 15 minutes” against “headway: 20 min”: how often against how long between."""
    rate, span = (a, b) if a.type == "frequency" else (b, a)
    low, high = (recurring.in_days(end, span.unit) if end is not None else None for end in _ends(span.value))
    if low is None or low != high:
        return Verdict.UNCLEAR
    apart = abs(low - Decimal(rate.value))
    return Verdict.EQUAL if apart <= LOOSE_ROUND * max(low, Decimal(rate.value)) else Verdict.DIFFER


def _exact(a: Claim, b: Claim) -> Verdict:
    return Verdict.EQUAL if a.value == b.value else Verdict.DIFFER


def _date(a: Claim, b: Claim) -> Verdict:
    if ".." not in a.value + b.value and {a.bound, b.bound} == EDGES:
        return Verdict.UNCLEAR
    if ".." in a.value or ".." in b.value:
        return _span(a, b)
    readings = [(x, y) for x in a.value.split("|") for y in b.value.split("|")]
    same = any(_same_day(x, y) for x, y in readings)
    if "|" in a.value + b.value and not same:
        return Verdict.DIFFER
    return Verdict.EQUAL if same else Verdict.DIFFER


def _same_day(x: str, y: str) -> bool:
    """Equal as far as the less precise one says: ``2026-03`` and ``2026-03-03``; ``--04-10`` and ``2026-04-10``."""
    if x.startswith("--") or y.startswith("--"):
        a, b = (d[2:] if d.startswith("--") else d[5:] for d in (x, y))
        return a.startswith(b) or b.startswith(a)
    if "Q" in x or "Q" in y:
        return _quarter(x) == _quarter(y) if len(x) > 4 and len(y) > 4 else x[:4] == y[:4]
    return x.startswith(y) or y.startswith(x)


def _quarter(day: str) -> str:
    return day if "Q" in day else f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}"


def _span(a: Claim, b: Claim) -> Verdict:
    """Two spans differ in any end. A point that opens or closes is held against that end; another one inside the span
    says nothing."""
    x, y = a.value.partition("..")[::2], b.value.partition("..")[::2]
    if all(x) and all(y):
        return Verdict.EQUAL if x == y else Verdict.DIFFER
    span, point = (x, b) if all(x) else (y, a)
    if point.bound in EDGES:
        end = span[0] if point.bound == "min" else span[1]
        return Verdict.EQUAL if _one_reading(point.value, end) else Verdict.DIFFER
    low, high = min(span), max(span)
    inside = any(low <= reading <= high for reading in point.value.split("|"))
    return Verdict.UNCLEAR if inside else Verdict.DIFFER


def _one_reading(value: str, other: str) -> bool:
    return any(_same_day(x, y) for x in value.split("|") for y in other.split("|"))


def _number(a: Claim, b: Claim) -> Verdict:
    low_a, high_a = _ends(a.value)
    low_b, high_b = _ends(b.value)
    if low_a is None or low_b is None or high_a is None or high_b is None:
        return _exact(a, b)
    if "about" in (a.bound, b.bound):
        return _rounded(a, b, low_a, low_b)
    if (low_a, high_a) == (low_b, high_b) or _written_short(a, b, low_a, low_b):
        return Verdict.EQUAL
    if _is_multiple(a, b, low_a, low_b):
        return Verdict.UNCLEAR
    if a.bound == b.bound:
        ranged = (low_a != high_a) != (low_b != high_b)
        overlap = low_a <= high_b and low_b <= high_a
        return Verdict.EQUAL if ranged and overlap else Verdict.DIFFER
    return _bounded(a, b, low_a, low_b)


def _rounded(a: Claim, b: Claim, value_a: Decimal, value_b: Decimal) -> Verdict:
    """A rounded value agrees with what it may be rounded from; against a limit it must keep that."""
    low, high = sorted((abs(value_a), abs(value_b)))
    share = max(_coarseness(_as_said(c)) for c in (a, b) if c.bound == "about")
    if high - low <= share * high:
        return Verdict.EQUAL
    if {a.bound, b.bound} & EDGES:
        return _bounded(a, b, value_a, value_b)
    return Verdict.DIFFER


def _written_short(a: Claim, b: Claim, value_a: Decimal, value_b: Decimal) -> bool:
    """“1.2 million” is 1,240,000 to its last digit: an amount with a scale word says no more than it writes."""
    for short, value, other in ((a, value_a, value_b), (b, value_b, value_a)):
        half = Decimal(5).scaleb(int(value.normalize().as_tuple().exponent) - 1)
        if SCALED.search(short.raw) and ".." not in short.value and abs(value - other) <= half:
            return True
    return False


def _as_said(claim: Claim) -> Decimal:
    """The amount in the unit it was said in, for there it is round: “about 20 minutes”, not 1,200 seconds."""
    match = WRITTEN.search(claim.shown or claim.value)
    said = numbers.parse(match.group()) if match else None
    return said or Decimal(0)


def _coarseness(value: Decimal) -> Decimal:
    """Half of the last digit that is not zero, as a share of the value: 0.25 for 20, 0.04 for 1,200."""
    half = Decimal(5).scaleb(int(value.normalize().as_tuple().exponent) - 1) if value else Decimal(0)
    return min(max(half / abs(value), ROUNDING), ROUNDEST) if value else ROUNDING


def _is_multiple(a: Claim, b: Claim, value_a: Decimal, value_b: Decimal) -> bool:
    """“£30 per day” and “£90 for three days”: a rate on one side, a whole number of times it on the other."""
    rates = [any(q.startswith("per:") and q != "per:total" for q in c.qualifiers) for c in (a, b)]
    if rates[0] == rates[1] or not value_a or not value_b:
        return False
    rate, whole = (value_a, value_b) if rates[0] else (value_b, value_a)
    return whole > rate and whole % rate == 0 and whole / rate <= MOST_TIMES


def _bounded(a: Claim, b: Claim, value_a: Decimal, value_b: Decimal) -> Verdict:
    """“at least 30” holds with 45 and with “at most 60”; it does not hold with 20."""
    if {a.bound, b.bound} == EDGES:
        lower, upper = (value_a, value_b) if a.bound == "min" else (value_b, value_a)
        return Verdict.UNCLEAR if lower <= upper else Verdict.DIFFER
    bound, limit, value = (a.bound, value_a, value_b) if a.bound in EDGES else (b.bound, value_b, value_a)
    holds = value >= limit if bound == "min" else value <= limit
    return Verdict.UNCLEAR if holds else Verdict.DIFFER


def _ends(value: str) -> tuple[Decimal | None, Decimal | None]:
    low, _, high = value.partition("..")
    try:
        return Decimal(low), Decimal(high or low)
    except InvalidOperation:
        return None, None


def _time(a: Claim, b: Claim) -> Verdict:
    if ".." in a.value or ".." in b.value:
        return _span(a, b)
    if {a.bound, b.bound} == EDGES:
        return Verdict.UNCLEAR
    same = set(a.value.split("|")) & set(b.value.split("|"))
    return Verdict.EQUAL if same else Verdict.DIFFER


def _duration(a: Claim, b: Claim) -> Verdict:
    """Durations in calendar months against days or hours: a month has 28 to 31 days."""
    months, other = (a, b) if a.unit == "mo" else (b, a)
    low, high = _ends(months.value)
    days = [
        d for end in _ends(other.value) if end is not None and (d := recurring.in_days(end, other.unit)) is not None
    ]
    if low is None or high is None or len(days) != 2:
        return Verdict.UNCLEAR
    return Verdict.EQUAL if low * SHORTEST_MONTH <= days[1] and days[0] <= high * LONGEST_MONTH else Verdict.DIFFER


def _frequency(a: Claim, b: Claim) -> Verdict:
    x, y = Decimal(a.value), Decimal(b.value)
    return Verdict.EQUAL if abs(x - y) <= LOOSE_ROUND * max(x, y) else Verdict.DIFFER


def _version(a: Claim, b: Claim) -> Verdict:
    """``16`` and ``16.2`` agree as far as the shorter one says."""
    x, y = a.value.split("."), b.value.split(".")
    shared = min(len(x), len(y))
    return Verdict.EQUAL if x[:shared] == y[:shared] else Verdict.DIFFER


def _words(a: Claim, b: Claim) -> Verdict:
    """Names and phrases: one may say the other shorter (“Hamid”, “Hamid Rezaei”)."""
    x, y = set(a.value.split()), set(b.value.split())
    return Verdict.EQUAL if x <= y or y <= x else Verdict.DIFFER


def _name(a: Claim, b: Claim) -> Verdict:
    """One may say the other shorter: without accents, with initials (“K. Wojcik”, “Katarzyna Wójcik”)."""
    x, y = sorted((_name_words(a.value), _name_words(b.value)), key=len)
    return Verdict.EQUAL if x and all(any(_says(w, v) for v in y) for w in x) else Verdict.DIFFER


def _name_words(name: str) -> list[str]:
    plain = "".join(ch for ch in unicodedata.normalize("NFKD", name) if not unicodedata.combining(ch))
    words = [w.strip(".,") for w in plain.replace("-", " ").split()]
    return [w for w in words if w not in TITLES] or words


def _says(word: str, other: str) -> bool:
    return word == other or (1 in (len(word), len(other)) and word[0] == other[0])


def _phone(a: Claim, b: Claim) -> Verdict:
    """The last digits tell two numbers apart; country and trunk prefixes are written or not."""
    x, y = a.value[-PHONE_DIGITS:], b.value[-PHONE_DIGITS:]
    return Verdict.EQUAL if x.endswith(y) or y.endswith(x) else Verdict.DIFFER


_BY_TYPE: dict[str, Callable[[Claim, Claim], Verdict]] = {
    "date": _date,
    "number": _number,
    "quantity": _number,
    "money": _number,
    "percent": _number,
    "time": _time,
    "version": _version,
    "phone": _phone,
    "name": _name,
    "text": _words,
    "frequency": _frequency,
}
