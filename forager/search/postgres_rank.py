"""BM25 over ``tsvector`` rows, exact and bounded: a common word costs only where it could still change the order.

The words of a question are taken from the rarest on. Rows that have one of the rare ones are scored by all; the common
ones are looked up by themselves only when what they can add at most could lift a row into the answer.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from forager.search import analyser, plain
from forager.search.postgres_tables import ROWS, WORDS, Table

K1, B = 1.2, 0.75
LEAST_WEIGHT = 1e-6
"""Of a word that most rows have."""
LOOKED_AT = 4000
"""Rows scored without asking whether fewer would do; each further look takes ten times as many."""
TIMES = "round(0.6079271 / greatest(1 - ts_rank('{1,1,1,1}', words, %s::tsquery), 0.0001) - 0.5)"
"""How often a row has a word: ``ts_rank`` of one word is the sum of 1/i² over its places, over the sum without end."""
ONCE = "CASE WHEN words @@ %s::tsquery THEN 1 ELSE 0 END"


@dataclass(frozen=True, slots=True)
class Term:
    """A word as it is looked for; ``rows`` at most have it, ``asked`` times it was asked."""

    query: str
    rows: int
    weight: float
    asked: int = 1
    is_phrase: bool = False

    @property
    def most(self) -> float:
        """What it can add to a row at most."""
        return self.weight * self.asked * (K1 + 1)


@dataclass(frozen=True, slots=True)
class Sizes:
    rows: int
    words: int

    @property
    def mean(self) -> float:
        return max(self.words / self.rows, 1e-9) if self.rows else 1.0


def terms(table: Table, asked: Iterable[str]) -> tuple[Sizes, list[Term]]:
    """Those of the words that any row has, the rarest first. A word of several tokens is a phrase."""
    phrases = Counter(read for word in asked if (read := tuple(analyser.phrase(word))))
    listed = sorted({token for tokens in phrases for token in tokens} | {ROWS, WORDS})
    sql = f"SELECT term, rows FROM {table.words} WHERE kind = %s AND term IN ({plain.marks(listed)})"  # noqa: S608
    known = dict(plain.fetch(sql, [table.kind, *listed]))
    sizes = Sizes(known.get(ROWS, 0), known.get(WORDS, 0))
    found: list[Term] = []
    for tokens, times in phrases.items():
        rows = min(known.get(token, 0) for token in tokens)
        if rows:
            query = " <-> ".join(f"'{token}'" for token in tokens)
            found.append(Term(query, rows, _weight(rows, sizes.rows), times, len(tokens) > 1))
    return sizes, sorted(found, key=lambda term: (term.rows, term.query))


def beginning(table: Table, letters: str) -> tuple[Sizes, list[Term]]:
    """The words that begin with these letters, as one."""
    found = analyser.phrase(letters)
    if len(found) != 1:
        return Sizes(0, 0), []
    last = found[0] + "\U0010ffff"
    sql = f"SELECT coalesce(sum(rows), 0) FROM {table.words} WHERE kind = %s AND term >= %s AND term < %s"  # noqa: S608
    rows = int(plain.fetch(sql, [table.kind, found[0], last])[0][0])
    sizes, _ = terms(table, ())
    return sizes, [Term(f"'{found[0]}':*", rows, 1.0)] if rows else []


def best(table: Table, sizes: Sizes, asked: Sequence[Term], depth: int) -> list[tuple[Any, ...]]:
    """(key, source, score) of the best ``depth`` rows that have any of the words."""
    allowed = LOOKED_AT
    while True:
        looked = _within(asked, allowed)
        found = _summed(table, sizes, asked, len(looked), depth)
        left = sum(term.most for term in asked[len(looked) :])
        if len(looked) == len(asked) or (len(found) >= depth and found[-1][2] >= left):
            return found
        allowed *= 10


def first(table: Table, sizes: Sizes, asked: Sequence[Term], match: str, most: int) -> list[tuple[Any, ...]]:
    """(key, source, score) of at most ``most`` rows as they come, ranked among themselves."""
    rows = f"SELECT id, source_id, words, {_near(sizes)} AS k FROM {table.name} WHERE words @@ %s::tsquery LIMIT %s"  # noqa: S608
    parts = " + ".join(f"{term.most!r} * (1 - k / ({_times(term)} + k))" for term in asked)
    sql = f"SELECT id, source_id, {parts} AS score FROM ({rows}) m ORDER BY score DESC, id LIMIT %s"  # noqa: S608
    return plain.fetch(sql, [*(term.query for term in asked), match, most, most])


def _within(asked: Sequence[Term], allowed: int) -> Sequence[Term]:
    """The rarest of the words, one at least, that not more rows than allowed have."""
    total = asked[0].rows
    for at, term in enumerate(asked[1:], start=1):
        total += term.rows
        if total > allowed:
            return asked[:at]
    return asked


def _summed(table: Table, sizes: Sizes, asked: Sequence[Term], looked: int, depth: int) -> list[tuple[Any, ...]]:
    """Each word is asked for by itself, so that a row costs by the words it has and not by those of the question.

    Of the words after the first ``looked`` only the rows that have one of those, too.
    """
    rare = " | ".join(f"({term.query})" for term in asked[:looked])
    arms, values = [], list[str | int]()
    for at, term in enumerate(asked):
        match = term.query if at < looked else f"({term.query}) & ({rare})"
        told = f"SELECT id, source_id, {_times(term)} AS n, {_near(sizes)} AS k FROM {table.name}"  # noqa: S608
        rows = f"{told} WHERE words @@ %s::tsquery OFFSET 0"
        arms.append(f"SELECT id, source_id, {term.most!r} * (1 - k / (n + k)) AS part FROM ({rows}) m{at}")  # noqa: S608
        values += [term.query, match]
    sql = (
        f"SELECT id, min(source_id), sum(part) AS score FROM ({' UNION ALL '.join(arms)}) m "  # noqa: S608 - own names
        "GROUP BY id ORDER BY score DESC, id LIMIT %s"
    )
    return plain.fetch(sql, [*values, depth])


def _times(term: Term) -> str:
    return ONCE if term.is_phrase else TIMES


def _near(sizes: Sizes) -> str:
    """What a row's length makes of a word in it; in floating point, as numbers without end cost several times more."""
    return f"{K1}::float8 * ({1 - B}::float8 + {B}::float8 * length::float8 / {sizes.mean!r}::float8)"


def _weight(rows: int, of: int) -> float:
    return max(math.log((of - rows + 0.5) / (rows + 0.5)), LEAST_WEIGHT) if of >= rows else LEAST_WEIGHT
