"""Search, retrieve and recall: from a question to candidates, to a whole context, or down the tiers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from knowledge.context import KnowledgeContext, build_context, normalise, render
from knowledge.context.whole import read_whole
from knowledge.contract import Allowance, packet_of, packet_to_json
from knowledge.failures import Failed, Ok, Outcome
from knowledge.records import Hit, RecallResult, Statement
from knowledge.tools.abstaining import abstention, judged
from knowledge.tools.arguments import RecallArguments, RetrieveArguments, SearchArguments
from knowledge.tools.keeping import CONTEXT, Sheet
from knowledge.tools.seat import Answered, Ask, Unanswered
from knowledge.tools.shapes import (
    Abstention,
    ContextAnswer,
    HitShape,
    Looked,
    RawShape,
    RecallAnswer,
    SearchAnswer,
    SummaryShape,
)
from knowledge.tools.telling import contested_in, now, relationship_shape, statement_shape, told_contested
from knowledge.vocabulary import Status, Support

STATEMENTS, NOTHING = "statements", "nothing"
GAPS = ("no_match", "only_unverified")
LOOKED = {"summaries": "summaries of sources", "raw": "raw lines of sources"}


def search(ask: Ask, given: SearchArguments) -> Outcome[Answered]:
    """Candidates may come from memory; each is read once more before it is handed out."""
    floor = ask.floor_of(given.min_support)
    found = ask.provider.search(
        ask.scope,
        given.query,
        limit=given.limit,
        include_historical=given.include_historical,
        min_support=floor.value,
        as_of=given.as_of,
    )
    if isinstance(found, Failed):
        return found
    whole = read_whole(ask.provider, ask.scope, [hit.statement for hit in found.value.hits])
    if isinstance(whole, Failed):
        return whole
    admitted = {key: s for key, s in whole.value.statements.items() if ask.shows(s, floor)}
    contested = contested_in(whole.value)
    hits = [hit for hit in found.value.hits if hit.statement.id in admitted]
    ranked = [admitted[hit.statement.id] for hit in hits]
    data = SearchAnswer(
        admitted_at=now(),
        view_id=whole.value.view_id or found.value.view_id,
        abstention=judged(ranked, contested),
        hits=[
            HitShape(
                statement=statement_shape(s, ask.scope, contested, admitted),
                snippet=hit.snippet,
                why=hit.why,
                score=hit.score,
            )
            for hit, s in zip(hits, ranked, strict=True)
        ],
        backend=found.value.backend,
    )
    candidates = len(found.value.hits)
    answered = _answered(data, ranked, candidates=candidates, dropped=candidates - len(hits))
    return Ok(replace(answered, unanswered=_unanswered(ask, given, data.abstention)))


def retrieve(ask: Ask, given: RetrieveArguments) -> Outcome[Answered]:
    """The rendered context; its own batch read is the last look before it is written down."""
    built = build_context(
        ask.provider,
        ask.scope,
        given.query,
        top_k=min(given.top_k or ask.limits.top_k, 50),
        max_chars=min(given.max_chars or ask.limits.max_chars, ask.limits.max_chars),
        min_support=ask.floor_of(given.min_support),
        include_historical=given.include_historical,
        as_of=given.as_of,
    )
    if isinstance(built, Failed):
        return built
    context = built.value
    packet = _packet(ask, given)
    if isinstance(packet, Failed):
        return packet
    text = render(context)
    disputed = [fact.statement for fact in context.facts if fact.contested or fact.statement.status is Status.DISPUTED]
    contested = frozenset(statement.id for statement in disputed)
    facts = [fact.statement for fact in context.facts]
    shown = [*disputed, *(each for each in facts if each.id not in contested)]  # a contested one decides
    sheet = _sheet(ask, given, context, text)
    data = ContextAnswer(
        admitted_at=sheet.admitted_at,
        view_id=context.metadata.view_id,
        package="",
        manifest_digest="",
        abstention=None if context.metadata.truncated and not facts else judged(shown, contested),
        text=text,
        digest=sheet.digest,
        facts=len(context.facts),
        conflicts=len(context.conflicts),
        truncated=context.metadata.truncated,
        left_out=context.metadata.left_out,
        degradation=list(context.metadata.degradation),
        citations=[f"knowledge:{ask.scope.slug}/{fact.statement.id}" for fact in context.facts],
        relationships=[relationship_shape(each) for each in context.relationships],
        packet=packet.value,
    )
    counts = context.metadata
    answered = _answered(data, shown, text=text, candidates=counts.candidates, dropped=counts.dropped)
    return Ok(replace(answered, sheet=sheet, unanswered=_unanswered(ask, given, data.abstention)))


def _sheet(ask: Ask, given: RetrieveArguments, context: KnowledgeContext, text: str) -> Sheet:
    return Sheet(
        kind=CONTEXT,
        text=text,
        context=context,
        view_id=context.metadata.view_id,
        admitted_at=now(),
        min_support=ask.floor_of(given.min_support),
        question=context.metadata.query,
        attempt=given.attempt,
        purpose=given.purpose,
        limits={"top_k": given.top_k or ask.limits.top_k, "max_chars": given.max_chars or ask.limits.max_chars},
    )


def _packet(ask: Ask, given: RetrieveArguments) -> Outcome[dict[str, Any] | None]:
    """What is selected for the same question, as references; admitting them is the caller's next step."""
    if not given.with_packet:
        return Ok(None)
    floor = ask.floor_of(given.min_support)
    made = packet_of(
        ask.provider,
        ask.scope,
        given.query,
        allowance=Allowance(),
        top_k=given.top_k or ask.limits.top_k,
        min_support=floor,
        purpose=given.purpose,
        shows=lambda statement: ask.shows(statement, floor),
    )
    return made if isinstance(made, Failed) else Ok(json.loads(packet_to_json(made.value)))


