"""From a question to a packet: what was selected, with where each row comes from."""

from knowledge.context import normalise
from knowledge.context.provenance import usable_evidence
from knowledge.contract.admission import Shows, everything
from knowledge.contract.model import Allowance, Execution, Packet, RankOrigin, Request, SelectedRow
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Evidence, Hit
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Support

MOST = 50


def packet_of(
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    query: str,
    *,
    allowance: Allowance,
    top_k: int = 8,
    min_support: Support = Support.UNVERIFIED_CLAIM,
    workload: str = "",
    purpose: str = "",
    shows: Shows = everything,
) -> Outcome[Packet]:
    """Every usable place of the best ``top_k`` statements from sources of the allowance, in rank order."""
    question = normalise(query)
    if not question:
        return Failed(Failure.INVALID, "The question is empty.")
    most = max(1, min(top_k, MOST))
    found = provider.search(scope, question, limit=most, min_support=min_support.value)
    if isinstance(found, Failed):
        return found
    ids = [hit.statement.id for hit in found.value.hits]
    whole = provider.statements_by_id(scope, ids) if ids else None
    if isinstance(whole, Failed):
        return whole
    held = {statement.id: statement for statement in whole.value.items if shows(statement)} if whole else {}
    rows = tuple(
        _row(hit, piece)
        for hit in found.value.hits
        if hit.statement.id in held
        for piece in usable_evidence(held[hit.statement.id])
        if allowance.covers(piece.source_id)
    )
    sources = None if allowance.sources is None else tuple(sorted(allowance.sources))
    request = Request(question, scope.slug, found.value.view_id, sources, most, workload, purpose)
    execution = Execution(
        strategy=found.value.strategy,
        index_version=found.value.index_version,
        selected=rows,
        stop_reason="limit" if len(ids) >= most else "exhausted",
        limitations=("no_full_text_index",) if found.value.backend.endswith("like") else (),
    )
    return Ok(Packet(request, execution))


def _row(hit: Hit, piece: Evidence) -> SelectedRow:
    return SelectedRow(
        statement_id=hit.statement.id,
        evidence_id=piece.id,
        source_id=piece.source_id,
        document_id=piece.document_id,
        version=piece.version,
        representation=piece.representation,
        segmentation=piece.segmentation,
        passage_id=piece.chunk_id,
        digest=piece.excerpt_hash,
        start=piece.start,
        end=piece.end,
        origins=tuple(RankOrigin(r.route, r.method, r.rank, r.score) for r in hit.routes),
    )
