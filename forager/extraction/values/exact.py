"""Values that are compared as they stand: addresses, links, hosts, versions, identifiers."""

import re
from collections.abc import Iterator

from forager.extraction.model import Value
from forager.extraction.values import numbers

CODE_CUES = (
    "code",
    "code is",
    "code:",
    "pin",
    "pin is",
    "pin:",
    "extension",
    "ext.",
    "dial",
    "code ist",
    "code lautet",
)
IN_LETTERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("url", re.compile(r"\bhttps?://[^\s<>\"')\]]+[^\s<>\"')\].,;:]")),
)
WITH_DIGITS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("phone", re.compile(r"(?<![\w.,])\+\d[\d ()/-]{6,}\d")),
    ("phone", re.compile(r"(?<![\w.,/-])\(?0\d{2,5}\)?[ /-]*\d(?:[ /-]?\d){4,9}(?![\w/-]|[.,]\d|\s?[%€£$°])")),
    ("version", re.compile(r"(?<![\w.])v\d+(?:\.\d+)*(?:-[\w.]+)?(?![\w.]\w)", re.IGNORECASE)),
    (
        "version",
        re.compile(
            r"(?:(?<=\bversion )|(?<=\brelease )|(?<=\bbuild )|(?<=\brev )|(?<=\brev\. ))\d+(?:\.\d+)*(?:-[\w.]+)?",
            re.IGNORECASE,
        ),
    ),
    ("version", re.compile(r"(?<![\w.,])(?!\d{1,3}(?:\.\d{3})+(?!\d))\d+\.\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?(?![\w.]*\w)")),
    (
        "code",
        re.compile(
            r"(?<![\w.,/-])(?:[A-Z]{0,4}\d{2,}(?:[-/ ]\d{2,}){1,4}|\d{5,})(?![\w/-]|[.,]\d|\s?(?:%|[a-zäöü€$£°]))"
        ),
    ),
    (
        "code",
        re.compile(
            "(?:" + "|".join(rf"(?<=\b{cue} )" for cue in CODE_CUES) + r")\d{3,6}(?![\w/-]|[.,]\d)", re.IGNORECASE
        ),
    ),
    ("host", re.compile(r"(?<![\w.])(?:[a-z0-9-]+\.)+[a-z]{2,}:\d{2,5}(?!\w)")),
    ("id", re.compile(r"(?<![\w-])[A-Z][A-Za-z]{0,9}[-/ ]?(?:\d+[-/.])*\d{1,}[A-Za-z]?(?![\w-]*\w)")),
)


def find(text: str) -> Iterator[Value]:
    for kind, pattern in (*IN_LETTERS, *(WITH_DIGITS if numbers.has_digit(text) else ())):
        for match in pattern.finditer(text):
            raw = match.group()
            if kind == "id" and (" " in raw or not any(c.isdigit() for c in raw)):
                continue
            value = raw.casefold()
            if kind == "version":
                value = value.removeprefix("v")
            if kind == "phone":
                value = re.sub(r"\D", "", raw)
            yield Value(kind, value, raw, match.start(), match.end(), entry=kind)
