"""The words of the product. A value this build does not know maps to *unknown*, never to a plausible one."""

from enum import StrEnum


class Support(StrEnum):
    """How a statement stands, carried from the engine and never upgraded."""

    DIRECT_FACT = "direct_fact"
    SUPPORTED_INFERENCE = "supported_inference"
    UNCERTAIN_INFERENCE = "uncertain_inference"
    UNVERIFIED_CLAIM = "unverified_claim"
    UNKNOWN = "unknown"

    @classmethod
    def read(cls, value: object) -> "Support":
        return _read(cls, value, cls.UNKNOWN)

    @property
    def label(self) -> str:
        """The label of the rendered context, e.g. ``DIRECT FACT``."""
        return "UNKNOWN SUPPORT" if self is Support.UNKNOWN else self.value.replace("_", " ").upper()

    @property
    def rank(self) -> int:
        """0 is the strongest; unknown ranks last."""
        return _RANKS[self]


_RANKS = {support: rank for rank, support in enumerate(Support)}


class Status(StrEnum):
    """What became of a statement."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DISPUTED = "disputed"
    UNRESOLVED = "unresolved"
    STALE = "stale"
    ARCHIVED = "archived"
    WITHHELD = "withheld"
    UNKNOWN = "unknown"

    @classmethod
    def read(cls, value: object) -> "Status":
        return _read(cls, value, cls.UNKNOWN)


class Band(StrEnum):
    """Confidentiality: ``tenant`` identifies a customer. An unknown band is tenant."""

    TENANT = "tenant"
    GENERAL = "general"

    @classmethod
    def read(cls, value: object) -> "Band":
        return _read(cls, value, cls.TENANT)


class ConflictStatus(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"
    MOOT = "moot"
    UNKNOWN = "unknown"

    @classmethod
    def read(cls, value: object) -> "ConflictStatus":
        return _read(cls, value, cls.UNKNOWN)


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"

    @classmethod
    def read(cls, value: object) -> "JobStatus":
        return _read(cls, value, cls.UNKNOWN)

    @property
    def ended(self) -> bool:
        return self in (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED)


def _read[E: StrEnum](kind: type[E], value: object, unknown: E) -> E:
    try:
        return kind(str(value))
    except ValueError:
        return unknown
