"""The contract as tools: one reference opened, and a packet admitted, both against the engine as it stands now."""

import json

from knowledge.context.model import ConflictEntry, Fact, KnowledgeContext, Metadata, RelatedEntity, SourceName
from knowledge.context.whole import Whole, read_whole
from knowledge.contract import (
    Admission,
    Allowance,
    Budgets,
    ContractError,
    Packet,
    SelectedRow,
    Status,
    TokenizerUnavailableError,
    admit,
    envelope,
    open_reference,
    packet_from_json,
    tokenizer_named,
)
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.records import Statement
from knowledge.tools.abstaining import abstention, judged
from knowledge.tools.arguments import AdmitArguments, OpenArguments
from knowledge.tools.keeping import ADMISSION, Sheet
from knowledge.tools.opening import own_id
from knowledge.tools.packaging import NOT_GROUNDED
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.shapes import AdmissionAnswer, LeftOut, Looked, OpenAnswer
from knowledge.tools.standing import NOBODY
from knowledge.tools.telling import contested_in, now, told_contested
from knowledge.vocabulary import Support

EVERY_SOURCE = Allowance()
"""A token reads every source its scope shows; a packet may name fewer and never more."""
HIDDEN = Failed(Failure.EVIDENCE_UNAVAILABLE, "Changed, missing, restricted, stale or forged; a caller cannot tell.")


def open_span(ask: Ask, given: OpenArguments) -> Outcome[Answered]:
    held = given.reference
    if given.expand and ask.floor is not Support.UNVERIFIED_CLAIM:
        return _wrong("expand", "This token reads statements alone: what stands around them has no support.")
    row = SelectedRow(
        statement_id=own_id(ask, held.statement) or NOBODY,
        evidence_id=held.evidence_id,
        source_id=held.source_id,
        document_id="",
        version=held.version,
        representation="",
        segmentation="",
        passage_id="",
        digest=held.excerpt_hash,
        start=held.start,
        end=held.end,
        origins=(),
    )
    try:
        opened = open_reference(
            row,
            provider=ask.provider,
            scope=ask.scope,
            allowance=EVERY_SOURCE,
            parent_budget=given.max_bytes if given.expand else 0,
            shows=lambda statement: ask.shows(statement, ask.floor),
        )
    except ContractError as error:
        return _wrong("max_bytes", str(error))
    if isinstance(opened, Failed):
        return HIDDEN if opened.failure is Failure.NOT_FOUND else opened
    data = OpenAnswer(
        admitted_at=now(),
        view_id=opened.value.view_id,
        abstention=None,
        statement_id=row.statement_id,
        text=opened.value.text,
        parent=opened.value.parent,
    )
    return Ok(Answered(data, (row.statement_id,)))


def admit_packet(ask: Ask, given: AdmitArguments) -> Outcome[Answered]:
    """Eligibility is found out live; only then are whole rows counted into the budgets."""
    try:
        packet = packet_from_json(json.dumps(given.packet).encode())
        admitted = admit(
            packet,
            provider=ask.provider,
            scope=ask.scope,
            allowance=EVERY_SOURCE,
            budgets=Budgets(given.evidence_budget, given.prompt_budget, given.generation_budget, given.window),
            system_instruction=given.system_instruction,
            tokenizer=tokenizer_named(ask.limits.tokenizer),
            shows=lambda statement: ask.shows(statement, ask.floor),
        )
    except TokenizerUnavailableError as error:
        return Failed(Failure.UNAVAILABLE, str(error))
    except (ContractError, ValueError, RecursionError) as error:
        return _wrong("packet", str(error) if isinstance(error, ContractError) else "is not one of the contract")
    if isinstance(admitted, Failed):
        return admitted
    whole = _read(ask, admitted.value)
    if isinstance(whole, Failed):
        return whole
    return Ok(_answered(ask, given, packet, admitted.value, whole.value))


def _read(ask: Ask, admission: Admission) -> Outcome[Whole]:
    ids = sorted(admission.citable)
    page = ask.provider.statements_by_id(ask.scope, ids or [NOBODY])
    if isinstance(page, Failed):
        return page
    return read_whole(ask.provider, ask.scope, [each for each in page.value.items if each.id in admission.citable])


