"""What of a packet a consumer may be given now: each reference is checked against the live engine, then counted.

Eligibility comes first and is discovered live; only what is eligible is measured against the budgets, as whole units.
A stale reference is never replaced by a newer sentence, and equal text of two sources stays two rows.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from knowledge.contract.model import Allowance, Category, ContractError, Packet, SelectedRow, canonical
from knowledge.contract.tokens import Tokenizer, Utf8Bytes
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider, Reference
from knowledge.records import Statement
from knowledge.scope import KnowledgeScope

UNAVAILABLE = "evidence_unavailable"

type Template = Callable[[str, str, str], str]
"""(system instruction, evidence as JSON, question) to the exact text the consumer gets."""
type Shows = Callable[[Statement], bool]
"""Whether a statement as it is now may be shown to the caller at all."""


def everything(_statement: Statement) -> bool:
    return True


class Status(StrEnum):
    ADMITTED = "admitted"
    PARTIAL = "partial"
    NO_EVIDENCE = "no_evidence"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Budgets:
    """In the tokenizer's units. ``window`` 0 is unknown; else prompt and generation together must fit into it."""

    evidence: int
    prompt: int
    generation: int = 0
    window: int = 0

    @property
    def prompt_limit(self) -> int:
        return min(self.prompt, self.window - self.generation) if self.window else self.prompt


@dataclass(frozen=True, slots=True)
class Excluded:
    """``category`` is for the operator's record; outside, every one but capacity reads ``evidence_unavailable``."""

    row: SelectedRow
    category: Category

    @property
    def public(self) -> str:
        return self.category.value if self.category is Category.CAPACITY else UNAVAILABLE


@dataclass(frozen=True, slots=True)
class AdmittedRow:
    row: SelectedRow
    text: str


@dataclass(frozen=True, slots=True)
class Admission:
    """The record: what entered, what did not and why, and the digest of the exact prompt."""

    status: Status
    execution_id: str
    admitted: tuple[AdmittedRow, ...]
    excluded: tuple[Excluded, ...]
    prompt: str
    prompt_digest: str
    evidence_size: int
    prompt_size: int
    tokenizer: str
    view_id: str
    admitted_at: datetime

    @property
    def citable(self) -> frozenset[str]:
        """Statements an answer to this prompt may cite; anything else was never admitted."""
        return frozenset(admitted.row.statement_id for admitted in self.admitted)


def plain_template(system_instruction: str, evidence: str, query: str) -> str:
    return f"{system_instruction}\n\nEVIDENCE\n{evidence}\n\nQUESTION\n{query}\n"


def admit(
    packet: Packet,
    *,
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    allowance: Allowance,
    budgets: Budgets,
    system_instruction: str,
    tokenizer: Tokenizer | None = None,
    template: Template = plain_template,
    shows: Shows = everything,
) -> Outcome[Admission]:
    """Raises ``ContractError`` for a packet that may not be used at all; a failing engine gives its failure."""
    counter = tokenizer or Utf8Bytes()
    _check(packet, scope, allowance, budgets)
    if counter.count(template(system_instruction, "[]", packet.request.query)) > budgets.prompt_limit:
        raise ContractError(Category.CAPACITY, "The instruction and the question alone do not fit the prompt.")
    live = eligible_rows(provider, scope, packet.execution.selected, allowance, shows)
    if isinstance(live, Failed):
        return live
    eligible, excluded, view_id = live.value
    admitted: list[AdmittedRow] = []
    for row in eligible:
        tried = [*admitted, row]
        evidence = _evidence(tried)
        fits = counter.count(evidence) <= budgets.evidence
        if fits and counter.count(template(system_instruction, evidence, packet.request.query)) <= budgets.prompt_limit:
            admitted = tried
        else:
            excluded.append(Excluded(row.row, Category.CAPACITY))
    evidence = _evidence(admitted)
    prompt = template(system_instruction, evidence, packet.request.query)
    return Ok(
        Admission(
            status=_status(packet, admitted, excluded),
            execution_id=packet.execution_id,
            admitted=tuple(admitted),
            excluded=tuple(excluded),
            prompt=prompt,
            prompt_digest=hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            evidence_size=counter.count(evidence),
            prompt_size=counter.count(prompt),
            tokenizer=counter.name,
            view_id=view_id,
            admitted_at=datetime.now(UTC),
        )
    )


