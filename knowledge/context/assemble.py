"""The entry point: a question and a scope in, a context out, or the failure that prevented it."""

import time

from knowledge.context.budget import fit, units_of
from knowledge.context.compose import Cut, compose
from knowledge.context.gather import Material, Wanted, gather
from knowledge.context.model import KnowledgeContext
from knowledge.context.render import render
from knowledge.context.select import in_order
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Support

QUERY_LIMIT = 500
TOP_K_LIMIT = 50


def build_context(
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    query: str,
    *,
    top_k: int = 8,
    max_chars: int = 12000,
    min_support: Support = Support.UNVERIFIED_CLAIM,
    include_historical: bool = False,
    as_of: str = "",
) -> Outcome[KnowledgeContext]:
    """``max_chars`` bounds the rendered text; ``min_support`` is the weakest support that may be shown.

    ``as_of``, an ISO day, asks what held then; whatever has replaced it since is said with it.
    """
    began = time.monotonic()
    question = normalise(query)
    if not question:
        return Failed(Failure.INVALID, "The question is empty.")
    floor = Support.DIRECT_FACT if min_support is Support.UNKNOWN else min_support
    wanted = Wanted(scope, question, max(1, min(top_k, TOP_K_LIMIT)), floor, include_historical, as_of)
    material = gather(provider, wanted)
    if isinstance(material, Failed):
        return material
    cut = _fitted(material.value, wanted, max_chars)
    return Ok(compose(material.value, wanted, cut, int((time.monotonic() - began) * 1000)))


def normalise(query: str) -> str:
    """Blanks collapsed and length bounded. Nothing else: the question stays the asker's own."""
    return " ".join(query.split())[:QUERY_LIMIT].rstrip()


def _fitted(material: Material, wanted: Wanted, max_chars: int) -> Cut:
    whole = compose(material, wanted, Cut())
    if len(render(whole)) <= max_chars:
        return Cut()
    shown = {fact.statement.id: fact.statement for fact in whole.facts}
    ordered = [statement.id for statement in in_order(tuple(shown.values()))]
    ties = [list(conflict.statement_ids) for conflict in material.conflicts]
    ties.extend([s.id, s.superseded_by] for s in shown.values() if s.superseded_by)
    entries = [entry.conflict.id for entry in whole.conflicts]
    return fit(
        units_of(ordered, ties),
        entries,
        lambda cut: compose(material, wanted, cut),
        lambda context: len(render(context)),
        max_chars,
    )
