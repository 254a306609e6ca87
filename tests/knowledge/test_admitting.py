"""Packets admitted and references opened as tools: checked live, counted whole, and one answer for what is gone."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
import tiktoken
import tiktoken.registry

from knowledge.failures import Failure
from knowledge.tools import Limits
from knowledge.tools.shapes import AdmissionAnswer, CitationAnswer, OpenAnswer, OutcomeAnswer
from knowledge.vocabulary import Support
from tests.knowledge.shelf import falcon_launch
from tests.knowledge.test_packages import Live, agent, live, served
from tests.knowledge.test_tools import PLACE, Agent, answered, refused


def admitted(who: Agent, packet: object, **more: object) -> AdmissionAnswer:
    data = answered(who, "admit", {"packet": packet, "system_instruction": "Answer.", **more}).data
    assert isinstance(data, AdmissionAnswer)
    return data


def packet(who: Agent) -> dict[str, Any]:
    made = served(who, with_packet=True).packet
    assert made is not None
    return made


def test_a_packet_is_admitted_as_the_exact_prompt() -> None:
    who = agent()
    made = packet(who)
    data = admitted(who, json.loads(json.dumps(made)), attempt="a-1")
    assert data.status == "admitted"
    assert data.prompt.startswith("Answer.\n\nEVIDENCE\n")
    assert data.prompt_digest == hashlib.sha256(data.prompt.encode()).hexdigest()
    assert data.citations == ["knowledge:falcon/ki_2b"]
    assert (data.envelope["schema"], data.envelope["collection"]) == ("retrieval-capstone-v1", "falcon")
    kept = who.packages.held[data.package]
    assert (kept.kind, kept.text, kept.status, kept.attempt) == ("admission", data.prompt, "admitted", "a-1")
    assert kept.manifest["execution_id"] == made["execution_id"]
    answer = "It has moved to April 10, 2026 (knowledge:falcon/ki_2b)."
    found = answered(who, "cite", {"package": data.package, "answer": answer}).data
    assert isinstance(found, CitationAnswer)
    assert [each.kind for each in found.findings] == ["one_side_only"], "the other side was not even admitted"


def test_what_became_ineligible_since_never_enters_a_prompt() -> None:
    provider = live()
    who = agent(provider)
    made = packet(who)
    provider.gone = {"ki_2b"}
    data = admitted(who, made)
    assert (data.status, data.prompt, data.citations) == ("refused", "", [])
    assert [(each.statement_id, each.why) for each in data.left_out] == [("ki_2b", "evidence_unavailable")]
    assert "April" not in data.model_dump_json()


def test_a_packet_cannot_name_what_its_caller_may_not_be_shown() -> None:
    """The floor of the token, words that instruct their reader: as unavailable as what is gone."""
    weak = live()
    made = packet(agent(weak))
    for changes in ({"support": Support.UNVERIFIED_CLAIM}, {"flags": ("instruction",)}, {"base_id": "proj_other"}):
        early, late = falcon_launch().statements_held
        weak.statements_held = [early, replace(late, **changes)]  # type: ignore[arg-type]
        data = admitted(agent(weak, min_support=Support.SUPPORTED_INFERENCE), made)
        assert (data.status, data.left_out[0].why) == ("refused", "evidence_unavailable"), changes


def test_no_evidence_may_be_asked_closed_book_and_is_labelled() -> None:
    who = agent(Live([]))
    data = admitted(who, packet(who))
    assert (data.status, data.grounding) == ("no_evidence", "not grounded")
    assert data.prompt
    found = answered(who, "outcome", {"package": data.package, "outcome": "answered", "raw": "I think red."}).data
    assert isinstance(found, OutcomeAnswer)
    assert (found.status, found.grounding) == ("no_evidence", "not grounded")


def test_budgets_leave_whole_rows_out_and_say_so() -> None:
    who = agent()
    made = packet(who)
    data = admitted(who, made, evidence_budget=60)
    assert (data.status, [each.why for each in data.left_out]) == ("refused", ["capacity"])
    assert "packet" in dict(refused(who, "admit", {"packet": made, "prompt_budget": 5}).fields)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "retrieval-contract-v2"},
        {"more": 1},
        {"request_id": "0" * 64},
        {"request": {"scope": "other"}},
    ],
)
def test_a_packet_that_may_not_be_used_is_told_as_wrong(change: dict[str, object]) -> None:
    who = agent()
    found = refused(who, "admit", {"packet": {**packet(who), **change}})
    assert (found.failure, list(dict(found.fields))) == (Failure.INVALID, ["packet"])


def opened(who: Agent, **more: object) -> OpenAnswer:
    data = answered(who, "open", {"reference": PLACE, **more}).data
    assert isinstance(data, OpenAnswer)
    return data


def test_a_reference_opens_to_its_exact_words() -> None:
    who = agent()
    assert opened(who).text == "The launch date for Project Falcon is March 3, 2026."
    assert opened(who).parent == ""
    assert opened(who, expand="parent").parent.endswith("March 3, 2026. And more.")
    found = refused(who, "open", {"reference": PLACE, "expand": "parent", "max_bytes": 10})
    assert dict(found.fields)["max_bytes"].endswith("it is never cut.")


@pytest.mark.parametrize(
    "change",
    [
        {"statement": "ki_nobody"},
        {"statement": "knowledge:other/ki_1a"},
        {"evidence_id": "ev_x"},
        {"source_id": "src_x"},
        {"excerpt_hash": "0" * 64},
        {"start": 1},
    ],
)
def test_what_cannot_be_opened_reads_the_same_whatever_the_cause(change: dict[str, object]) -> None:
    provider = live()
    who = agent(provider)
    provider.calls.clear()
    found = refused(who, "open", {"reference": {**PLACE, **change}})
    calls = list(provider.calls)
    provider.calls.clear()
    provider.gone = {"ki_1a"}
    assert found == refused(who, "open", {"reference": PLACE})
    assert found.failure is Failure.EVIDENCE_UNAVAILABLE
    assert calls == provider.calls


def test_what_stands_around_a_span_has_no_support() -> None:
    who = agent(min_support=Support.DIRECT_FACT)
    assert opened(who).text
    assert "expand" in dict(refused(who, "open", {"reference": PLACE, "expand": "parent"}).fields)


def test_the_tokenizer_the_operator_named_counts_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = {bytes([value]): value for value in range(256)} | {b"th": 256, b"the": 257}
    made = tiktoken.Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "own", made)
    who = agent()
    plain = admitted(who, packet(who))
    counted = admitted(agent(limits=Limits(8, 12000, "tiktoken:own")), packet(who))
    assert (plain.tokenizer, counted.tokenizer) == ("utf8-bytes", "tiktoken:own")
    assert counted.prompt == plain.prompt
    assert counted.prompt_size == len(made.encode(plain.prompt)) < plain.prompt_size


def test_a_tokenizer_that_cannot_be_used_admits_nothing() -> None:
    who = agent(limits=Limits(8, 12000, "file:/nowhere.json"))
    failed = refused(who, "admit", {"packet": packet(agent())})
    assert failed.failure is Failure.UNAVAILABLE
    assert "/nowhere.json" in failed.reason
