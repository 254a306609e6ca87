"""Tools over packages: frozen, read again, re-checked, held to citations; packets admitted and references opened."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from knowledge.contract import Consumed
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import Reference
from knowledge.records import Block, CheckedReference, CheckedReferences, Source, SourceText, Standing, Statement
from knowledge.scope import KnowledgeScope
from knowledge.tools import call_tool
from knowledge.tools.keeping import Overturned
from knowledge.tools.seat import Ask
from knowledge.tools.shapes import (
    CheckAnswer,
    CitationAnswer,
    ContextAnswer,
    CorrectionsAnswer,
    OutcomeAnswer,
    PackageAnswer,
)
from knowledge.tools.standing import reference_of, standing_of, still_readable, verdicts
from knowledge.vocabulary import Status, Support
from tests.knowledge.keeper import MemoryPackages
from tests.knowledge.shelf import SCOPE, Shelf, evidence, falcon_launch, statement
from tests.knowledge.test_tools import Agent, answered, refused, tool

UNKNOWN = f"pkg_{99:032x}"
FOREIGN = f"pkg_{77:032x}"


@dataclass
class Live(Shelf):
    """A shelf whose references stand unless they are ``gone``, and whose sources may be ``lost``."""

    gone: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def check_references(  # type: ignore[override]
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        self.calls.append("check")
        held = {s.id: s for s in self.statements_held}
        items = [CheckedReference(r.statement_id, self._stands(r, held, past=include_historical)) for r in references]
        return Ok(CheckedReferences(tuple(items), "1:1"))

    def standing(self, scope: KnowledgeScope, references: Sequence[Reference]) -> Outcome[Standing]:  # type: ignore[override]
        held = {s.id: s for s in self.statements_held}
        named = [held[key] for key in dict.fromkeys(r.statement_id for r in references) if key in held]
        items = tuple(CheckedReference(r.statement_id, self._stands(r, held, past=True)) for r in references)
        later = tuple(held[s.superseded_by] for s in named if s.superseded_by in held)
        known = {r.source_id for r in references if r.source_id and r.source_id not in self.lost}
        sources = tuple(cast("Source", SimpleNamespace(id=each, state="active")) for each in sorted(known))
        return Ok(Standing(items, tuple(named), later, sources, "1:1"))

    def _stands(self, one: Reference, held: dict[str, Statement], *, past: bool) -> bool:
        found = held.get(one.statement_id)
        if found is None or one.statement_id in self.gone or (found.status is Status.SUPERSEDED and not past):
            return False
        if not one.evidence_id:
            return True
        named = (one.evidence_id, one.source_id, one.excerpt_hash)
        return any(
            named == (e.id, e.source_id, e.excerpt_hash) and one.span == (e.start, e.end) for e in found.evidence
        )

    def source(self, scope: KnowledgeScope, source_id: str) -> Outcome[Source]:  # type: ignore[override]
        self.calls.append("source")
        return Failed(Failure.NOT_FOUND, "") if source_id in self.lost else Failed(Failure.TIMEOUT, "")

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:  # type: ignore[override]
        text = next(e.excerpt for s in self.statements_held for e in s.evidence if e.source_id == source_id)
        return Ok(SourceText(source_id, f"{text} And more.", "", (Block(0, len(text) + 10, "paragraph", ""),), ()))


def test_one_read_says_what_the_single_ones_say() -> None:
    """Of every state a quoted statement may be in by now, and of a package with and without its text."""
    provider = live()
    who = agent(provider)
    kept = who.packages.find(served(who).package)
    ask = Ask(provider, SCOPE, Support.UNVERIFIED_CLAIM, who.limits, who.packages)
    assert kept is not None
    references = [reference_of(each) for each in kept.quoted]
    first, *others = provider.statements_held
    later = replace(others[0], id="ki_later")
    gone = {key for each in references for key in (each.statement_id,)}
    states = [{"status": status} for status in (Status.ACTIVE, Status.DISPUTED, Status.STALE, Status.ARCHIVED)]
    told = set()
    for changed in (*states, {"status": Status.SUPERSEDED, "superseded_by": "ki_later"}, {"status": Status.SUPERSEDED}):
        provider.statements_held = [replace(first, **changed), *others, later]  # type: ignore[arg-type]
        for provider.gone in (set(), {first.id}, gone):
            for package in (kept, replace(kept, text=None)):
                single = still_readable(provider, SCOPE, who.packages, package), verdicts(ask, references)
                one = standing_of(ask, package, references)
                assert isinstance(single[0], Ok)
                assert isinstance(single[1], Ok)
                assert one == Ok((single[0].value, single[1].value[0]))
                told.add(one.value)
    assert len(told) > 6
    assert not who.packages.purged
    provider.statements_held, provider.gone, provider.lost = [first, *others], gone, {"src_2"}
    assert isinstance(standing_of(ask, kept, references), Ok)
    assert who.packages.purged == [(kept.id, "source src_2 is gone")]


def live() -> Live:
    shelf = falcon_launch()
    return Live(shelf.statements_held, shelf.ranked, shelf.conflicts_held, shelf.entities_held)


def agent(provider: Shelf | None = None, **more: Any) -> Agent:
    return Agent(provider or live(), packages=MemoryPackages(), **more)


def served(who: Agent, **more: object) -> ContextAnswer:
    data = answered(who, "retrieve", {"query": "launch date", **more}).data
    assert isinstance(data, ContextAnswer)
    return data


def test_what_is_retrieved_is_frozen_byte_for_byte() -> None:
    who = agent()
    data = served(who, attempt="attempt-7", purpose="a report")
    kept = who.packages.held[data.package]
    assert kept.text == data.text
    assert kept.digest == data.digest == hashlib.sha256(data.text.encode()).hexdigest()
    assert data.admitted_at == kept.manifest["admitted_at"]
    assert (kept.manifest["attempt"], kept.manifest["purpose"], kept.manifest["request_id"]) == (
        "attempt-7",
        "a report",
        "req_1",
    )
    told = kept.manifest["statements"]
    assert isinstance(told, list)
    assert {each["statement_id"] for each in told} == {"ki_1a", "ki_2b"}
    assert all(each["excerpt_hash"] for each in told)
    assert "launch" not in json.dumps(kept.manifest)
    assert who.calls[0].package == data.package


def test_the_same_question_of_the_same_attempt_is_frozen_twice() -> None:
    who = agent()
    first, second = served(who, attempt="a"), served(who, attempt="a")
    assert first.package != second.package
    assert first.text == second.text
    assert len(who.packages.held) == 2


def test_nothing_is_frozen_of_a_call_that_ends_in_another_base() -> None:
    who = agent()
    who.scopes = [who.scopes[0], replace(who.scopes[0], base_id="proj_other")]  # type: ignore[type-var]
    assert refused(who, "retrieve", {"query": "launch"}).failure is Failure.SCOPE_UNRESOLVED
    assert not who.packages.held


def test_a_package_reads_the_same_bytes_again_until_a_deletion() -> None:
    provider = live()
    who = agent(provider)
    data = served(who)
    for name in (data.package, f"knowledge:falcon/packages/{data.package}"):
        again = answered(who, "package", {"package": name}).data
        assert isinstance(again, PackageAnswer)
        assert (again.state, again.text, again.digest) == ("held", data.text, data.digest)
        assert again.manifest["package"] == data.package
    provider.gone = {"ki_2b"}
    hidden = answered(who, "package", {"package": data.package}).data
    assert isinstance(hidden, PackageAnswer)
    assert (hidden.state, hidden.text, hidden.manifest) == ("evidence_unavailable", "", {})
    assert (hidden.digest, hidden.manifest_digest) == (data.digest, data.manifest_digest)
    assert not who.packages.purged
    provider.gone = set()
    assert answered(who, "package", {"package": data.package}).text == data.text
    provider.gone, provider.lost = {"ki_2b"}, {"src_2"}
    assert answered(who, "package", {"package": data.package}).text == ""
    assert who.packages.purged == [(data.package, "source src_2 is gone")]
    provider.gone = set()
    assert answered(who, "package", {"package": data.package}).text == ""


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("package", {}),
        ("check", {}),
        ("cite", {"answer": "x"}),
        ("outcome", {"outcome": "answered"}),
    ],
)
def test_a_package_of_another_is_as_unknown_as_none(name: str, more: dict[str, object]) -> None:
    who = agent()
    data = served(who)
    who.packages.of_others[FOREIGN] = who.packages.held[data.package]
    provider = who.provider
    assert isinstance(provider, Live)
    told, calls = [], []
    for key in (FOREIGN, UNKNOWN, f"knowledge:elsewhere/packages/{data.package}"):
        provider.calls.clear()
        told.append(refused(who, name, {"package": key, **more}))
        calls.append(list(provider.calls))
    assert told[0] == told[1] == told[2]
    assert calls[0] == calls[1] == calls[2]


def test_a_package_is_checked_statement_by_statement() -> None:
    provider = live()
    who = agent(provider)
    data = served(who)
    found = answered(who, "check", {"package": data.package}).data
    assert isinstance(found, CheckAnswer)
    assert {each.statement_id: each.verdict for each in found.items} == {"ki_1a": "contested", "ki_2b": "contested"}
    assert (found.package, found.digest) == (data.package, data.digest)
    early, late = provider.statements_held
    provider.statements_held = [
        replace(early, status=Status.SUPERSEDED, superseded_by="ki_2b"),
        replace(late, status=Status.ACTIVE),
    ]
    found = answered(who, "check", {"package": data.package}).data
    assert isinstance(found, CheckAnswer)
    told = {each.statement_id: (each.verdict, each.successor) for each in found.items}
    assert told == {"ki_1a": ("superseded", "ki_2b"), "ki_2b": ("holds", "")}
    provider.statements_held = [provider.statements_held[0], replace(late, status=Status.WITHHELD)]
    found = answered(who, "check", {"package": data.package}).data
    assert isinstance(found, CheckAnswer)
    assert {each.verdict for each in found.items} == {"unavailable"}, "a successor that may not be read is not told of"


def test_references_or_a_package_and_not_both() -> None:
    who = agent()
    data = served(who)
    for given in ({}, {"package": data.package, "references": [{"statement": "ki_1a"}]}):
        assert "references" in dict(refused(who, "check", given).fields)


def test_an_answer_is_held_to_its_package_and_the_check_is_kept() -> None:
    who = agent()
    data = served(who)
    right = (
        "One source says March 3, 2026 (knowledge:falcon/ki_1a), another one that it has moved to April 10, 2026 "
        "(knowledge:falcon/ki_2b)."
    )
    for answer, holds, kinds in (
        (right, True, []),
        (right.replace("April 10", "April 11"), False, ["date_differs"]),
        ("It is March 3, 2026. knowledge:falcon/ki_1a", False, ["one_side_only"]),
        ("It is fine. knowledge:falcon/ki_nobody", False, ["never_admitted"]),
        ("It is fine.", False, []),
    ):
        found = answered(who, "cite", {"package": data.package, "answer": answer}).data
        assert isinstance(found, CitationAnswer)
        assert (found.holds, [each.kind for each in found.findings]) == (holds, kinds), answer
        assert found.grounding == ("grounded" if holds else "not grounded")
    assert [report.holds for _, _, report in who.packages.checks] == [True, False, False, False, False]


def test_citations_are_not_checked_against_what_is_gone() -> None:
    provider = live()
    who = agent(provider)
    data = served(who)
    provider.gone = {"ki_1a"}
    found = refused(who, "cite", {"package": data.package, "answer": "x"})
    assert found.failure is Failure.EVIDENCE_UNAVAILABLE


def test_an_outcome_is_a_record_of_its_own() -> None:
    who = agent()
    data = served(who)
    told = []
    for outcome in ("consumer_failed", "answered"):
        found = answered(who, "outcome", {"package": data.package, "outcome": outcome, "raw": "half an ans"}).data
        assert isinstance(found, OutcomeAnswer)
        told.append((found.outcome, found.grounding, found.status))
    assert told == [("consumer_failed", "", ""), ("answered", "grounded", "")]
    assert who.packages.outcomes[0] == (data.package, Consumed.CONSUMER_FAILED, "half an ans", False)


def test_corrections_come_in_order_and_name_a_successor_only_where_it_may_be_read() -> None:
    early, late = falcon_launch().statements_held
    provider = Live([replace(early, status=Status.SUPERSEDED, superseded_by="ki_2b"), late])
    who = agent(provider)
    at = "2026-03-01T00:00:00.000Z"
    who.packages.overturned = [
        Overturned(3, at, "ruling", "ki_1a", "superseded", "ki_2b", ("pkg_a",)),
        Overturned(8, at, "ruling", "ki_gone", "superseded", "ki_hidden", ("pkg_a", "pkg_b")),
    ]
    data = answered(who, "corrections", {}).data
    assert isinstance(data, CorrectionsAnswer)
    told = [(each.id, each.verdict, each.successor, each.packages) for each in data.items]
    assert told == [("3", "superseded", "ki_2b", ["pkg_a"]), ("8", "unavailable", "", ["pkg_a", "pkg_b"])]
    later = answered(who, "corrections", {"cursor": data.next_cursor}).data
    assert isinstance(later, CorrectionsAnswer)
    assert (later.items, later.next_cursor, later.more) == ([], "8", False)
    assert "cursor" in dict(refused(who, "corrections", {"cursor": "x"}).fields)


def test_an_unanswered_question_is_a_gap_with_the_floor_it_was_asked_at() -> None:
    who = agent(Live([statement(support=Support.UNVERIFIED_CLAIM, evidence=(evidence("ki_1"),))]))
    served(who)
    served(who, min_support="direct_fact")
    call_tool(tool("search"), who, {"query": "launch date", "as_of": "2020-01-01"}, request_id="r")
    call_tool(tool("search"), who, {"query": "  launch   date "}, request_id="r")
    assert [(gap.question, gap.code, gap.floor.value) for gap in who.gaps] == [
        ("launch date", "only_unverified", "unverified_claim"),
        ("launch date", "no_match", "direct_fact"),
        ("launch date", "only_unverified", "unverified_claim"),
    ]
    settled = agent()
    served(settled)
    assert settled.gaps == [], "a dispute is for Review"
