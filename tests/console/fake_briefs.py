"""The reads of the provider in memory that answer for a whole page at once."""

from collections.abc import Sequence

from knowledge.failures import Outcome
from knowledge.provider import Reference
from knowledge.records import Changes, CheckedReference, Document, Entity, SourceBrief, Standing, Step
from knowledge.reviewing import Dispute, Grounds, StatementBrief
from knowledge.scope import KnowledgeScope
from tests.console import falcon
from tests.console.fake_review import GONE, FakeReview


class FakeBriefs(FakeReview):
    """``long_texts`` are ids of sources whose text is too long to come along."""

    known_entities: dict[str, Entity]
    states: dict[str, str]
    hidden_references: set[str]
    deletable: bool
    long_texts: set[str]

    def source_brief(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceBrief]:
        found = self.known_sources.get(source_id)
        document = self._known_document(found.document_id) if found else None
        if found is None or document is None:
            return self._do("source_brief", GONE)
        has_text = source_id in falcon.TEXTS and source_id not in self.long_texts
        resting = tuple(each for each in self.known_statements.values() if source_id in each.source_ids)
        changes = Changes(source_id, None, (), truncated=False) if len(document.versions) > 1 else None
        text = falcon.text(source_id) if has_text else None
        return self._do("source_brief", SourceBrief(found, document, text, resting, changes))

    def statement_brief(self, scope: KnowledgeScope, statement_id: str) -> Outcome[StatementBrief]:
        found = self.known_statements.get(statement_id)
        if found is None:
            return self._do("statement_brief", GONE)
        passages = tuple(self._passage(each.id, each.source_id, each.start, each.end) for each in found.evidence)
        return self._do("statement_brief", StatementBrief(found, passages))

    def grounds(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Grounds]:
        found = self.known_statements.get(statement_id)
        if found is None:
            return self._do("grounds", GONE)
        texts = tuple(falcon.text(each) for each in dict.fromkeys(piece.source_id for piece in found.evidence))
        disputes = tuple(
            Dispute(self.known_conflicts[each], tuple(event for event in self.events if event.target_id == each))
            for each in found.conflict_ids
        )
        return self._do("grounds", Grounds(found, texts, (), disputes))

    def standing(self, scope: KnowledgeScope, references: Sequence[Reference]) -> Outcome[Standing]:
        known = set(self.known_statements) - self.hidden_references
        wanted = {each.statement_id for each in references} & known
        items = tuple(self.known_statements[each] for each in sorted(wanted))
        later = {one.superseded_by for one in items if one.superseded_by} & set(self.known_statements)
        named = {each.source_id for each in references} & set(self.known_sources)
        return self._do(
            "standing",
            Standing(
                tuple(CheckedReference(each.statement_id, each.statement_id in known) for each in references),
                items,
                tuple(self.known_statements[each] for each in sorted(later)),
                tuple(self.known_sources[each] for each in sorted(named)),
                "1:0",
            ),
        )

    def _known_document(self, document_id: str) -> Document | None:
        mine = [each for each in self.known_sources.values() if each.document_id == document_id]
        if not mine:
            return None
        state = self.states.get(document_id, mine[0].state)
        steps = tuple(
            Step(to, ("under_review",)) for to in ("suspended", "revoked", *(("deleted",) if self.deletable else ()))
        )
        return Document(
            document_id, "proj_falcon", mine[0].path, state, "", "", "", None, steps if state == "active" else (),
            mine[0].owner, mine[0].band, mine[0].authoritative, mine[-1].id, tuple(each.id for each in mine),
        )  # fmt: skip
