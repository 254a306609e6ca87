"""What tells two otherwise equal claims apart: a weekday, an identifier, “unit 9”, an environment, a year.

A qualifier is ``family:value``. One that only a heading or the title says is marked ``@``: it holds where the sentence
says nothing else.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from forager.extraction import lexicon
from forager.extraction.model import Context, Sentence, Value
from forager.extraction.phrases import Phrases
from forager.extraction.stems import small_words
from forager.extraction.values import dates, recurring
from forager.extraction.values.dates import MONTH_NAMES

YEAR = re.compile(r"(?<![\d.,/-])((?:19|20)\d{2})(?:/\d{2})?(?![\d.,/-]?\d)")
LABEL = re.compile(r"(?<!\w)(?P<noun>[A-Za-zÄÖÜäöüß]{3,})\s+(?P<mark>\d{1,4}[A-Za-z]?|[A-Z]\d{0,4})(?!\w|[.,:]\d|\s*%)")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "ground")
ORDINAL = re.compile(r"(?<!\w)(" + "|".join(ORDINALS) + r")(?!\w)", re.IGNORECASE)
OPENS_PERIOD = (
    "from",
    "since",
    "as of",
    "ab",
    "seit",
    "depuis",
    "on",
    "as from",
    "until",
    "bis",
    "bis zum",
    "jusqu'au",
    "à partir du",
    "with effect from",
    "starting",
    "effective",
)
DATE_REACH = 6
NO_KIND = "none"
"""Phrases that only look like one of a family."""


def of_text(text: str, values: Sequence[Value], document_date: str = "") -> tuple[str, ...]:
    """All of a text; ``document_date`` says which year “this year” is."""
    found = {f"weekday:{day}" for day in _weekdays(text, values)}
    found |= {f"id:{v.value}" for v in values if v.type == "id"}
    found |= {f"{noun}:{mark}" for noun, mark in labels(text, values)}
    found |= {f"ordinal:{m.group(1).casefold()}" for m in ORDINAL.finditer(text)}
    found |= {f"year:{m.group(1)}" for m in YEAR.finditer(blanked(text, values))}
    found |= {f"year:{v.value[:4]}" for v in values if (is_year(v) or is_period(text, v)) and v.value[0] != "-"}
    found |= {f"year:{year}" for year in _told_years(text, document_date)}
    found |= _of_families(text)
    return tuple(sorted(found))


def of_days(text: str) -> tuple[str, ...]:
    """The weekdays of a table row: they limit each of its cells."""
    return tuple(sorted(f"weekday:{day}" for day in _weekdays(text, ())))


def of_setting(sentence: Sentence, context: Context) -> tuple[str, ...]:
    """Those of the headings, the title and the file's name."""
    name = re.sub(r"[\W_]+", " ", context.name.rpartition("/")[2].partition(".")[0])
    return _of_setting(name, " / ".join([context.title, *sentence.block.section, sentence.block.lead_in]))


@lru_cache(maxsize=1024)
def _of_setting(name: str, around: str) -> tuple[str, ...]:
    days = tuple(v for v in dates.find(around, "") if len(v.value) > len("2026"))
    dated = {q for q in of_text(name, ()) if not q.startswith("year:")}  # a file's year is when, not for when
    return tuple(f"@{q}" for q in sorted({*of_text(around, days), *dated}))


def labels(text: str, values: Sequence[Value]) -> set[tuple[str, str]]:
    """“rack B”, “unit 9”, “Freezer F3”: a thing told apart from others of its kind, as (``label noun``, mark)."""
    plain, known = _unlabelled(), _numbered()
    return {
        (f"label {lexicon.fold(m['noun'])}", m["mark"].casefold())
        for m in LABEL.finditer(text)
        if lexicon.fold(m["noun"]) not in plain
        and (m["noun"][0].isupper() or m["mark"][0].isalpha() or lexicon.fold(m["noun"]) in known)
        and not re.fullmatch(r"(?:19|20)\d\d", m["mark"])
        and not any(v.type not in ("id", "number") and v.start < m.end() and m.start("mark") < v.end for v in values)
    }


