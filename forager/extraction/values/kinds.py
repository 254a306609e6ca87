"""Words of a plain kind: a colour, a material, a way to pay. Two different ones of a kind can disagree."""

import re
from collections.abc import Iterator
from functools import cache

from forager.extraction import lexicon
from forager.extraction.model import Value

IN_A_NAME = re.compile(r"\s[A-Z][a-z]")


def find(text: str) -> Iterator[Value]:
    for kind in lexicon.load("kinds"):
        value_of = _value_of(kind)
        for match in lexicon.pattern("kinds", kind).finditer(text):
            if match.group()[0].isupper() and IN_A_NAME.match(text, match.end()):
                continue  # “Birch Foods” is a name, nothing of birch
            value = value_of[lexicon.fold(match.group())]
            yield Value(f"kind:{kind}", value, match.group(), match.start(), match.end(), entry=f"{kind}: {value}")


@cache
def _value_of(kind: str) -> dict[str, str]:
    return {lexicon.fold(word): value for value, words in lexicon.load("kinds")[kind].items() for word in words}
