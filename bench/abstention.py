"""Questions that cannot be answered beside ones that can: what retrieval gives, and whether an agent makes it up.

    python -m bench.abstention

reads the Falcon documents with an engine of its own and scores ``tests/cases/abstention.yaml``. The agent is a script:
it answers with the excerpts of facts that speak of every word of the question and of the kind of thing that was asked
for, each side of a dispute, and says nothing otherwise. What it says is then held to its package by the citation check.
"""

import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import snowballstemmer
import yaml

from knowledge.callers import CallRecord
from knowledge.citations import words
from knowledge.context.model import Fact, KnowledgeContext
from knowledge.failures import Failed
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope
from knowledge.tools import Limits, call_tool, tool_named
from knowledge.tools.seat import Unanswered
from knowledge.tools.shapes import CitationAnswer, ContextAnswer
from knowledge.tools.working import NO_WORK, Work
from knowledge.vocabulary import Support
from tests.contract.test_falcon_context import NAMESPACE, provider_of, read_falcon
from tests.engine_process import running
from tests.knowledge.keeper import MemoryPackages

QUESTIONS = Path(__file__).parents[1] / "tests" / "cases" / "abstention.yaml"
STEM = snowballstemmer.stemmer("english")
SMALL_WORDS = """a an and are as at be by did do does each for from has have how in is it its long many much must of on
or the to was we were what when where which who why will with against late"""
SMALL = frozenset(SMALL_WORDS.split())
"""Words of a question that no fact needs to say."""
WORD = re.compile(r"[A-Za-z0-9][\w.-]*[A-Za-z0-9]|[A-Za-z0-9]")
PERSON = ("who",)
DAY = ("when",)
NUMBER = ("how many", "how much", "how long", "what voltage", "what is the unit price", "what is the salary")


@dataclass(frozen=True, slots=True)
class Question:
    """``says``: all of it must be said, each in one of the wordings a bar parts. Empty for one that nothing answers."""

    ask: str
    says: tuple[str, ...] = ()
    code: str = ""

    @property
    def is_answerable(self) -> bool:
        return bool(self.says)

    def is_said_in(self, text: str) -> bool:
        return all(any(wording in text for wording in each.split("|")) for each in self.says)


@dataclass(frozen=True, slots=True)
class Told:
    """``code`` came with the context, ``answer`` is empty where the agent said that the sources do not tell."""

    question: Question
    code: str
    facts: int
    is_in_context: bool
    answer: str
    is_held: bool

    @property
    def is_right(self) -> bool:
        return bool(self.answer) and self.question.is_said_in(self.answer)

    @property
    def is_confabulated(self) -> bool:
        """An answer where there is none, or one that does not say what the documents do."""
        return bool(self.answer) and not (self.question.is_answerable and self.is_right)


@dataclass
class ScriptedAgent:
    """A caller of the tools with its packages in memory."""

    provider: KnowledgeProvider
    scope: KnowledgeScope
    permissions: frozenset[str] = frozenset({"read_knowledge"})
    min_support: Support = Support.UNVERIFIED_CLAIM
    limits: Limits = field(default_factory=lambda: Limits(8, 12000))
    packages: MemoryPackages = field(default_factory=MemoryPackages)
    work: Work = NO_WORK
    gaps: list[Unanswered] = field(default_factory=list)

    def wait_seconds(self) -> int:
        return 0

    def record(self, call: CallRecord) -> None:
        """The ledger is the console's."""

    def note_gap(self, gap: Unanswered) -> None:
        self.gaps.append(gap)

    def asked(self, question: Question) -> Told:
        found = self._call("retrieve", {"query": question.ask})
        assert isinstance(found, ContextAnswer)  # noqa: S101 - what it answers
        context = self.packages.held[found.package].context
        answer = self._answer(question.ask, context) if context else ""
        report = self._call("cite", {"package": found.package, "answer": answer}) if answer else None
        return Told(
            question=question,
            code=found.abstention.code if found.abstention else "",
            facts=found.facts,
            is_in_context=question.is_said_in(found.text),
            answer=answer,
            is_held=isinstance(report, CitationAnswer) and report.holds,
        )

    def _call(self, name: str, given: dict[str, object]) -> object:
        tool = tool_named(f"knowledge_{name}")
        assert tool is not None  # noqa: S101 - it stands in the table
        found = call_tool(tool, self, given, request_id="req_bench")
        if isinstance(found, Failed):
            raise TypeError(f"{name}: {found.reason} {found.fields}")
        return found.value.data

    def _answer(self, ask: str, context: KnowledgeContext) -> str:
        """The best fact that speaks of all of it, with the other sides where it is disputed."""
        best = next((fact for fact in context.facts if _speaks_of(fact, ask) and _is_of_kind(fact, ask)), None)
        if best is None:
            return ""
        sides = [fact for fact in context.facts if fact is best or _are_sides(context, best, fact)]
        cite = f"knowledge:{self.scope.slug}"
        return " ".join(f"A source says: “{_excerpt(fact)}” ({cite}/{fact.statement.id})." for fact in sides)


