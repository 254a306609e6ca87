"""What PostgreSQL knows of the rows before it plans: after a load of much, and not after every document."""

from collections.abc import Iterator

import pytest
from django.db import connection

from forager.model import dialect
from forager.model.models import KnowledgeBase
from forager.pipeline import base_stages
from forager.search import keeping
from tests.forager.conftest import Api

MEMO = "The fee of Kite is 12 EUR. The pump of Hall Two runs at 40 bar.\n"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    told: list[str] = []
    monkeypatch.setattr(dialect, "counted_anew", lambda: told.append("counted"))
    monkeypatch.setattr(base_stages, "MANY", 2)
    return told


def test_much_that_is_new_is_counted_and_little_is_not(
    api: Api, base: KnowledgeBase, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    api.load(base.pk, {"memo.txt": MEMO})
    assert counted == ["counted"]
    api.load(base.pk, {"one.txt": "The crane of Hall Two lifts 40 t.\n"})
    monkeypatch.setattr(base_stages, "MUCH", 0.9)
    api.load(base.pk, {"two.txt": "The lamp of Hall Two is blue. The door of Hall Two is green.\n"})
    assert counted == ["counted"]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_new_index_leaves_the_database_knowing_its_rows(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.txt": MEMO})
    keeping.rebuild(base)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'forager_statement'")
        assert cursor.fetchone()[0] == 2
