"""Which candidates become facts, and in what order. Pure: rank in, ids out."""

from collections import Counter
from collections.abc import Sequence

from knowledge.records import Hit, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Status, Support

PER_DOCUMENT = 3
"""Facts one document may give until every document that ranked has one."""
NEAR_THE_BEST = 0.35
"""The share of the best full-text score below which a hit is an echo of one common word, not an answer."""
FULL_TEXT = "text"
INSTRUCTION = "instruction"
NEVER_SHOWN = frozenset((Status.WITHHELD, Status.ARCHIVED))


def may_show(statement: Statement, scope: KnowledgeScope, floor: Support) -> bool:
    """Our own check of what the engine was asked to filter. An unknown support passes the lowest floor only."""
    if INSTRUCTION in statement.flags:
        return False  # text that tells its reader what to do is for people to see, never for an agent to read
    if statement.base_id != scope.base_id or not scope.allows(statement.band) or statement.status in NEVER_SHOWN:
        return False
    return statement.support.rank <= floor.rank or floor is Support.UNVERIFIED_CLAIM


def near_the_best(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits whose words match about as well as the best one's; scores compare within the one route only."""
    scores = [max((r.score for r in hit.routes if r.route == FULL_TEXT), default=0.0) for hit in hits]
    floor = NEAR_THE_BEST * max(scores, default=0.0)
    return tuple(hit for hit, score in zip(hits, scores, strict=True) if score >= floor)


def is_contested(statement: Statement) -> bool:
    return statement.status is Status.DISPUTED or bool(statement.conflict_ids)


def spread(ranked: Sequence[Statement], top_k: int) -> tuple[Statement, ...]:
    """The best ``top_k``, none of three documents shut out by a fourth. Contested ones take no document's place."""
    taken: list[Statement] = []
    passed: list[Statement] = []
    given: Counter[str] = Counter()
    waiting = {_document(statement) for statement in ranked}
    for statement in ranked:
        if len(taken) == top_k:
            break
        document = _document(statement)
        waiting.discard(document)
        if waiting and given[document] >= PER_DOCUMENT and not is_contested(statement):
            passed.append(statement)
            continue
        taken.append(statement)
        given[document] += not is_contested(statement)
    return (*taken, *passed[: top_k - len(taken)])


def in_order(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """By support, then confidence, then id: the same knowledge gives the same order."""
    return tuple(sorted(statements, key=lambda s: (s.support.rank, -s.confidence, s.id)))


def _document(statement: Statement) -> str:
    return min(statement.document_ids, default="")
