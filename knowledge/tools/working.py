"""What a caller works on: missions it claims, and rulings it proposes. Who keeps them is the caller's affair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from knowledge.citations import Report
from knowledge.failures import Failed, Failure, Ok, Outcome


@dataclass(frozen=True, slots=True)
class Amount:
    """Calls, statements handed out, and bytes of answers as JSON, the receipt of a package aside."""

    calls: int
    facts: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Task:
    """A mission as an agent is told of it. ``documents`` are paths; ``action`` is answer or study."""

    id: str
    title: str
    action: str
    questions: tuple[str, ...]
    documents: tuple[str, ...]
    state: str
    budget: Amount
    spent: Amount
    tries_left: int


@dataclass(frozen=True, slots=True)
class Lease:
    """``fence`` grows with each claim: only who holds the latest may hand in. ``until`` is RFC 3339, UTC."""

    task: Task
    fence: int
    until: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Handed:
    """A result. ``outcome`` is done or failed; ``report`` is None where there was nothing to hold it to."""

    mission: str
    fence: int
    outcome: str
    result: str
    packages: tuple[str, ...]
    report: Report | None


@dataclass(frozen=True, slots=True)
class Proposed:
    """A ruling somebody should consider. ``digest`` is of the conflict as it was read; ``side_id`` of it, or empty."""

    conflict_id: str
    digest: str
    ruling: str
    side_id: str
    told_apart_by: str
    told_apart: str
    reason: str
    package: str


@dataclass(frozen=True, slots=True)
class Filed:
    """``state`` is open, applying, applied, declined or overtaken; ``is_new``: it was not filed before."""

    id: str
    state: str
    ruling: str
    is_new: bool


class Work(Protocol):
    """One caller's own; what is foreign to it is as good as unknown."""

    def charge_call(self) -> str | Failed:
        """The mission that pays for this call, empty when none is worked on; a refusal when it is spent."""
        ...

    def charge_answer(self, mission: str, *, facts: int, size: int) -> Failed | None:
        """Charges all of an answer, or refuses and charges nothing of it."""
        ...

    def claimable(self) -> Sequence[Task]: ...

    def claim(self, mission: str, worker: str) -> Outcome[Lease | None]:
        """The oldest one where ``mission`` is empty; None when there is none."""
        ...

    def renew(self, mission: str, fence: int) -> Outcome[Lease]: ...

    def finish(self, handed: Handed) -> Outcome[str]:
        """The state the mission is in then; the same handed in twice is one."""
        ...

    def proposed(self, conflict_id: str, digest: str) -> Filed | None:
        """What was filed before on the conflict as it was read."""
        ...

    def propose(self, proposed: Proposed) -> Outcome[Filed]: ...


class NoWork:
    """For who reads and does nothing else, a person on a page for one."""

    def charge_call(self) -> str | Failed:
        return ""

    def charge_answer(self, mission: str, *, facts: int, size: int) -> Failed | None:
        return None

    def claimable(self) -> Sequence[Task]:
        return ()

    def claim(self, mission: str, worker: str) -> Outcome[Lease | None]:
        return REFUSED if mission else Ok(None)

    def renew(self, mission: str, fence: int) -> Outcome[Lease]:
        return REFUSED

    def finish(self, handed: Handed) -> Outcome[str]:
        return REFUSED

    def proposed(self, conflict_id: str, digest: str) -> Filed | None:
        return None

    def propose(self, proposed: Proposed) -> Outcome[Filed]:
        return REFUSED


REFUSED = Failed(Failure.NOT_FOUND, "The mission is unknown, foreign or hidden; a caller cannot tell which.")
NO_WORK = NoWork()
