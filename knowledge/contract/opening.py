"""Opening one reference: its exact span now, or one answer for everything that stands in the way."""

from dataclasses import dataclass

from knowledge.contract.admission import UNAVAILABLE, Shows, eligible_rows, everything
from knowledge.contract.model import Allowance, Category, ContractError, SelectedRow
from knowledge.contract.tokens import Tokenizer, Utf8Bytes
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope


@dataclass(frozen=True, slots=True)
class Opened:
    """``text`` is the span's own; ``parent`` the whole passage around it, empty when that was not asked for."""

    text: str
    parent: str
    view_id: str


def open_reference(
    row: SelectedRow,
    *,
    provider: KnowledgeProvider,
    scope: KnowledgeScope,
    allowance: Allowance,
    parent_budget: int = 0,
    tokenizer: Tokenizer | None = None,
    shows: Shows = everything,
) -> Outcome[Opened]:
    """``parent_budget`` above 0 asks for the passage too, in the tokenizer's units; one that does not fit raises.

    Changed, missing, restricted and forged references are one *not found*.
    """
    if row.relationship_path:
        raise ContractError(Category.UNSUPPORTED_RELATIONSHIP, "No validator of relationships is at hand.")
    live = eligible_rows(provider, scope, [row], allowance, shows)
    if isinstance(live, Failed):
        return live
    rows, _, view_id = live.value
    if not rows:
        return Failed(Failure.NOT_FOUND, UNAVAILABLE)
    if parent_budget <= 0:
        return Ok(Opened(rows[0].text, "", view_id))
    stored = provider.source_text(scope, row.source_id)
    if isinstance(stored, Failed):
        return Failed(Failure.NOT_FOUND, UNAVAILABLE) if stored.failure is Failure.NOT_FOUND else stored
    around = [block for block in stored.value.blocks if block.start <= row.start and row.end <= block.end]
    parent = stored.value.text[around[0].start : around[0].end] if around else rows[0].text
    if (tokenizer or Utf8Bytes()).count(parent) > parent_budget:
        raise ContractError(Category.CAPACITY, "The passage around it does not fit; it is never cut.")
    return Ok(Opened(rows[0].text, parent, view_id))
