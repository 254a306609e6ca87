"""When no settled answer can be given: a code, a sentence, what was looked at. Forbidden looks like no match."""

from collections.abc import Collection, Sequence

from knowledge.records import Statement
from knowledge.tools.shapes import Abstention, AbstentionCode, Looked
from knowledge.vocabulary import Status, Support

SENTENCES: dict[AbstentionCode, str] = {
    "no_match": "The knowledge base was searched and holds nothing on this. This is not permission to assume an "
    "answer: say that the sources do not tell.",
    "only_unverified": "Only unverified claims speak of this. Do not present them as facts.",
    "contested": "The sources disagree. Do not report either side as settled.",
    "stale": "Only statements that are stale, superseded or without a located source speak of this.",
    "unavailable": "The knowledge base could not be read. Do not substitute recalled or assumed facts for it.",
}
UNVERIFIED = frozenset((Support.UNVERIFIED_CLAIM, Support.UNKNOWN))
PAST = frozenset((Status.STALE, Status.SUPERSEDED, Status.UNRESOLVED, Status.UNKNOWN))


def abstention(code: AbstentionCode, looked: Sequence[Looked]) -> Abstention:
    return Abstention(code=code, sentence=SENTENCES[code], looked_at=list(looked))


def judged(
    ranked: Sequence[Statement], contested: Collection[str], looked: Sequence[Looked] | None = None
) -> Abstention | None:
    """Of what is shown, best first: the best one is contested, or all of it is unverified or past."""
    told = looked if looked is not None else [Looked(what="statements", found=len(ranked))]
    code = _code(ranked, contested)
    return abstention(code, told) if code else None


def _code(ranked: Sequence[Statement], contested: Collection[str]) -> AbstentionCode | None:
    if not ranked:
        return "no_match"
    if ranked[0].id in contested:
        return "contested"
    if all(statement.support in UNVERIFIED for statement in ranked):
        return "only_unverified"
    return "stale" if all(statement.status in PAST for statement in ranked) else None
