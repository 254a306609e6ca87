"""SQLite FTS5: porter stems, one table for the statements and one for the chunks of each base."""

from collections.abc import Iterator, Sequence

from django.db import DatabaseError, connection

from forager.model.models import Chunk, KnowledgeBase, Source, Statement
from forager.search.backend import Ranked, Where, statuses

TOKENIZER = "porter unicode61 remove_diacritics 2"
BATCH = 200
MIN_PREFIX = 3


class SqliteFts:
    name = "sqlite-fts5"
    index_version = "fts-1"

    def index_pending(self, base: KnowledgeBase) -> None:
        """Inside the caller's transaction: the rows of the revision to come. A lost index is made whole on the way."""
        if base.current_revision and not self.is_there(base):
            self.index_all(base)
            return
        self._make(base)
        pending = Statement.objects.filter(base=base, rev_from=base.next_revision)
        self._index_statements(base, list(pending.values_list("pk", flat=True)))
        self._index_chunks(base, ("processing",))

    def index_all(self, base: KnowledgeBase) -> None:
        """Every row that a reader sees now or will with the next revision."""
        self._make(base)
        rows = Statement.objects.filter(base=base)
        seen = rows.at(base.current_revision) | rows.filter(rev_from=base.next_revision)
        self._index_statements(base, list(seen.order_by("pk").values_list("pk", flat=True)))
        self._index_chunks(base, ("processing", "indexed", "stale"))

    def is_there(self, base: KnowledgeBase) -> bool:
        return all(self._exists(table) for table in _tables(base))

    def is_whole(self, base: KnowledgeBase) -> bool:
        """Both tables are there, sound, and hold every statement that readers see."""
        if not self.is_there(base):
            return False
        statements, chunks = _tables(base)
        seen = Statement.objects.at(base.current_revision).filter(base=base)
        try:
            with connection.cursor() as cursor:
                for table in (statements, chunks):
                    cursor.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")  # noqa: S608
                cursor.execute(
                    f"SELECT count(*) FROM {statements} JOIN forager_statement s ON s.id = {statements}.rowid "  # noqa: S608
                    "WHERE s.rev_from <= %s AND (s.rev_to IS NULL OR s.rev_to > %s)",
                    [base.current_revision, base.current_revision],
                )
                return bool(cursor.fetchone()[0] == seen.count())
        except DatabaseError:
            return False

    def _index_statements(self, base: KnowledgeBase, ids: Sequence[int]) -> None:
        statements, _ = _tables(base)
        with connection.cursor() as cursor:
            for at in range(0, len(ids), BATCH):
                part = list(ids[at : at + BATCH])
                marks = ",".join(["%s"] * len(part))
                cursor.execute(f"DELETE FROM {statements} WHERE rowid IN ({marks})", part)  # noqa: S608 - own names
                cursor.execute(
                    f"INSERT INTO {statements}(rowid, text, title, subject) "  # noqa: S608 - own names
                    f"SELECT id, text, title, subject FROM forager_statement WHERE id IN ({marks})",
                    part,
                )

    def _index_chunks(self, base: KnowledgeBase, statuses: Sequence[str]) -> None:
        _, table = _tables(base)
        fresh = Source.objects.filter(base=base, processing_status__in=statuses, stored__isnull=False)
        with connection.cursor() as cursor:
            # one pass over the index for all of them: it has no order by source
            mine, values = fresh.values("pk").query.sql_with_params()
            cursor.execute(f"DELETE FROM {table} WHERE source_id IN ({mine})", values)  # noqa: S608 - own names
            for source in fresh.select_related("stored").iterator(BATCH):
                rows = [(c.pk, source.pk, source.stored.text[c.start : c.end]) for c in _chunks(source)]
                cursor.executemany(f"INSERT INTO {table}(chunk_id, source_id, text) VALUES (%s, %s, %s)", rows)  # noqa: S608

    def drop(self, base: KnowledgeBase) -> None:
        with connection.cursor() as cursor:
            for table in _tables(base):
                cursor.execute(f"DROP TABLE IF EXISTS {table}")

    def forget_statements(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        table, _ = _tables(base)
        self._forget(table, "rowid", rows)

    def forget_sources(self, base: KnowledgeBase, sources: Sequence[str]) -> None:
        """The index is rewritten, too, or the words would lie on in its old segments."""
        statements, chunks = _tables(base)
        self._forget(chunks, "source_id", sources)
        with connection.cursor() as cursor:
            for table in (statements, chunks):
                if self._exists(table):
                    cursor.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")  # noqa: S608 - own names

    def _forget(self, table: str, column: str, values: Sequence[int] | Sequence[str]) -> None:
        if not values or not self._exists(table):
            return
        with connection.cursor() as cursor:
            for at in range(0, len(values), BATCH):
                part: list[int | str] = list(values[at : at + BATCH])
                marks = ",".join(["%s"] * len(part))
                cursor.execute(f"DELETE FROM {table} WHERE {column} IN ({marks})", part)  # noqa: S608 - own names

    def _exists(self, table: str) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM sqlite_master WHERE name = %s", [table])
            return cursor.fetchone() is not None

    def statements(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]:
        table, _ = _tables(where.base)
        revision, allowed = where.base.current_revision, statuses(where)
        sql = (
            f"SELECT s.id, bm25({table}) FROM {table} JOIN forager_statement s ON s.id = {table}.rowid "  # noqa: S608
            f"WHERE {table} MATCH %s AND s.rev_from <= %s AND (s.rev_to IS NULL OR s.rev_to > %s) "
            f"AND s.status IN ({','.join(['%s'] * len(allowed))})"
        )
        values: list[str | int] = [_match(words), revision, revision, *allowed]
        if where.supports:
            sql += f" AND s.support IN ({','.join(['%s'] * len(where.supports))})"
            values += where.supports
        if where.band:
            sql += (
                " AND EXISTS (SELECT 1 FROM forager_evidence e JOIN forager_source o ON o.id = e.source_id "
                "JOIN forager_document d ON d.id = o.document_id WHERE e.item_id = s.item_id AND e.rev_to IS NULL "
                "AND d.band = %s AND d.state IN ('approved', 'active', 'degraded'))"
            )
            values.append(where.band)
        return self._ranked(where.base, f"{sql} ORDER BY bm25({table}), s.item_id LIMIT %s", [*values, limit])

    def chunks(self, where: Where, words: Sequence[str], *, limit: int) -> list[Ranked]:
        _, table = _tables(where.base)
        sql = (
            f"SELECT chunk_id, bm25({table}) FROM {table} JOIN forager_source o ON o.id = {table}.source_id "  # noqa: S608
            f"JOIN forager_document d ON d.id = o.document_id WHERE {table} MATCH %s AND o.superseded_by = '' "
            f"AND o.processing_status = 'indexed' AND d.state IN ('active', 'degraded')"
        )
        values: list[str | int] = [_match(words)]
        if where.band:
            sql += " AND d.band = %s"
            values.append(where.band)
        return self._ranked(where.base, f"{sql} ORDER BY bm25({table}), chunk_id LIMIT %s", [*values, limit])

    def _ranked(self, base: KnowledgeBase, sql: str, values: Sequence[str | int]) -> list[Ranked]:
        if not base.current_revision:
            return []
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return [Ranked(str(ref), -float(score)) for ref, score in cursor.fetchall()]

    def _make(self, base: KnowledgeBase) -> None:
        statements, chunks = _tables(base)
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS {statements} USING fts5("
                f"text, title, subject, tokenize='{TOKENIZER}')"
            )
            cursor.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS {chunks} USING fts5("
                f"chunk_id UNINDEXED, source_id UNINDEXED, text, tokenize='{TOKENIZER}')"
            )


def _tables(base: KnowledgeBase) -> tuple[str, str]:
    suffix = base.pk.partition("_")[2]
    if not suffix.isalnum():
        raise ValueError("a base id is letters and digits after its prefix")
    return f"fts_statement_{suffix}", f"fts_chunk_{suffix}"


def _chunks(source: Source) -> Iterator[Chunk]:
    return Chunk.objects.filter(source=source).order_by("start").iterator(BATCH)


def _match(words: Sequence[str]) -> str:
    """Any of the words, repeats kept; the last one of three letters or more also as a beginning."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    if words and len(words[-1]) >= MIN_PREFIX and words[-1].isalnum():
        quoted.append(quoted[-1] + "*")
    return " OR ".join(quoted)
