"""What a sentence commits to: its numbers, days and names, whether it hedges, and whether it denies.

Only words are looked at, in English, German and French; the same words give the same answer.
"""

import re
from functools import cache
from pathlib import Path

import yaml
from babel import Locale
from babel.numbers import list_currencies

LANGUAGES = ("en", "de", "fr")
NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,'\u00a0\u202f ]\d{3})*(?:[.,]\d+)?(?!\w)")
CODE = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b")
ISO_DAY = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
WORD = re.compile(r"[^\W\d_][\w'’-]*")
NAME = re.compile(r"(?<![\w])[A-ZÄÖÜÀ-Þ][\w'’-]*")
DATA = Path(__file__).with_name("words.yaml")


@cache
def _listed(kind: str) -> frozenset[str]:
    by_language = yaml.safe_load(DATA.read_text("utf-8"))[kind]
    return frozenset(word for words in by_language.values() for word in words)


@cache
def _small_numbers() -> dict[str, int]:
    return dict(yaml.safe_load(DATA.read_text("utf-8"))["numbers"])


@cache
def months() -> dict[str, int]:
    """Names and short names of months, folded, of every language."""
    return {
        name.casefold().rstrip("."): number
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for number, name in Locale(language).months["format"][width].items()
    }


@cache
def _dates() -> tuple[re.Pattern[str], ...]:
    names = "|".join(sorted(map(re.escape, months()), key=len, reverse=True))
    year, flags = r"(?:,?\s+(?P<y>\d{4}))?", re.IGNORECASE
    return (
        re.compile(
            rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+)?(?P<m>{names})\.?(?:,?\s+(?P<y>\d{{4}}))?", flags
        ),
        re.compile(rf"\b(?P<m>{names})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b{year}", flags),
        re.compile(r"\b(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})\b"),
    )


def days_and_rest(text: str) -> tuple[frozenset[tuple[int, int, int]], str]:
    """Days as (year or 0, month, day), and the text without them."""
    found: set[tuple[int, int, int]] = set()

    def taken(match: re.Match[str]) -> str:
        month = match["m"]
        number = int(month) if month.isdigit() else months()[month.casefold()]
        found.add((int(match["y"] or 0), number, int(match["d"])))
        return " "

    def iso(match: re.Match[str]) -> str:
        found.add((int(match[1]), int(match[2]), int(match[3])))
        return " "

    rest = ISO_DAY.sub(iso, text)
    for pattern in _dates():
        rest = pattern.sub(taken, rest)
    return frozenset(found), rest


def numbers(text: str) -> frozenset[str]:
    """Without thousands separators, decimals with a point; small number words as digits; codes as written."""
    _, rest = days_and_rest(text)
    codes = {match.group().casefold() for match in CODE.finditer(rest)}
    plain = {_plain(match.group()) for match in NUMBER.finditer(CODE.sub(" ", rest))}
    said = {str(_small_numbers()[word]) for word in words(rest) if word in _small_numbers()}
    return frozenset(codes | plain | said)


def _plain(number: str) -> str:
    """``1,450,000`` and ``1.450.000`` are 1450000; ``2,5`` and ``2.50`` are 2.5."""
    text = re.sub(r"['\u00a0\u202f ]", "", number.lstrip("+"))
    grouped = re.fullmatch(r"(-?\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d+))?", text)
    if grouped and (grouped[2] is None or grouped[1][-4] != text[len(grouped[1])]):
        whole, fraction = re.sub(r"[.,]", "", grouped[1]), grouped[2] or ""
    else:
        whole, _, fraction = text.replace(",", ".").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def names(text: str) -> frozenset[str]:
    """Capitalised words that are not merely the first of the sentence, nor a month, a weekday or “I”."""
    found: set[str] = set()
    for match in NAME.finditer(text):
        word = match.group().casefold().removesuffix("'s").removesuffix("’s")
        starts = not text[: match.start()].strip(" \"“„«'([")
        if not starts and word not in _no_names() and len(word) > 1:
            found.add(word)
    return frozenset(found)


@cache
def _no_names() -> frozenset[str]:
    """Months, weekdays and currencies are written with capitals and name nobody."""
    weekdays = (name for each in LANGUAGES for name in Locale(each).days["format"]["wide"].values())
    return frozenset(name.casefold() for name in (*months(), *weekdays, *list_currencies()))


def words(text: str) -> frozenset[str]:
    return frozenset(word.casefold().removesuffix("'s").removesuffix("’s") for word in WORD.findall(text))


def hedges(text: str) -> bool:
    return not _listed("hedges").isdisjoint(words(text))


def denies(text: str) -> bool:
    return not _listed("negations").isdisjoint(words(text)) or "n't" in text or "n’t" in text
