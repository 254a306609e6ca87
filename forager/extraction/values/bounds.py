"""Words that make an amount a limit or a rounded one: “at least 30”, “up to €500”, “roughly 2.4 million”."""

from functools import cache

from forager.extraction import lexicon
from forager.extraction.phrases import Phrases

BEFORE, AFTER = 26, 12
TURNED = ("more than", "over", "above")


@cache
def bound_words() -> frozenset[str]:
    """The single words of all bounds."""
    return frozenset(word for phrases in lexicon.load("bounds").values() for p in phrases for word in p.split())


@cache
def _bound_patterns() -> dict[str, Phrases]:
    return {name: Phrases(lexicon.load("bounds")[name]) for name in ("min", "max", "about")}


def bound(text: str, start: int, end: int) -> str:
    """``at least 30`` is a lower bound, ``about 30`` is rounded; the words stand close before or right after."""
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    for name, pattern in _bound_patterns().items():
        hits = list(pattern.finditer(before))
        if hits and not before[hits[-1].end() :].strip(" a"):
            negated = lexicon.pattern("bounds", "negated").search(text[:start]) is not None
            return "max" if name == "min" and negated and hits[-1].group().casefold() in TURNED else name
        after_hit = pattern.search(after) if name == "min" else None
        if after_hit and not after[: after_hit.start()].strip() and after_hit.group() != "from":
            return name
    return ""
