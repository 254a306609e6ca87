"""The ranked reads of the provider: search, recall, walk, neighbourhood, history, and checking what is held."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from knowledge.engine.answers import malformed
from knowledge.engine.calls import EngineCalls, band_of
from knowledge.engine.client import Call
from knowledge.engine.reading import safe_id
from knowledge.engine.wire import Row
from knowledge.engine.wire_asking import read_checked, read_neighbours, read_past, read_recall, read_walk
from knowledge.engine.wire_briefs import read_standing
from knowledge.engine.wire_statements import read_search
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import ANY, EVERYTHING, Facets, Reference, Within
from knowledge.records import (
    CheckedReference,
    CheckedReferences,
    Neighbours,
    Page,
    PastVersion,
    RecallResult,
    SearchResult,
    Standing,
    Walk,
)
from knowledge.scope import KnowledgeScope

OTHERS = "The engine answered about other references than it was asked."

type Asked = dict[str, str | int | bool]


class Asking(EngineCalls):
    """The part of a provider that asks questions."""

    def search(
        self,
        scope: KnowledgeScope,
        query: str,
        *,
        limit: int = 20,
        include_historical: bool = False,
        min_support: str = "",
        as_of: str = "",
        known_at: str = "",
        facets: Facets = ANY,
    ) -> Outcome[SearchResult]:
        """Candidates; briefly remembered for the view they were read on."""
        within = Within(include_historical, min_support, as_of, known_at)
        asked = ("search", query, limit, within, facets)
        kept = self._cache.get(self._origin, scope, asked, SearchResult)
        if kept is not None:
            return Ok(kept)
        call = self._question(
            scope, "search", {"q": query, "limit": limit, **asdict(facets), **_narrowed(scope, within)}
        )
        found = self._reading.listed(scope, call, lambda value: read_search(Row(value, "search")), "knowledge")
        if isinstance(found, Ok):
            if not known_at:  # an answer about the past tells the view of the past
                self._cache.saw(self._origin, scope, found.value.view_id)
            self._cache.put(self._origin, scope, asked, found.value, self._cache_seconds)
        return found

    def recall(
        self,
        scope: KnowledgeScope,
        query: str,
        *,
        min_hits: int = 1,
        limit: int = 20,
        within: Within = EVERYTHING,
    ) -> Outcome[RecallResult]:
        """From the cheapest tier that has ``min_hits``; *nothing* is an answer."""
        body = {"query": query, "min_hits": min_hits, "limit": limit, **_narrowed(scope, within)}
        call = self._asked(scope, "recall", body)
        return self._reading.listed(
            scope, call, lambda value: read_recall(Row(value, "recall")), "knowledge", "summaries", "raw"
        )

    def walk(
        self,
        scope: KnowledgeScope,
        entity: str,
        query: str,
        *,
        budget: int = 20,
        beam: int = 4,
        within: Within = EVERYTHING,
    ) -> Outcome[Walk]:
        """``entity`` is an id or a name; best statements first."""
        body = {"entity": entity, "query": query, "budget": budget, "beam": beam, **_narrowed(scope, within)}
        call = self._asked(scope, "walk", body)
        return self._reading.listed(scope, call, lambda value: read_walk(Row(value, "walk")), "steps")

    def neighbours(
        self, scope: KnowledgeScope, entity: str, *, depth: int = 1, limit: int = 100, within: Within = EVERYTHING
    ) -> Outcome[Neighbours]:
        """``entity`` is an id or a name; ``depth`` at most 2."""
        asked: Asked = {"entity": entity, "depth": depth, "limit": limit, **_narrowed(scope, within)}
        call = self._question(scope, "neighbors", asked)
        return self._reading.listed(scope, call, lambda value: read_neighbours(Row(value, "neighbors")), "edges")

    def history(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[PastVersion]]:
        """Every version of a statement and of what it is about, oldest first."""
        known = safe_id(statement_id)
        if isinstance(known, Failed):
            return known
        call = Call("GET", f"knowledge/{known.value}/history", self._access.retrieval_ms)
        return self._reading.page(scope, call, "history", read_past)

    def check_references(
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        """Whether each still stands, now. Never cached; an answer about others than were asked is none."""
        body: dict[str, object] = {"references": [_reference(one) for one in references]}
        body |= {"include_historical": True} if include_historical else {}
        body |= band_of(scope)
        call = self._asked(scope, "references/check", body)
        found = self._reading.one(scope, call, "references", read_checked)
        if isinstance(found, Ok) and not _is_about(references, found.value.items):
            return malformed(OTHERS, "")
        return found

    def standing(self, scope: KnowledgeScope, references: Sequence[Reference]) -> Outcome[Standing]:
        """Never cached; an answer about others than were asked is none."""
        body = {"references": [_reference(one) for one in references], **band_of(scope)}
        call = self._asked(scope, "references/standing", body)
        rows = ("knowledge", "successors", "sources")
        found = self._reading.listed(scope, call, lambda value: read_standing(Row(value, "standing")), *rows)
        if isinstance(found, Ok) and not _is_about(references, found.value.items):
            return malformed(OTHERS, "")
        return found

    def _question(self, scope: KnowledgeScope, route: str, asked: Asked) -> Call:
        query = {name: value for name, value in asked.items() if value not in ("", False)}
        return Call("GET", f"projects/{scope.base_id}/{route}", self._access.retrieval_ms, query=query)

    def _asked(self, scope: KnowledgeScope, route: str, body: Mapping[str, object]) -> Call:
        """A question with a body; it changes nothing, so that it needs no key against repeats."""
        return Call("POST", f"projects/{scope.base_id}/{route}", self._access.retrieval_ms, body=body)


def _narrowed(scope: KnowledgeScope, within: Within) -> Asked:
    """What was given; and the band, where the scope may not read all."""
    asked: Asked = {
        "min_support": within.min_support,
        "as_of": within.as_of,
        "known_at": within.known_at,
    }
    given: Asked = {name: value for name, value in asked.items() if value}
    given |= {"include_historical": True} if within.include_historical else {}
    given |= {"max_age": within.max_age} if within.max_age >= 0 else {}
    return given | band_of(scope)


def _is_about(references: Sequence[Reference], told: Sequence[CheckedReference]) -> bool:
    return [one.statement_id for one in told] == [one.statement_id for one in references]


def _reference(one: Reference) -> dict[str, object]:
    body: dict[str, object] = {"item_id": one.statement_id}
    body |= {
        name: value
        for name, value in (
            ("evidence_id", one.evidence_id),
            ("source_id", one.source_id),
            ("version", one.version),
            ("excerpt_hash", one.excerpt_hash),
        )
        if value
    }
    return body | ({"start": one.span[0], "end": one.span[1]} if one.span else {})
