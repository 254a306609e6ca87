"""SQLite FTS5: porter stems, one table for the statements and one for the chunks of each base."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, connection

from forager.model.models import Chunk, KnowledgeBase, Source, SourceText, Statement
from forager.search import looking, maxscore, passages, plain
from forager.search.backend import Depth, Ranked, Wanted, Where, asks_beginnings

TOKENIZER = "porter unicode61 remove_diacritics 2"
BATCH = 200
ATTRIBUTE = "COALESCE(json_extract(frame, '$.attribute'), '')"
SUBJECT = "CASE WHEN instr(lower(text), lower(subject)) > 0 THEN '' ELSE subject END"
"""Words the sentence itself has count once."""
DEEPER = 8
"""How much deeper the next look goes when too many of the ranked rows may not be seen."""
FIRST_FEW = 1000
"""Rows that a question of nothing but common words takes from the index."""


@dataclass(frozen=True, slots=True)
class Match:
    """What the index is asked. With ``most`` so many rows are taken from it, as they come, and ranked among themselves.

    ``pruned`` finds fewer rows, each with twice its score; one that it leaves out scores at most ``bound``.
    """

    whole: str
    most: int = 0
    pruned: str = ""
    bound: float = 0.0


type Look[K, T] = Callable[[Where, list[K]], dict[K, T]]
"""What tells of each of some rows that may be seen, by its key."""


class SqliteFts:
    name = "sqlite-fts5"
    index_version = "fts-2"

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
        """Every row that a reader sees, saw, or will see with the next revision."""
        self._make(base)
        rows = Statement.objects.filter(base=base).order_by("pk")
        self._index_statements(base, list(rows.values_list("pk", flat=True)))
        self._index_chunks(base, ("processing", "indexed", "stale"))

    def rebuild(self, base: KnowledgeBase) -> None:
        """Inside the caller's transaction: readers see the old one until its end."""
        self.drop(base)
        self.index_all(base)

    def index_rows(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        """Inside the caller's transaction: rows that are seen at once."""
        self._make(base)
        self._index_statements(base, rows)

    def is_there(self, base: KnowledgeBase) -> bool:
        found = plain.fetch("SELECT count(*) FROM sqlite_master WHERE name IN (%s, %s)", _tables(base))
        return bool(found[0][0] == len(_tables(base)))

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
                    f"SELECT id, text, {ATTRIBUTE}, {SUBJECT} FROM forager_statement WHERE id IN ({marks})",
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
                rows = [(c.pk, source.pk, _said(source.stored, c)) for c in _chunks(source)]
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

    def statements(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        """Whole words first; rows that only have a word beginning with the last one come below them."""
        if wanted.only_common:
            return self._common(where, wanted.words, depth)
        found = self._seen(where, self._match(where.base, wanted.words, depth.limit), depth)
        if asks_beginnings(wanted, found, depth.limit):
            known = {hit.ref for hit in found}
            more = self._seen(where, Match(f"{_quoted(wanted.beginning)}*"), depth)
            floor = min((hit.score for hit in found), default=1.0)
            further = [hit for hit in more if hit.ref not in known]
            found += [hit._replace(score=floor / (2 + at)) for at, hit in enumerate(further)]
        return found[: depth.limit]

    def _match(self, base: KnowledgeBase, words: Sequence[str], limit: int) -> Match:
        """Any of the words; without the rows that hold only common ones of them, where that saves much."""
        whole, distinct = _any(words), list(dict.fromkeys(words))
        if base.knowledge_count < maxscore.LEAST_ROWS or not 1 < len(distinct) <= maxscore.MOST_WORDS:
            return Match(whole)
        table, _ = _tables(base)
        one = f"SELECT count(*) FROM {table} WHERE {table} MATCH %s"  # noqa: S608 - own names
        every = f"SELECT count(*) FROM {table}_docsize"  # noqa: S608
        counts = plain.fetch(" UNION ALL ".join([*[one] * len(distinct), every]), [_quoted(word) for word in distinct])
        *rows, total = (count for (count,) in counts)
        found = maxscore.split(words, dict(zip(distinct, rows, strict=True)), total, limit)
        if found is None:
            return Match(whole)
        needed = [word for word in words if word in found.needed]
        rest = [word for word in words if word not in found.needed]
        return Match(whole, pruned=f"({_any(needed)}) AND ({_any([*needed, *rest, *rest])})", bound=found.bound)

    def _common(self, where: Where, words: Sequence[str], depth: Depth) -> list[Ranked]:
        """What has all of the words; where that is too little, the first rows that have any of them, without rank."""
        found = self._seen(where, Match(" AND ".join(_quoted(w) for w in dict.fromkeys(words))), depth)
        if len(found) >= depth.least:
            return found
        known = {hit.ref for hit in found}
        more = self._seen(where, Match(_any(words), most=FIRST_FEW), depth)
        return [*found, *(hit for hit in more if hit.ref not in known)][: depth.limit]

    def _seen(self, where: Where, match: Match, depth: Depth) -> list[Ranked]:
        table, _ = _tables(where.base)
        ranked, seen = self._ranked(where, table, "rowid", match, depth, looking.statements)
        hits = sorted((score * seen[row].confidence, seen[row].item, row) for row, score in ranked)
        return [Ranked(str(row), -score, seen[row].sources) for score, _, row in hits[: depth.limit]]

    def chunks(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        _, table = _tables(where.base)
        ranked, seen = self._ranked(where, table, "chunk_id", Match(_any(wanted.words)), depth, looking.chunks)
        hits = sorted((score, chunk) for chunk, score in ranked)
        return [Ranked(chunk, -score, (seen[chunk],)) for score, chunk in hits[: depth.limit]]

    def _ranked[K, T](
        self, where: Where, table: str, key: str, match: Match, depth: Depth, look: Look[K, T]
    ) -> tuple[list[tuple[K, float]], dict[K, T]]:
        """(key, score) of those that may be seen, and what the look tells of them. The index ranks alone, then the rows
        are looked at, deeper when too few of them may be seen: joining every match would read rows that nobody is
        shown."""
        if not self._is_made(where.base, table):
            return [], {}
        most = match.most or depth.limit
        while True:
            ranked = _rank(table, key, match, most)
            seen = look(where, [row for row, _ in ranked])
            if match.most or len(seen) >= depth.least or len(ranked) < most:
                return [(row, score) for row, score in ranked if row in seen], seen
            most *= DEEPER

    def _is_made(self, base: KnowledgeBase, table: str) -> bool:
        """A base that never published has no index yet; a lost index of one that did is an error for the caller."""
        return bool(base.current_revision) or self._exists(table)

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


def _rank(table: str, key: str, match: Match, most: int) -> list[tuple[Any, float]]:
    """(key, score) of the best rows, the lowest score first, as FTS5 counts."""
    order = "" if match.most else "ORDER BY score"
    sql = f"SELECT rowid AS id, bm25({table}) AS score FROM {table} WHERE {table} MATCH %s {order} LIMIT %s"  # noqa: S608
    if key != "rowid":  # read from the best rows alone: the index holds it beside the text
        sql = f"SELECT k.{key}, r.score FROM ({sql}) r CROSS JOIN {table} k ON k.rowid = r.id"  # noqa: S608
    if match.pruned:
        found = [(row, score / 2) for row, score in plain.fetch(sql, [match.pruned, most])]
        if len(found) == most and -found[-1][1] >= match.bound:
            return found
    return plain.fetch(sql, [match.whole, most])


def _tables(base: KnowledgeBase) -> tuple[str, str]:
    suffix = base.pk.partition("_")[2]
    if not suffix.isalnum():
        raise ValueError("a base id is letters and digits after its prefix")
    return f"fts_statement_{suffix}", f"fts_chunk_{suffix}"


def _chunks(source: Source) -> Iterator[Chunk]:
    return Chunk.objects.filter(source=source).order_by("start").iterator(BATCH)


def _said(stored: SourceText, chunk: Chunk) -> str:
    return passages.without(stored.text[chunk.start : chunk.end], chunk.start, stored.excluded)


def _any(words: Sequence[str]) -> str:
    """Any of the words; a repeated one counts again."""
    return " OR ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
