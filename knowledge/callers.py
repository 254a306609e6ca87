"""Who asks: the one seam through which the capability learns what a caller may read and tells what it did."""

from dataclasses import dataclass
from typing import Protocol

from knowledge.failures import Failure
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.vocabulary import Support


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call, refused or not, for the operator. The query itself stays out: only its digest is kept.

    ``abstained`` is the code of an answer that told why it could not be a good one, empty otherwise; ``package`` the
    frozen package the answer was kept as, empty where none is.
    """

    tool: str
    query_digest: str
    served_ids: tuple[str, ...]
    failure: Failure | None
    elapsed_ms: int
    request_id: str
    candidates: int = 0
    dropped: int = 0
    abstained: str = ""
    package: str = ""


class Caller(Protocol):
    """An agent's token, a person's session or a command; the caller never chooses its own scope."""

    @property
    def scope(self) -> KnowledgeScope | Unresolved: ...

    @property
    def permissions(self) -> frozenset[str]: ...

    @property
    def min_support(self) -> Support:
        """The floor of the caller's token; a request may raise it, never lower it."""
        ...

    def wait_seconds(self) -> int:
        """Counts a call; 0 when it may go on, else how many seconds until the caller may ask again."""
        ...

    def record(self, call: CallRecord) -> None: ...