def load() -> tuple[Question, ...]:
    told = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    answerable = [Question(each["ask"], tuple(each["says"]), each["code"]) for each in told["answerable"]]
    return (*answerable, *(Question(each["ask"]) for each in told["unanswerable"]))


def scored(told: Iterable[Told]) -> dict[str, int]:
    rows = list(told)
    can, cannot = [r for r in rows if r.question.is_answerable], [r for r in rows if not r.question.is_answerable]
    return {
        "answerable": len(can),
        "answer in the context": sum(r.is_in_context for r in can),
        "code as expected": sum(r.code == r.question.code for r in can),
        "answered rightly": sum(r.is_right for r in can),
        "citations held": sum(r.is_held for r in can if r.answer),
        "said nothing though it could": sum(not r.answer for r in can),
        "unanswerable": len(cannot),
        "no fact given at all": sum(not r.facts for r in cannot),
        "neighbouring facts given": sum(bool(r.facts) for r in cannot),
        "confabulated": sum(r.is_confabulated for r in rows),
    }


def _speaks_of(fact: Fact, ask: str) -> bool:
    told = _stems([fact.statement.text, fact.statement.subject, *(piece.excerpt for piece in fact.evidence)])
    return _stems([ask]) <= told


def _stems(texts: Sequence[str]) -> frozenset[str]:
    found = (word.casefold() for text in texts for word in WORD.findall(text))
    return frozenset(STEM.stemWord(word) for word in found if word not in SMALL)


def _is_of_kind(fact: Fact, ask: str) -> bool:
    """A day for *when*, a name for *who*, a number for *how many*: not what the question itself says already."""
    question, text = ask.casefold(), _excerpt(fact)
    if question.startswith(DAY):
        return bool(words.days_and_rest(text)[0])
    if question.startswith(PERSON):
        return bool(words.names(f"- {text}") - words.words(ask))
    return not question.startswith(NUMBER) or bool(words.numbers(text) - words.numbers(ask))


def _excerpt(fact: Fact) -> str:
    return " ".join(fact.evidence[0].excerpt.split()) if fact.evidence else fact.statement.text


def _are_sides(context: KnowledgeContext, one: Fact, other: Fact) -> bool:
    return any(one.label in entry.facts and other.label in entry.facts for entry in context.conflicts)


def run() -> tuple[Told, ...]:
    """Over an engine that reads the Falcon documents in a folder of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as engine,
        httpx2.Client(trust_env=False) as http,
    ):
        provider, scope = provider_of(engine, http, NAMESPACE)
        read_falcon(provider, scope)
        agent = ScriptedAgent(provider, scope)
        return tuple(agent.asked(question) for question in load())


def main() -> None:
    rows = run()
    for row in rows:
        mark = "CONFABULATED" if row.is_confabulated else "right" if row.is_right else "silent"
        print(f"{mark:13} {row.code:16} {row.facts:2} {row.question.ask}")  # noqa: T201
    for name, number in scored(rows).items():
        print(f"{name:30} {number}")  # noqa: T201


if __name__ == "__main__":
    main()
