"""Times of day and spans of them: ``9:00``, ``9 am``, ``14 Uhr``, ``14h30``, ``9:00 to 17:00`` (one value)."""

import re
from collections.abc import Iterator

from forager.extraction.model import Value
from forager.extraction.phrases import runs
from forager.extraction.values import numbers

_CLOCK = r"(?P<h{n}>[01]?\d|2[0-4])(?:[:.h](?P<m{n}>[0-5]\d))?(?:\s?(?P<s{n}>am|pm|a\.m\.|p\.m\.|uhr|h|o'clock)(?!\w))?"
SPAN = re.compile(
    r"(?<![\w.,:/-])"
    + _CLOCK.format(n=1)
    + r"\s?(?:-|–|—|to|until|till|and|und|et|bis|à)\s?"
    + _CLOCK.format(n=2)
    + r"(?![\w:/]|[.,]\d)",
    re.IGNORECASE,
)
POINT = re.compile(r"(?<![\w.,:/-])" + _CLOCK.format(n=1) + r"(?![\w:/]|[.,]\d)", re.IGNORECASE)
HALF = re.compile(
    r"(?<!\w)(?P<kind>half past|quarter past|quarter to|halb)\s+(?P<hour>\w+)(?:\s+(?P<s>am|pm|a\.m\.|p\.m\.))?(?!\w)",
    re.IGNORECASE,
)
HALVES = frozenset(("half", "quarter", "halb"))
SHIFT = {"half past": 30, "quarter past": 15, "quarter to": -15, "halb": -30}
MILITARY = re.compile(
    r"(?<![\w.,:/-])(?P<h1>[01]\d|2[0-4])(?P<m1>[0-5]\d)\s?(?:hrs|hours|h|local|utc|gmt|cet)(?!\w)", re.IGNORECASE
)
POINTED = re.compile(
    r"(?:(?<!\w)(?:at|from|until|till|by|um|ab|bis|von|gegen|à|de|dès|before|after)\s+|:\s*)(?P<h1>[01]?\d|2[0-4])\.(?P<m1>[0-5]\d)(?![\w/]|[.,]\d|\s?(?:%|€|£|\$|[A-Z]{3}\b|euro|m\b|km|kg|each|per|pro|a\s))",
    re.IGNORECASE,
)
"""“8.15” is a time behind a word of time only; else it is a number."""
BARE = re.compile(
    rf"(?<!\w)(?:at|um|until|till|from|by|before|after|ab|bis)\s+(?P<hour>\d{{1,2}}|{numbers.WORD_PATTERN})"
    r"(?P<clock>\s+o.clock)?(?=\s*(?:$|[,;!?)](?!\d)|\.(?!\d)|"
    r"(?:in the (?:morning|evening|afternoon)|sharp|on|every|each|tomorrow|today|tonight|and|but)\b))",
    re.IGNORECASE,
)
FRENCH = re.compile(
    r"(?<!\w)(?:à|dès|vers|avant|après|jusqu'à|de|entre)\s+(?P<h1>[01]?\d|2[0-4])\s?h(?:eures?)?(?P<m1>)(?![\w.,]?\d)(?!\w)",
    re.IGNORECASE,
)
LISTED = re.compile(r"^\W{0,4}(?P<h1>[01]\d|2[0-4])\.(?P<m1>[0-5]\d)(?=\s+[^\W\d_])")
"""A line that begins “18.00 Dinner” is one of a programme."""
OCLOCK = re.compile(rf"(?<!\w)(?P<hour>\d{{1,2}}|{numbers.WORD_PATTERN})(?P<clock>\s+o.clock)(?!\w)", re.IGNORECASE)
DAYPART = re.compile(r"\s*(?:in the |at )?(morning|evening|afternoon|night)", re.IGNORECASE)
NAMED = re.compile(
    r"(?<!\w)(?:at\s+)?(?P<name>noon|midday|midnight|mittag|mitternacht|midi|minuit)(?!\w)", re.IGNORECASE
)
NAMES = dict.fromkeys(("noon", "midday", "mittag", "midi"), "12:00") | dict.fromkeys(
    ("midnight", "mitternacht", "minuit"), "24:00"
)


def find(text: str) -> Iterator[Value]:
    if numbers.has_digit(text):
        yield from _in_digits(text)
    yield from _in_words(text)
    if numbers.may_stand_in(text):
        yield from _bare(text)
    for match in NAMED.finditer(text) if not NAMES.keys().isdisjoint(runs(text)) else ():
        value = NAMES[match["name"].casefold()]
        yield Value("time", value, match.group(), match.start(), match.end(), entry=f"time: {match['name']}")


def _in_digits(text: str) -> Iterator[Value]:
    for match in SPAN.finditer(text):
        if match["m1"] or match["m2"] or match["s1"] or match["s2"]:
            first = _clock(match, "1", match["s1"] or match["s2"])
            last = _clock(match, "2", match["s2"] or match["s1"])
            yield Value("time", f"{first}..{last}", match.group(), match.start(), match.end(), entry="time: span")
    for match in POINT.finditer(text):
        pointed = match["m1"] and "." in match.group() and not match["s1"]
        if (match["m1"] and not pointed) or (match["s1"] and match["s1"].lower() != "h"):
            value = _clock(match, "1", match["s1"])
            yield Value("time", value, match.group(), match.start(), match.end(), entry="time: clock")
    for match in MILITARY.finditer(text):
        yield Value(
            "time", _clock(match, "1", None), match.group(), match.start(), match.end(), entry="time: four digits"
        )
    for match in (*POINTED.finditer(text), *FRENCH.finditer(text), *LISTED.finditer(text)):
        start = match.start("h1")
        yield Value(
            "time", _clock(match, "1", None), text[start : match.end()], start, match.end(), entry="time: pointed"
        )


def _in_words(text: str) -> Iterator[Value]:
    """“half past six”: morning or evening, unless it says which."""
    for match in HALF.finditer(text) if not HALVES.isdisjoint(runs(text)) else ():
        hour = numbers.parse(match["hour"])
        if hour is None or not 0 < hour <= 12:
            continue
        minutes = (int(hour) % 12) * 60 + SHIFT[match["kind"].casefold()]
        halves = [_is_pm(match["s"])] if match["s"] else [False, True]
        value = "|".join(_minutes((minutes + 720 * half) % 1440) for half in halves)
        yield Value("time", value, match.group(), match.start(), match.end(), entry=f"time: {match['kind']}")


def _bare(text: str) -> Iterator[Value]:
    """“at eight”, “until 5 in the afternoon”: of the morning or the evening, unless it says which."""
    for match in (*BARE.finditer(text), *OCLOCK.finditer(text)):
        hour = numbers.parse(match["hour"])
        if hour is None or not 0 < hour <= 24 or hour != int(hour):
            continue
        part = DAYPART.match(text, match.end())
        halves = [False, True] if part is None else [part.group(1).lower() != "morning"]
        hours = [int(hour)] if hour > 12 else [int(hour) % 12 + 12 * half for half in halves]
        start = match.start("hour")
        value = "|".join(f"{h:02d}:00" for h in hours)
        yield Value("time", value, text[start : match.end()], start, match.end(), entry="time: bare hour")


def _minutes(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _is_pm(suffix: str | None) -> bool:
    return (suffix or "").lower().replace(".", "") == "pm"


def _clock(match: re.Match[str], n: str, suffix: str | None) -> str:
    hour, minute = int(match[f"h{n}"]), int(match[f"m{n}"] or 0)
    half = (suffix or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}"
