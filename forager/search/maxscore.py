"""Dynamic pruning after MaxScore (Turtle and Flood, 1995): rows that hold nothing of a question but its most common
words are left unranked where they cannot be among the best. Scores are BM25 as SQLite's FTS5 counts it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIKELY, MOST = 1.3, 1.7
"""What a word adds to a score, in its inverse document frequencies: seldom more than the first in a sentence, and never
more than the second where it is said once (k1 = 1.2, b = 0.75)."""
WORTH = 3
"""Counting pays where at least every third row is left out."""
LEAST_ROWS = 20_000
"""Of an index; a smaller one is ranked before the words are counted."""
MOST_WORDS = 32


@dataclass(frozen=True, slots=True)
class Split:
    """A row is ranked when it holds one of ``needed``; one that does not scores at most ``bound``."""

    needed: frozenset[str]
    bound: float


def split(words: Sequence[str], rows: Mapping[str, int], total: int, wanted: int) -> Split | None:
    """``rows`` tells of each word in how many of ``total`` rows it stands. None where little would be left out."""
    repeats = Counter(words)
    weight = {word: repeats[word] * _idf(total, rows[word]) for word in repeats}
    rarest = sorted(repeats, key=lambda word: rows[word])
    for at in range(1, len(rarest)):
        needed, rest = rarest[:at], rarest[at:]
        left = sum(weight[word] for word in rest)
        enough = sum(rows[word] for word in needed) >= wanted
        if enough and LIKELY * left <= min(weight[word] for word in needed):
            pays = WORTH * sum(rows[word] for word in rest) >= sum(rows.values())
            return Split(frozenset(needed), MOST * left) if pays else None
    return None


def _idf(total: int, rows: int) -> float:
    return max(1e-6, math.log((total - rows + 0.5) / (rows + 0.5)))
