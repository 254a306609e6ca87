"""A packet as values. Its ids are digests over canonical JSON: they detect a change and give no authority."""

import hashlib
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import rfc8785
from pydantic import ConfigDict, with_config

SCHEMA = "retrieval-contract-v1"
EXACT = ConfigDict(extra="forbid", allow_inf_nan=False)
"""How these are read from outside: no field is skipped, no number is without end."""


class Category(StrEnum):
    """What went wrong, for diagnosis. A caller outside hears of the evidence ones as one: unavailable."""

    INVALID_INPUT = "invalid_input"
    UNSUPPORTED_SCHEMA = "unsupported_schema"
    SCOPE_WIDENED = "scope_widened"
    UNAVAILABLE_REFERENCE = "unavailable_reference"
    UNSUPPORTED_RELATIONSHIP = "unsupported_relationship"
    CAPACITY = "capacity"


class ContractError(Exception):
    """The packet or what was asked of it cannot be used at all; nothing of it entered anything."""

    def __init__(self, category: Category, reason: str) -> None:
        super().__init__(reason)
        self.category = category


@dataclass(frozen=True, slots=True)
class Allowance:
    """Sources the caller may be given evidence of, by id; None for every source of its scope."""

    sources: frozenset[str] | None = None

    def covers(self, source_id: str) -> bool:
        return self.sources is None or source_id in self.sources

    def within(self, wider: "Allowance") -> bool:
        if wider.sources is None:
            return True
        return self.sources is not None and self.sources <= wider.sources


@with_config(EXACT)
@dataclass(frozen=True, slots=True)
class RankOrigin:
    """Scores of different methods do not compare."""

    route: str
    method: str
    rank: int
    score: float


@with_config(EXACT)
@dataclass(frozen=True, slots=True)
class SelectedRow:
    """One place in one version of one source. ``digest`` is that of the excerpt, the span code points into its text."""

    statement_id: str
    evidence_id: str
    source_id: str
    document_id: str
    version: str
    representation: str
    segmentation: str
    passage_id: str
    digest: str
    start: int
    end: int
    origins: tuple[RankOrigin, ...]
    relationship_path: tuple[str, ...] = ()


@with_config(EXACT)
@dataclass(frozen=True, slots=True)
class Request:
    """``query`` as it was asked; ``workload`` and ``purpose`` as the caller's token or mission says."""

    query: str
    scope: str
    view_id: str
    allowance: tuple[str, ...] | None
    top_k: int
    workload: str
    purpose: str

    @property
    def query_id(self) -> str:
        return digest_of({"query": self.query})

    @property
    def request_id(self) -> str:
        """Binds the question, the view and the allowance."""
        return digest_of(asdict(self))


@with_config(EXACT)
@dataclass(frozen=True, slots=True)
class Execution:
    strategy: str
    index_version: str
    selected: tuple[SelectedRow, ...]
    stop_reason: str
    limitations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packet:
    request: Request
    execution: Execution

    @property
    def execution_id(self) -> str:
        """Binds what was selected, how, and the request it was selected for."""
        return digest_of({"request_id": self.request.request_id, **asdict(self.execution)})


def canonical(value: Any) -> bytes:
    """RFC 8785: the same bytes for equal values."""
    return rfc8785.dumps(_plain(value))


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
