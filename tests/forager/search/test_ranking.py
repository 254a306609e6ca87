"""BM25 on PostgreSQL: the sum over each word alone is the formula itself, however few rows are looked at."""

import math
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import transaction

from forager.model.models import KnowledgeBase
from forager.search import analyser, fusion, postgres_rank, postgres_tables
from forager.search.postgres_rank import K1, B
from forager.search.postgres_tables import Entry, Table

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORDS = ["rare", "seldom", "often", "usual", "common", "everywhere"]
WEIGHTS = [1, 3, 20, 60, 200, 500]


@pytest.fixture
def texts() -> list[str]:
    chance = random.Random(4)  # noqa: S311 - no secret
    return [" ".join(chance.choices(WORDS, WEIGHTS, k=chance.randint(3, 12))) for _ in range(900)]


@pytest.fixture
def table(base: KnowledgeBase, texts: list[str]) -> Iterator[Table]:
    found = postgres_tables.statements(base)
    fusion.active().drop(base)  # what a test of whole transactions left under the same namespace
    with transaction.atomic():
        is_new = postgres_tables.make(base)
        postgres_tables.put(found, [Entry(n, "", (text,)) for n, text in enumerate(texts)], is_new=is_new)
        postgres_tables.indexed(base)
    yield found
    fusion.active().drop(base)


def _expected(texts: list[str], asked: list[str], depth: int) -> list[tuple[int, float]]:
    read = [analyser.tokens(text) for text in texts]
    mean = sum(map(len, read)) / len(read)
    scores: dict[int, float] = {}
    for word, times in Counter(asked).items():
        (token,) = analyser.tokens(word)
        having = [n for n, one in enumerate(read) if token in one]
        weight = max(math.log((len(read) - len(having) + 0.5) / (len(having) + 0.5)), postgres_rank.LEAST_WEIGHT)
        for n in having:
            often = read[n].count(token)
            near = K1 * (1 - B + B * len(read[n]) / mean)
            scores[n] = scores.get(n, 0.0) + times * weight * (K1 + 1) * often / (often + near)
    return sorted(scores.items(), key=lambda each: (-round(each[1], 9), each[0]))[:depth]


@pytest.mark.parametrize(
    "asked", [["rare"], ["rare", "common"], ["seldom", "often", "everywhere"], ["often", "often", "usual"], WORDS]
)
@pytest.mark.parametrize("looked_at", [10, 200, 4000])
def test_the_best_rows_are_those_of_the_formula(
    table: Table, texts: list[str], asked: list[str], looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_rank, "LOOKED_AT", looked_at)
    sizes, terms = postgres_rank.terms(table, asked)
    found = postgres_rank.best(table, sizes, terms, 20)
    expected = _expected(texts, asked, 20)
    assert [score for _, _, score in found] == pytest.approx([score for _, score in expected])
    assert {row for row, _, _ in found[:5]} <= {row for row, score in _expected(texts, asked, 900) if score}


def test_a_row_written_again_takes_the_place_of_the_old_one(table: Table, base: KnowledgeBase) -> None:
    with transaction.atomic():
        assert not postgres_tables.make(base)
        postgres_tables.put(table, [Entry(0, "", ("unheard of",))])
    sizes, terms = postgres_rank.terms(table, ["unheard"])
    assert [row for row, _, _ in postgres_rank.best(table, sizes, terms, 5)] == [0]
    assert sizes.rows == 900
