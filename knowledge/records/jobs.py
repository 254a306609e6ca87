"""Work in the engine, and what it leaves to be taken away."""

from dataclasses import dataclass
from datetime import datetime

from knowledge.records.sources import Warning
from knowledge.vocabulary import JobStatus


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the eleven persisted stages; ``status`` is waiting, running, done, skipped or failed."""

    name: str
    status: str
    total: int
    processed: int
    failed: int
    skipped: int
    warnings: tuple[Warning, ...]


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    base_id: str
    kind: str
    status: JobStatus
    queued_behind: str | None
    current_stage: str
    progress: float
    cancel_requested: bool
    error_code: str
    error_message: str
    error_stage: str
    stages: tuple[Stage, ...]
    attempts: int
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    is_stalled: bool = False
    last_progress_at: datetime | None = None

    @property
    def unread(self) -> int:
        """Documents that ended unread: the stage at which one fails and those behind it count it."""
        return max((stage.failed for stage in self.stages), default=0)