def _check(packet: Packet, scope: KnowledgeScope, allowance: Allowance, budgets: Budgets) -> None:
    asked = packet.request.allowance
    if packet.request.scope != scope.slug:
        raise ContractError(Category.SCOPE_WIDENED, "The packet is of another scope than the caller's.")
    if not Allowance(None if asked is None else frozenset(asked)).within(allowance):
        raise ContractError(Category.SCOPE_WIDENED, "The packet allows sources that the caller does not.")
    if min(budgets.evidence, budgets.prompt_limit) < 1 or budgets.generation < 0:
        raise ContractError(Category.INVALID_INPUT, "A budget leaves no room at all.")
    rows = packet.execution.selected
    if len({(row.statement_id, row.evidence_id) for row in rows}) < len(rows):
        raise ContractError(Category.INVALID_INPUT, "A reference stands twice.")
    if any(row.relationship_path for row in rows):
        raise ContractError(Category.UNSUPPORTED_RELATIONSHIP, "No validator of relationships is at hand.")


def eligible_rows(
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    rows: Sequence[SelectedRow],
    allowance: Allowance,
    shows: Shows = everything,
) -> Outcome[tuple[list[AdmittedRow], list[Excluded], str]]:
    """Rows that stand now with the very text they were selected for. Forbidden ones are asked for like all others."""
    if not rows:
        return Ok(([], [], ""))
    checked = provider.check_references(scope, [_reference(row) for row in rows])
    if isinstance(checked, Failed):
        return checked
    texts = _texts(provider, scope, rows, shows)
    if isinstance(texts, Failed):
        return texts
    eligible: list[AdmittedRow] = []
    excluded: list[Excluded] = []
    for row, told in zip(rows, checked.value.items, strict=True):
        text = texts.value.get((row.statement_id, row.evidence_id))
        if told.is_ok and text is not None and allowance.covers(row.source_id) and _is_of(row, text):
            eligible.append(AdmittedRow(row, text))
        else:
            excluded.append(Excluded(row, Category.UNAVAILABLE_REFERENCE))
    return Ok((eligible, excluded, checked.value.view_id))


def _reference(row: SelectedRow) -> Reference:
    return Reference(
        row.statement_id, row.evidence_id, row.source_id, row.version, row.digest, span=(row.start, row.end)
    )


def _texts(
    provider: KnowledgeProvider, scope: KnowledgeScope, rows: Iterable[SelectedRow], shows: Shows
) -> Outcome[dict[tuple[str, str], str]]:
    ids = list(dict.fromkeys(row.statement_id for row in rows))
    read = provider.statements_by_id(scope, ids)
    if isinstance(read, Failed):
        return read
    shown = [statement for statement in read.value.items if shows(statement)]
    return Ok({(s.id, piece.id): piece.excerpt for s in shown for piece in s.evidence if not piece.missing})


def _is_of(row: SelectedRow, text: str) -> bool:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == row.digest


def _evidence(rows: Sequence[AdmittedRow]) -> str:
    """The evidence as the consumer reads it: canonical JSON, one object a row, in rank order."""
    told = [
        {
            "cite": row.row.statement_id,
            "source": row.row.source_id,
            "version": row.row.version,
            "span": [row.row.start, row.row.end],
            "text": row.text,
        }
        for row in rows
    ]
    return canonical(told).decode()


def _status(packet: Packet, admitted: Sequence[AdmittedRow], excluded: Sequence[Excluded]) -> Status:
    if not packet.execution.selected:
        return Status.NO_EVIDENCE
    if not admitted:
        return Status.REFUSED
    return Status.PARTIAL if excluded else Status.ADMITTED
