"""The tables of the PostgreSQL index: of each base one for its statements, one for its chunks, one of its words.

A row is a ``tsvector`` and how many words it has; the table of words keeps in how many rows each stands, which ranking
needs. All of a base's writers hold the row of the base, so the counts are exact.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import batched

from django.db import connection

from forager.model.models import KnowledgeBase
from forager.search import analyser

BATCH = 500
ROWS, WORDS = "", " "
"""Entries of the table of words that are none: how many rows there are, and how many words in all of them."""
BESIDE = "_new"


@dataclass(frozen=True, slots=True)
class Table:
    """One of the two indexes of a base. ``key`` is the type of a row's key."""

    name: str
    words: str
    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What is indexed: a row's key, its source (chunks alone), and its fields."""

    key: int | str
    source: str
    fields: Sequence[str]


def statements(base: KnowledgeBase, beside: str = "") -> Table:
    return Table(f"fts_statement_{_suffix(base)}{beside}", f"fts_word_{_suffix(base)}{beside}", "statement", "bigint")


def chunks(base: KnowledgeBase, beside: str = "") -> Table:
    return Table(f"fts_chunk_{_suffix(base)}{beside}", f"fts_word_{_suffix(base)}{beside}", "chunk", "text")


def names(base: KnowledgeBase, beside: str = "") -> tuple[str, str, str]:
    return statements(base, beside).name, chunks(base, beside).name, statements(base, beside).words


def are_there(base: KnowledgeBase) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(to_regclass(n)) FROM unnest(%s::text[]) n", [list(names(base))])
        return bool(cursor.fetchone()[0] == len(names(base)))


def make(base: KnowledgeBase, beside: str = "") -> bool:
    """Inside a transaction; whether they are new, and then to be filled and ``indexed``.

    Asked first: to create nothing would still wait for whoever reads the catalogue.
    """
    if not beside and are_there(base):
        return False
    with connection.cursor() as cursor:
        for table in (statements(base, beside), chunks(base, beside)):
            cursor.execute(
                f"CREATE TABLE IF NOT EXISTS {table.name} (id {table.key} PRIMARY KEY, "
                "source_id text NOT NULL, length integer NOT NULL, words tsvector NOT NULL)"
            )
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {statements(base, beside).words} (kind text NOT NULL, "
            'term text COLLATE "C" NOT NULL, rows bigint NOT NULL, PRIMARY KEY (kind, term))'
        )
    return True


def indexed(base: KnowledgeBase, beside: str = "") -> None:
    """What makes new tables fast to ask, made once they are filled: row by row it takes several times as long."""
    with connection.cursor() as cursor:
        for table in (statements(base, beside), chunks(base, beside)):
            cursor.execute(f"CREATE INDEX ON {table.name} USING gin (words) WITH (fastupdate = off)")
        cursor.execute(f"CREATE INDEX ON {chunks(base, beside).name} (source_id)")
        for name in names(base, beside):
            cursor.execute(f"ANALYZE {name}")


def drop(base: KnowledgeBase) -> None:
    with connection.cursor() as cursor:
        for name in names(base):
            cursor.execute(f"DROP TABLE IF EXISTS {name}")


def take_over(base: KnowledgeBase) -> None:
    """The tables made beside take the place of the old ones; readers wait no longer than for that."""
    drop(base)
    with connection.cursor() as cursor:
        for old, new in zip(names(base), names(base, BESIDE), strict=True):
            cursor.execute(f"ALTER TABLE {new} RENAME TO {old}")


def put(table: Table, entries: Iterable[Entry], *, is_new: bool = False) -> None:
    """Adds rows, in the place of those that have their keys; ``is_new``: there are none in the table."""
    met: Counter[str] = Counter()
    with connection.cursor() as cursor:
        for some in batched(entries, BATCH):
            if not is_new:
                remove(table, "id", [entry.key for entry in some])
            read = [analyser.placed(entry.fields) for entry in some]
            sql = f"COPY {table.name} (id, source_id, length, words) FROM STDIN"
            with connection.wrap_database_errors, cursor.copy(sql) as rows:
                for entry, (count, places) in zip(some, read, strict=True):
                    rows.write_row((entry.key, entry.source, count, analyser.vector(places)))
            for count, places in read:
                met.update(places.keys())
                met[WORDS] += count
            met[ROWS] += len(some)
        told = sorted(met.items())
        for part in batched(told, 10 * BATCH):
            cursor.execute(
                f"INSERT INTO {table.words} AS w (kind, term, rows) "  # noqa: S608 - own names
                "SELECT %s, * FROM unnest(%s::text[], %s::bigint[]) ON CONFLICT (kind, term) "
                "DO UPDATE SET rows = w.rows + excluded.rows",
                [table.kind, [term for term, _ in part], [rows for _, rows in part]],
            )


def remove(table: Table, column: str, values: Sequence[int | str]) -> None:
    """Takes out rows by a column, and their words from the counts; a word no row has any more leaves no trace."""
    kind = "text" if column == "source_id" else table.key
    with connection.cursor() as cursor:
        for part in batched(values, 10 * BATCH):
            cursor.execute(
                f"WITH gone AS (DELETE FROM {table.name} WHERE {column} = ANY(%s::{kind}[]) RETURNING length, words), "  # noqa: S608
                "told AS (SELECT lexeme AS term, count(*) AS rows FROM gone, unnest(gone.words) GROUP BY lexeme "
                "UNION ALL SELECT %s, count(*) FROM gone UNION ALL SELECT %s, coalesce(sum(length), 0) FROM gone) "
                f"UPDATE {table.words} w SET rows = w.rows - told.rows FROM told "
                "WHERE w.kind = %s AND w.term = told.term AND told.rows > 0 RETURNING w.term, w.rows",
                [list(part), ROWS, WORDS, table.kind],
            )
            over = [term for term, rows in cursor.fetchall() if rows <= 0]
            if over:
                cursor.execute(
                    f"DELETE FROM {table.words} WHERE kind = %s AND term = ANY(%s::text[])",  # noqa: S608 - own names
                    [table.kind, over],
                )


def _suffix(base: KnowledgeBase) -> str:
    suffix = base.pk.partition("_")[2]
    if not suffix.isalnum():
        raise ValueError("a base id is letters and digits after its prefix")
    return suffix.lower()