def _unanswered(
    ask: Ask, given: SearchArguments | RetrieveArguments | RecallArguments, told: Abstention | None
) -> Unanswered | None:
    """A gap, where the base as it is now was asked; a past day that says nothing stays so."""
    is_past = given.include_historical or bool(getattr(given, "as_of", ""))
    if told is None or told.code not in GAPS or is_past:
        return None
    return Unanswered(normalise(given.query), ask.floor_of(given.min_support), told.code)


def recall(ask: Ask, given: RecallArguments) -> Outcome[Answered]:
    """Summaries and raw lines carry no support, so that a floor above unverified claims leaves statements alone."""
    floor = ask.floor_of(given.min_support)
    within = ask.within(floor, include_historical=given.include_historical, as_of=given.as_of)
    found = ask.provider.recall(ask.scope, given.query, min_hits=given.min_hits, limit=given.limit, within=within)
    if isinstance(found, Failed):
        return found
    told = found.value
    hits = [hit for hit in told.hits if ask.shows(hit.statement, floor)]
    is_open = floor is Support.UNVERIFIED_CLAIM
    tier = told.tier if hits or (is_open and (told.summaries or told.raw)) else NOTHING
    shown = [hit.statement for hit in hits]
    contested = told_contested(shown)
    data = RecallAnswer(
        admitted_at=now(),
        view_id=told.view_id,
        abstention=_recalled(told, tier, shown, contested),
        tier=tier,
        hits=[_hit(ask, hit, contested) for hit in hits],
        summaries=_summaries(told) if is_open else [],
        raw=_raw(told) if is_open else [],
    )
    answered = _answered(data, shown, candidates=len(told.hits), dropped=len(told.hits) - len(hits))
    return Ok(replace(answered, unanswered=_unanswered(ask, given, data.abstention)))


def _recalled(
    told: RecallResult, tier: str, shown: Sequence[Statement], contested: frozenset[str]
) -> Abstention | None:
    """Words of a source that no statement was made of are no fact."""
    looked = [Looked(what=LOOKED.get(what, what), found=found) for what, found in told.looked]
    if tier in (STATEMENTS, NOTHING):
        return judged(shown, contested, looked)
    return abstention("only_unverified", looked)


def _hit(ask: Ask, hit: Hit, contested: frozenset[str]) -> HitShape:
    statement = statement_shape(hit.statement, ask.scope, contested)
    return HitShape(statement=statement, snippet=hit.snippet, why=hit.why, score=hit.score)


def _summaries(told: RecallResult) -> list[SummaryShape]:
    return [
        SummaryShape(
            source_id=one.source_id,
            path=one.source_path,
            title=one.title,
            sentences=[sentence.text for sentence in one.sentences],
        )
        for one in told.summaries
    ]


def _raw(told: RecallResult) -> list[RawShape]:
    return [
        RawShape(
            source_id=one.source_id,
            path=one.source_path,
            location=one.location,
            lines=[each.text for each in one.lines],
        )
        for one in told.raw
    ]


def _answered(
    data: SearchAnswer | ContextAnswer | RecallAnswer,
    shown: Sequence[Statement],
    *,
    text: str = "",
    candidates: int,
    dropped: int,
) -> Answered:
    served = tuple(dict.fromkeys(statement.id for statement in shown))
    abstained = data.abstention.code if data.abstention else ""
    return Answered(data, served, text, abstained, candidates, dropped)