def _sheet(ask: Ask, given: AdmitArguments, packet: Packet, admission: Admission, context: KnowledgeContext) -> Sheet:
    """What is frozen of an admission; a refused one has no prompt."""
    return Sheet(
        kind=ADMISSION,
        status=admission.status.value,
        text="" if admission.status is Status.REFUSED else admission.prompt,
        context=context,
        view_id=admission.view_id,
        admitted_at=now(),
        min_support=ask.floor,
        question=packet.request.query,
        attempt=given.attempt,
        purpose=packet.request.purpose,
        execution_id=packet.execution_id,
        limits={
            "tokenizer": admission.tokenizer,
            "evidence_budget": given.evidence_budget,
            "prompt_budget": given.prompt_budget,
            "generation_budget": given.generation_budget,
            "window": given.window,
            "top_k": packet.request.top_k,
        },
    )


def _answered(ask: Ask, given: AdmitArguments, packet: Packet, admission: Admission, whole: Whole) -> Answered:
    context = context_of(ask, packet, admission, whole)
    shown = [fact.statement for fact in context.facts]
    contested = contested_in(whole) | told_contested(shown)
    is_empty = admission.status is Status.NO_EVIDENCE
    found = abstention("no_match", [Looked(what="statements", found=0)]) if is_empty else None
    found = judged(shown, contested) if shown else found
    sheet = _sheet(ask, given, packet, admission, context)
    data = AdmissionAnswer(
        admitted_at=sheet.admitted_at,
        view_id=admission.view_id,
        abstention=found,
        package="",
        manifest_digest="",
        status=admission.status.value,
        grounding="" if admission.admitted or not is_empty else NOT_GROUNDED,
        prompt=sheet.text,
        prompt_digest=sheet.digest,
        tokenizer=admission.tokenizer,
        evidence_size=admission.evidence_size,
        prompt_size=admission.prompt_size,
        citations=[f"knowledge:{ask.scope.slug}/{each.id}" for each in shown],
        left_out=[LeftOut(statement_id=each.row.statement_id, why=each.public) for each in admission.excluded],
        envelope=json.loads(envelope(packet, admission, collection=ask.scope.slug)),
    )
    served = tuple(statement.id for statement in shown)
    excluded = len(admission.excluded)
    return Answered(
        data,
        served,
        sheet.text,
        found.code if found else "",
        candidates=len(packet.execution.selected),
        dropped=excluded,
        sheet=sheet,
    )


def context_of(ask: Ask, packet: Packet, admission: Admission, whole: Whole) -> KnowledgeContext:
    """What was admitted, as the context an answer to it is held to: its facts with the admitted excerpts alone."""
    places = {(each.row.statement_id, each.row.evidence_id) for each in admission.admitted}
    ids = list(dict.fromkeys(each.row.statement_id for each in admission.admitted))
    held = [whole.statements[key] for key in ids if key in whole.statements]
    contested = contested_in(whole)
    facts = tuple(_fact(number, each, places, contested) for number, each in enumerate(held, 1))
    labels = {fact.statement.id: fact.label for fact in facts}
    conflicts = tuple(
        ConflictEntry(
            number,
            conflict,
            tuple(labels[key] for key in conflict.statement_ids if key in labels),
            unshown=sum(key not in labels for key in conflict.statement_ids),
        )
        for number, conflict in enumerate(whole.conflicts, 1)
    )
    evidence = tuple(piece for fact in facts for piece in fact.evidence)
    entities = {ref.id: RelatedEntity(ref.id, ref.name, ref.type, ()) for each in held for ref in each.entities}
    sources = {piece.source_id: SourceName(piece.source_id, piece.source_name) for piece in evidence}
    metadata = Metadata(
        query=packet.request.query,
        scope=ask.scope,
        backend="",
        strategy=packet.execution.strategy,
        tier="statements" if facts else "nothing",
        view_id=admission.view_id,
        candidates=len(packet.execution.selected),
        dropped=len(admission.excluded),
        left_out=0,
        conflicts_left_out=0,
        as_of="",
        degradation=(),
        elapsed_ms=0,
    )
    return KnowledgeContext(facts, evidence, tuple(entities.values()), (), conflicts, tuple(sources.values()), metadata)


def _fact(number: int, each: Statement, places: set[tuple[str, str]], contested: frozenset[str]) -> Fact:
    evidence = tuple(piece for piece in each.evidence if (each.id, piece.id) in places)
    return Fact(number, each, evidence, not evidence, each.id in contested)


def _wrong(field: str, message: str) -> Failed:
    return Failed(Failure.INVALID, "The arguments cannot be used.", fields=((field, message),))
