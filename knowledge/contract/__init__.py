"""``retrieval-contract-v1``: what was asked, what was selected for it, and what of that a consumer may be given now."""

from knowledge.contract.admission import UNAVAILABLE, Admission, Budgets, Excluded, Status, admit
from knowledge.contract.delivery import CAPSTONE, Consumed, ConsumerOutcome, envelope, outcome_of
from knowledge.contract.model import (
    SCHEMA,
    Allowance,
    Category,
    ContractError,
    Execution,
    Packet,
    RankOrigin,
    Request,
    SelectedRow,
    canonical,
    digest_of,
)
from knowledge.contract.opening import Opened, open_reference
from knowledge.contract.packet import packet_of
from knowledge.contract.tokens import Tokenizer, TokenizerUnavailableError, Utf8Bytes, tokenizer_named
from knowledge.contract.wire import packet_from_json, packet_to_json

__all__ = [
    "CAPSTONE",
    "SCHEMA",
    "UNAVAILABLE",
    "Admission",
    "Allowance",
    "Budgets",
    "Category",
    "Consumed",
    "ConsumerOutcome",
    "ContractError",
    "Excluded",
    "Execution",
    "Opened",
    "Packet",
    "RankOrigin",
    "Request",
    "SelectedRow",
    "Status",
    "Tokenizer",
    "TokenizerUnavailableError",
    "Utf8Bytes",
    "admit",
    "canonical",
    "digest_of",
    "envelope",
    "open_reference",
    "outcome_of",
    "packet_from_json",
    "packet_of",
    "packet_to_json",
    "tokenizer_named",
]
