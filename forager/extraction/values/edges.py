"""Whether a date or time of day is where something begins (“from 9:00”) or where it ends (“until 8 pm”)."""

import re
from dataclasses import replace
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.phrases import Phrases

REACH = 34
FILLERS = re.compile(
    r"(?:[\s(:,]|\b(?:on|at|the|um|am|den|dem|le|la|à|au|is|ist|est)\b|\w{2,9}day,?|\w{3,7}tag,?)*", re.IGNORECASE
)
KINDS = {"start": "min", "end": "max"}


def with_edge(value: Value, text: str) -> Value:
    """The value with ``min`` or ``max`` as its bound where a cue stands right before it."""
    if value.type not in ("date", "time") or ".." in value.value:
        return value
    before = text[max(0, value.start - REACH) : value.start]
    found = [
        (match.end(), len(match.group()), KINDS[kind])
        for kind, pattern in _patterns().items()
        for match in pattern.finditer(before)
        if FILLERS.fullmatch(before[match.end() :])
    ]
    return replace(value, bound=max(found)[2]) if found else value


@cache
def _patterns() -> dict[str, Phrases]:
    return {kind: Phrases(lexicon.load("bounds")[kind]) for kind in KINDS}
