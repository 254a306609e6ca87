"""A text as tokens, for an index that does not read texts itself: the same ones FTS5's porter and unicode61 give."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from forager.search import words

LONGEST = 500
"""Characters of a token that are kept: an index entry has an end, and no word is so long."""
SHORTEST_STEMMED = 3
APART = 2
"""Between two fields, so that no phrase goes from one into the next."""


def tokens(text: str) -> list[str]:
    """The stems of a text in its order, repeats kept."""
    folded = text.casefold()
    if not folded.isascii():
        folded = "".join(ch for ch in unicodedata.normalize("NFD", folded) if not unicodedata.combining(ch))
    found = words.TOKEN.findall(folded)
    if len(folded) > LONGEST:
        found = [word[:LONGEST] for word in found]
    return list(map(_stem, found))


def placed(fields: Iterable[str]) -> tuple[int, dict[str, list[int]]]:
    """How many tokens the fields hold together, and each distinct one with its places, from 1."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    count, before = 0, 1
    for field in fields:
        read = tokens(field) if field else []
        for at, token in enumerate(read, start=before):
            places[token].append(at)
        count += len(read)
        before += len(read) + APART
    return count, places


def vector(places: dict[str, list[int]]) -> str:
    """As PostgreSQL writes a ``tsvector``. Tokens are letters and digits alone, so nothing in them needs a mark."""
    return " ".join([f"'{token}':{','.join(map(str, at[:255]))}" for token, at in places.items()])


def phrase(word: str) -> Sequence[str]:
    """The tokens a word of a question is looked for by, next to each other; none where it has no letter or digit."""
    return tokens(word)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return words.stem(word) if len(word) >= SHORTEST_STEMMED else word
