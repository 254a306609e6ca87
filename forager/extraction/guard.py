"""Sentences that must not be believed as they stand: those that instruct their reader, and those that hide characters.

They are kept, with their excerpts, so that a person sees them; they claim nothing, name nobody and are compared with
nothing. What they ask for is never carried out: nothing here reads a sentence as anything but text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Extracted, Standing
from forager.extraction.phrases import Phrases

INSTRUCTION, HIDDEN = "instruction", "hidden_characters"
TURNED = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Marks that turn the order of what is seen, and letters that no font shows."""
INSIDE_A_WORD = re.compile(r"(?<=\w)[\u200b\u2060-\u2064\u00ad](?=\w)")
HYPHENATION = "\u00ad"


def guarded(found: Iterable[Extracted]) -> tuple[Extracted, ...]:
    """The same statements in the same order, those to be wary of set aside with the reason."""
    every: list[Extracted] = []
    paragraph: object = None
    for one in found:
        here = (one.location, tuple(sorted(one.locator.items())))
        goes_on = paragraph == here and _follows().match(one.text.lstrip("\"'“-*• ")) is not None
        if (cue := instructs(one.text)) or goes_on:
            paragraph = here
            said = f"it instructs its reader: “{cue}”" if cue else "it goes on with an instruction to its reader"
            every.append(_set_aside(one, INSTRUCTION, said))
        elif hides(one.text):
            every.append(_set_aside(one, HIDDEN, "it carries characters that cannot be seen"))
        else:
            every.append(one)
    return tuple(every)


def hides(text: str) -> bool:
    """Whether what is seen differs from what is stored; a hyphenation mark alone does not."""
    return TURNED.search(text) is not None or any(
        match.group() != HYPHENATION for match in INSIDE_A_WORD.finditer(text)
    )


def _set_aside(one: Extracted, flag: str, reason: str) -> Extracted:
    table = lexicon.load("confidence")["unverified_claim"]
    return replace(
        one,
        standing=Standing("unverified_claim", reason, one.standing.speaker),
        confidence=float(table["none"]),
        frame=None,
        values=(),
        effective_date="",
        claims=(),
        mentions=(),
        flags=(flag,),
    )


def instructs(text: str) -> str:
    """The words by which a text gives its reader orders, or ''."""
    plain = re.sub(r"\s+", " ", text)
    if match := lexicon.pattern("instructions", "phrases").search(plain):
        return match.group()
    for row in _together():
        hits = [pattern.search(plain) for pattern in row]
        if all(hits):
            return " … ".join(hit.group() for hit in sorted((h for h in hits if h), key=lambda h: h.start()))
    return ""


@cache
def _together() -> Sequence[Sequence[Phrases]]:
    return [[Phrases(words) for words in row] for row in lexicon.load("instructions")["together"]]


@cache
def _follows() -> Phrases:
    return Phrases(lexicon.load("instructions")["follows"])
