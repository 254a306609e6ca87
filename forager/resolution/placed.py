"""A claim with where it stands: what the conflict pass sees of the base."""

from dataclasses import dataclass

from forager.extraction.model import Claim


@dataclass(frozen=True, slots=True)
class Origin:
    """The source a claim stands in. ``origin`` is shared by copies and forwards; ``date`` is ISO or empty."""

    source_id: str
    document_id: str
    origin_id: str
    path: str
    date: str
    authoritative: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """``key`` is the attribute key with its subject resolved over the base; empty when the claim has no frame."""

    item_id: str
    excerpt_hash: str
    span: tuple[int, int]
    statement: str
    subject_origin: str
    key: str
    claim: Claim
    origin: Origin
