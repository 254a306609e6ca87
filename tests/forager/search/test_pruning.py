"""Rows left unranked are those that could not be among the best: the answer is the one of ranking them all."""

import dataclasses
import random
from collections.abc import Iterator

import pytest
from django.db import connection

from forager.model.models import KnowledgeBase
from forager.search import maxscore, sqlite_fts
from forager.search.sqlite_fts import SqliteFts

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]
ROWS, BEST = 6000, 100
WORDS = [f"w{n}" for n in range(1500)]
WEIGHTS = [1 / (rank + 3) for rank in range(len(WORDS))]


@pytest.fixture
def large(base: KnowledgeBase) -> Iterator[KnowledgeBase]:
    """A base with an index alone, of made sentences, that says it is large."""
    chance = random.Random(3)  # noqa: S311 - no secret
    backend = SqliteFts()
    backend._make(base)
    table, _ = sqlite_fts._tables(base)
    said = [" ".join(chance.choices(WORDS, WEIGHTS, k=chance.randint(4, 25))) for _ in range(ROWS)]
    with connection.cursor() as cursor:
        sql = f"INSERT INTO {table}(rowid, text, title, subject) VALUES (%s, %s, '', '')"  # noqa: S608 - own names
        cursor.executemany(sql, list(enumerate(said, start=1)))
    base.knowledge_count = maxscore.LEAST_ROWS
    yield base
    backend.drop(base)


def test_the_best_are_the_same_with_less_ranked(large: KnowledgeBase) -> None:
    chance, pruned, held = random.Random(8), 0, 0  # noqa: S311
    table, _ = sqlite_fts._tables(large)
    for _ in range(150):
        match = SqliteFts()._match(large, chance.choices(WORDS, WEIGHTS, k=chance.randint(2, 6)), BEST)
        pruned += bool(match.pruned)
        found = sqlite_fts._rank(table, "rowid", match, BEST)
        whole = sqlite_fts._rank(table, "rowid", dataclasses.replace(match, pruned=""), BEST)
        assert [score for _, score in found] == pytest.approx([score for _, score in whole])
        least = whole[-1][1] if len(whole) == BEST else 0.0
        assert {row for row, score in found if score < least - 1e-9} == {r for r, s in whole if s < least - 1e-9}
        few = sqlite_fts._rank(table, "rowid", dataclasses.replace(match, whole='"nothing"'), BEST)
        held += bool(match.pruned) and len(few) == BEST  # answered without ranking all
    assert pruned > 30
    assert held > pruned / 2


def test_a_small_base_is_ranked_whole(large: KnowledgeBase) -> None:
    large.knowledge_count = maxscore.LEAST_ROWS - 1
    assert not SqliteFts()._match(large, ["w0", "w900"], BEST).pruned


@pytest.mark.parametrize(
    ("rows", "needed"),
    [
        ({"rare": 300, "common": 40_000}, {"rare"}),
        ({"rare": 20, "common": 40_000}, None),  # too few rows hold the rare one
        ({"a": 3_000, "b": 3_500}, None),  # both tell about as much
        ({"rare": 300, "seldom": 800, "common": 60_000}, {"rare", "seldom"}),
        ({"common": 60_000}, None),
    ],
)
def test_which_words_a_row_must_hold(rows: dict[str, int], needed: set[str] | None) -> None:
    found = maxscore.split(list(rows), rows, 100_000, BEST)
    assert (set(found.needed) if found else None) == needed


def test_a_word_said_twice_counts_twice() -> None:
    rows = {"rare": 300, "common": 8_000}
    once, twice = (maxscore.split(["rare", *["common"] * n], rows, 100_000, BEST) for n in (1, 2))
    assert once is not None
    assert twice is None or twice.bound == pytest.approx(2 * once.bound)
