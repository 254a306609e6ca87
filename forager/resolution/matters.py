"""Whether two documents speak of one matter: by the words they share that few other documents of the base have."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

from forager.resolution.placed import Placed

FEW, MANY = 3, 12
"""Up to so few documents all are taken to be on one matter; from so many on two have to show it."""
ELSEWHERE = 30
"""Documents on other matters that every base is thought to lie among: what all of its own say tells something, too."""
WORDS = 2.7
"""How many words that stand in no third document show that two speak of one matter."""

PAIRS_KEPT = 4096
"""Pairs come ordered by their first document, so that few answers serve nearly all that ask again."""


class Matters:
    """Of all documents whose claims are to be compared; words are those of the claims and around them."""

    def __init__(self, claims: Sequence[Placed]) -> None:
        self._words: dict[str, set[str]] = defaultdict(set)
        for placed in claims:
            self._words[placed.origin.source_id].update(placed.claim.own, placed.claim.context, placed.claim.names)
        count = len(self._words)
        spread = Counter(word for words in self._words.values() for word in words)
        self._weights = {word: math.log((count + ELSEWHERE) / there) for word, there in spread.items()}
        share = min(1.0, max(0.0, (count - FEW) / (MANY - FEW)))
        self._needed = share * WORDS * math.log((count + ELSEWHERE) / 2)
        self.are_one = lru_cache(PAIRS_KEPT)(self._are_one)

    def _are_one(self, a: str, b: str) -> bool:
        """Two sources, in their order."""
        return math.fsum(self._weights[word] for word in self._words[a] & self._words[b]) >= self._needed