def of_limits(value: Value, values: Sequence[Value]) -> tuple[str, ...]:
    """“boats up to 8 m pay 420 euros”: a limit beside the value says for which of them it holds."""
    limits = [v for v in values if v is not value and v.bound in ("min", "max") and v.type in ("quantity", "number")]
    return tuple(f"limit {v.unit}:{v.bound} {v.value}" for v in limits if (v.type, v.unit) != (value.type, value.unit))


def period(text: str, values: Sequence[Value]) -> tuple[str, ...]:
    """``from:`` and ``to:`` dates that only say when the sentence holds, as far as they are whole days."""
    told = [v for v in values if is_period(text, v)]
    whole = [v for v in told if re.fullmatch(r"\d{4}-\d\d-\d\d", v.value)]
    spans = [end for v in told if ".." in v.value for end in zip(("from", "to"), v.value.split(".."), strict=True)]
    ends = [("to" if v.bound == "max" else "from", v.value) for v in whole]
    return tuple(f"{edge}:{day}" for edge, day in (*ends, *spans))


@cache
def _unlabelled() -> frozenset[str]:
    return frozenset(lexicon.load("words")["unlabelled"]) | small_words() | frozenset(MONTH_NAMES)


@cache
def _numbered() -> frozenset[str]:
    return frozenset(lexicon.load("words")["identified_by_number"])


def without(qualifiers: Iterable[str], *families: str) -> tuple[str, ...]:
    """The others than those of the given families: what is compared does not tell apart."""
    return tuple(q for q in qualifiers if q.removeprefix("@").partition(":")[0] not in families)


def is_year(value: Value) -> bool:
    return value.type == "date" and len(value.value) == 4


def is_period(text: str, value: Value) -> bool:
    """A date that only says when the sentence holds: “from 1 June 2026 Hamid owns …”, “until …:”."""
    before = text[: value.start].rstrip().casefold()
    return value.type == "date" and before in OPENS_PERIOD and value.end < len(text) - 10


def blanked(text: str, values: Iterable[Value]) -> str:
    """The text with the values' places empty, all other offsets kept."""
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    return text


def _weekdays(text: str, values: Sequence[Value]) -> set[str]:
    """Weekdays that limit a sentence: not one that goes with a date."""
    dated = [v for v in values if v.type == "date"]
    named = [v for v in values if v.type == "weekday"] or list(recurring.weekdays(text))
    alone = [
        w for w in named if not any(-1 <= d.start - w.end <= DATE_REACH or 0 <= w.start - d.end <= 2 for d in dated)
    ]
    return {day for w in alone for day in w.value.split(",")}


def _told_years(text: str, document_date: str) -> set[int]:
    """“this year”, “next year” by the document's own date."""
    if not document_date[:4].isdigit():
        return set()
    shifts = lexicon.mapping("relative", "years")
    hits = lexicon.keys("relative", "years").finditer(text)
    return {int(document_date[:4]) + int(shifts[lexicon.fold(m.group())]) for m in hits}


def _of_families(text: str) -> set[str]:
    """What is named of each family; of two phrases at one place the longer (“no later than” is not “later than”)."""
    pattern, kinds_of = _families()
    return {kind for match in pattern.finditer(text) for kind in kinds_of[lexicon.fold(match.group())]}


@cache
def _families() -> tuple[Phrases, dict[str, tuple[str, ...]]]:
    """One pattern for the words of all families, and what each says as ``family:kind``."""
    said: dict[str, list[str]] = defaultdict(list)
    for family, kinds in lexicon.load("qualifiers").items():
        for kind, words in kinds.items():
            for word in words:
                said[lexicon.fold(word)] += [f"{family}:{kind}"] if kind != NO_KIND else []
    return Phrases(said), {word: tuple(kinds) for word, kinds in said.items()}
