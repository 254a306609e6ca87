"""PostgreSQL full text: the tokens FTS5 would make, a GIN index a base, and BM25 as FTS5 counts it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import batched
from typing import Any

from django.db import DatabaseError
from django.db.models import F
from django.db.models.fields.json import KT

from forager.model.models import Chunk, KnowledgeBase, Source, Statement
from forager.search import looking, passages, plain, postgres_rank, postgres_tables
from forager.search.backend import Depth, Ranked, Wanted, Where, asks_beginnings
from forager.search.looking import Standing
from forager.search.postgres_rank import Sizes, Term
from forager.search.postgres_tables import BESIDE, Entry, Table

BATCH = 200
DEEPER = 8
FIRST_FEW = 1000
"""Rows that a question of nothing but common words takes from the index, and one of a few letters."""
INDEXED = ("processing", "indexed", "stale")


class PostgresFts:
    name = "postgres-fts"
    index_version = "pg-1"

    def index_pending(self, base: KnowledgeBase) -> None:
        """Inside the caller's transaction: the rows of the revision to come. A lost index is made whole on the way."""
        if base.current_revision and not self.is_there(base):
            self.index_all(base)
            return
        is_new = postgres_tables.make(base)
        pending = Statement.objects.filter(base=base, rev_from=base.next_revision)
        _fill(base, list(pending.values_list("pk", flat=True)), ("processing",), is_new=is_new)

    def index_all(self, base: KnowledgeBase, beside: str = "") -> None:
        """Every row that a reader sees, saw, or will see with the next revision."""
        is_new = postgres_tables.make(base, beside)
        rows = Statement.objects.filter(base=base).order_by("pk")
        _fill(base, list(rows.values_list("pk", flat=True)), INDEXED, beside, is_new=is_new)

    def rebuild(self, base: KnowledgeBase) -> None:
        """Inside the caller's transaction: made beside the old one, which is read until the end."""
        self.index_all(base, BESIDE)
        postgres_tables.take_over(base)

    def index_rows(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        """Inside the caller's transaction: rows that are seen at once."""
        _fill(base, rows, (), is_new=postgres_tables.make(base))

    def is_there(self, base: KnowledgeBase) -> bool:
        return postgres_tables.are_there(base)

    def is_whole(self, base: KnowledgeBase) -> bool:
        """Its tables are there, count right, and hold every statement that readers see."""
        if not self.is_there(base):
            return False
        table = postgres_tables.statements(base)
        revision = base.current_revision
        seen = f"SELECT count(*) FROM {table.name} i JOIN forager_statement s ON s.id = i.id WHERE {plain.seen('s')}"  # noqa: S608
        kept = f"SELECT count(*), (SELECT sum(rows) FROM {table.words} WHERE kind = %s AND term = '') FROM {table.name}"  # noqa: S608
        try:
            held = plain.fetch(seen, [revision, revision])[0][0]
            rows, counted = plain.fetch(kept, [table.kind])[0]
        except DatabaseError:
            return False
        wanted = Statement.objects.at(revision).filter(base=base).count()
        return bool(held == wanted and rows == (counted or 0))

    def drop(self, base: KnowledgeBase) -> None:
        postgres_tables.drop(base)

    def forget_statements(self, base: KnowledgeBase, rows: Sequence[int]) -> None:
        if self.is_there(base):
            postgres_tables.remove(postgres_tables.statements(base), "id", rows)

    def forget_sources(self, base: KnowledgeBase, sources: Sequence[str]) -> None:
        """What is gone is overwritten by the ``VACUUM`` that follows the commit."""
        if self.is_there(base):
            postgres_tables.remove(postgres_tables.chunks(base), "source_id", sources)

    def statements(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        """Whole words first; rows that only have a word beginning with the last one come below them."""
        if not self._is_made(where.base):
            return []
        table = postgres_tables.statements(where.base)
        sizes, terms = postgres_rank.terms(table, wanted.words)
        if wanted.only_common:
            return self._common(where, sizes, terms, len(set(wanted.words)), depth)
        found = self._seen(where, sizes, terms, depth)
        if asks_beginnings(wanted, found, depth.limit):
            known = {hit.ref for hit in found}
            more = self._beginning(where, table, wanted.beginning, depth)
            floor = min((hit.score for hit in found), default=1.0)
            further = [hit for hit in more if hit.ref not in known]
            found += [hit._replace(score=floor / (2 + at)) for at, hit in enumerate(further)]
        return found[: depth.limit]

    def _beginning(self, where: Where, table: Table, letters: str, depth: Depth) -> list[Ranked]:
        sizes, terms = postgres_rank.beginning(table, letters)
        if sum(term.rows for term in terms) > postgres_rank.LOOKED_AT:
            return self._first(where, sizes, terms, " | ".join(t.query for t in terms), depth.limit)
        return self._seen(where, sizes, terms, depth)

    def _common(self, where: Where, sizes: Sizes, terms: Sequence[Term], asked: int, depth: Depth) -> list[Ranked]:
        """What has all of the words; where that is too little, rows that have any of them."""
        if not terms:
            return []
        found = []
        if len(terms) == asked:
            found = self._first(where, sizes, terms, " & ".join(f"({t.query})" for t in terms), depth.limit)
        if len(found) >= depth.least:
            return found[: depth.limit]
        known = {hit.ref for hit in found}
        more = self._first(where, sizes, terms, " | ".join(f"({t.query})" for t in terms), depth.limit)
        return [*found, *(hit for hit in more if hit.ref not in known)][: depth.limit]

    def _first(self, where: Where, sizes: Sizes, terms: Sequence[Term], match: str, limit: int) -> list[Ranked]:
        table = postgres_tables.statements(where.base)
        ranked = postgres_rank.first(table, sizes, terms, match, FIRST_FEW)
        return _hits(ranked, looking.statements(where, [row for row, _, _ in ranked]))[:limit]

    def _seen(self, where: Where, sizes: Sizes, terms: Sequence[Term], depth: Depth) -> list[Ranked]:
        """The index ranks alone, then the rows are looked at, deeper when too few of them may be seen."""
        if not terms:
            return []
        table, most = postgres_tables.statements(where.base), depth.limit
        while True:
            ranked = postgres_rank.best(table, sizes, terms, most)
            seen = looking.statements(where, [row for row, _, _ in ranked])
            if len(seen) >= depth.least or len(ranked) < most:
                return _hits(ranked, seen)[: depth.limit]
            most *= DEEPER

    def chunks(self, where: Where, wanted: Wanted, depth: Depth) -> list[Ranked]:
        if not self._is_made(where.base):
            return []
        table = postgres_tables.chunks(where.base)
        sizes, terms = postgres_rank.terms(table, wanted.words)
        if not terms:
            return []
        most = depth.limit
        while True:
            ranked = postgres_rank.best(table, sizes, terms, most)
            seen = looking.chunks(where, [chunk for chunk, _, _ in ranked])
            if len(seen) >= depth.least or len(ranked) < most:
                hits = sorted((-score, chunk) for chunk, _, score in ranked if chunk in seen)
                return [Ranked(chunk, -score, (seen[chunk],)) for score, chunk in hits[: depth.limit]]
            most *= DEEPER

    def _is_made(self, base: KnowledgeBase) -> bool:
        """A base that never published has no index yet; a lost index of one that did is an error for the caller."""
        return bool(base.current_revision) or self.is_there(base)


def _hits(ranked: Sequence[tuple[Any, ...]], seen: Mapping[int, Standing]) -> list[Ranked]:
    """Weighted by confidence; ids decide among equals."""
    hits = sorted((-score * seen[row].confidence, seen[row].item, row) for row, _, score in ranked if row in seen)
    return [Ranked(str(row), -score, seen[row].sources) for score, _, row in hits]


def _fill(base: KnowledgeBase, ids: Sequence[int], statuses: Sequence[str], beside: str = "", *, is_new: bool) -> None:
    """Statements by their rows, chunks by what became of their sources."""
    postgres_tables.put(postgres_tables.statements(base, beside), _statement_entries(ids), is_new=is_new)
    if statuses:
        _put_chunks(base, statuses, beside, is_new=is_new)
    if is_new:
        postgres_tables.indexed(base, beside)


def _statement_entries(ids: Sequence[int]) -> Iterator[Entry]:
    """A subject whose words the sentence has counts once."""
    for some in batched(ids, BATCH):
        rows = Statement.objects.filter(pk__in=some).annotate(attribute=KT("frame__attribute"))
        for pk, text, attribute, subject in rows.values_list("pk", "text", "attribute", "subject"):
            said = "" if subject.lower() in text.lower() else subject
            yield Entry(pk, "", (text, attribute or "", said))


def _put_chunks(base: KnowledgeBase, statuses: Sequence[str], beside: str, *, is_new: bool) -> None:
    table = postgres_tables.chunks(base, beside)
    fresh = Source.objects.filter(base=base, processing_status__in=statuses, stored__isnull=False)
    if not is_new:
        postgres_tables.remove(table, "source_id", list(fresh.values_list("pk", flat=True)))
    postgres_tables.put(table, _chunk_entries(fresh.values_list("pk", flat=True)), is_new=is_new)


def _chunk_entries(sources: Any) -> Iterator[Entry]:
    for some in batched(list(sources), BATCH):
        rows = passages.read(Chunk.objects.filter(source__in=some)).order_by(F("source_id"), "start")
        for chunk in rows.iterator(BATCH):
            yield Entry(chunk.pk, chunk.source_id, (passages.said(chunk),))
