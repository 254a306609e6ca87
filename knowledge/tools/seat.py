"""Who asks and with what: the caller's scope, floor and limits, put together once for one call."""

from dataclasses import dataclass
from typing import Protocol

from knowledge.callers import Caller
from knowledge.context.select import may_show
from knowledge.provider import KnowledgeProvider, Within
from knowledge.records import Statement
from knowledge.scope import KnowledgeScope
from knowledge.tools.keeping import Packages, Sheet
from knowledge.tools.shapes import Shape
from knowledge.tools.working import NO_WORK, Work
from knowledge.vocabulary import Support


@dataclass(frozen=True, slots=True)
class Limits:
    """The most facts and characters of a context; a request may ask for fewer. ``tokenizer`` is a setting's name."""

    top_k: int
    max_chars: int
    tokenizer: str = ""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """``code`` is no_match or only_unverified; ``floor`` the weakest support that was asked for."""

    question: str
    floor: Support
    code: str


class AgentCaller(Caller, Protocol):
    """A caller with the provider its calls go to."""

    @property
    def provider(self) -> KnowledgeProvider: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def packages(self) -> Packages: ...

    @property
    def work(self) -> Work: ...

    def note_gap(self, gap: Unanswered) -> None:
        """A question that the base does not answer, for the people who can do something about it."""
        ...


@dataclass(frozen=True, slots=True)
class Ask:
    """One call on its way: what may be read, and from whom."""

    provider: KnowledgeProvider
    scope: KnowledgeScope
    floor: Support
    limits: Limits
    packages: Packages
    work: Work = NO_WORK

    def floor_of(self, asked: str) -> Support:
        """The stronger of the token's floor and the one asked for: a request raises it, never lowers it."""
        return min(self.floor, Support(asked), key=lambda support: support.rank) if asked else self.floor

    def shows(self, statement: Statement, floor: Support) -> bool:
        return may_show(statement, self.scope, floor)

    def within(self, floor: Support, *, include_historical: bool, as_of: str) -> Within:
        return Within(include_historical=include_historical, min_support=floor.value, as_of=as_of)


@dataclass(frozen=True, slots=True)
class Answered:
    """``data`` goes to the agent; ``text`` in its place where words are wanted; the rest is the operator's.

    ``sheet`` is frozen before anything leaves; its receipt then stands in ``data``.
    """

    data: Shape
    served: tuple[str, ...] = ()
    text: str = ""
    abstained: str = ""
    candidates: int = 0
    dropped: int = 0
    sheet: Sheet | None = None
    unanswered: Unanswered | None = None
    package: str = ""
