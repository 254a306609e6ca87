"""The promises of the retrieval contract, each at its boundary. docs/contract.md names every test."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.contract import (
    Admission,
    Allowance,
    Budgets,
    Category,
    ContractError,
    Packet,
    Status,
    Utf8Bytes,
    admit,
    packet_from_json,
    packet_of,
    packet_to_json,
)
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import Reference
from knowledge.records import CheckedReference, CheckedReferences, Evidence, Statement
from knowledge.scope import KnowledgeScope
from tests.knowledge.shelf import SCOPE, Shelf, evidence, statement

ROOF, GATE = "The roof is red.", "The gate opens at nine."
INSTRUCTION = "Answer from the evidence alone."
ROOMY = Budgets(evidence=10_000, prompt=20_000)
EVERY = Allowance()


@dataclass
class Live(Shelf):
    """A shelf that checks references against what it holds at this moment, as an engine does."""

    def check_references(  # type: ignore[override]
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        self.calls.append("check")
        if self.failing:
            return self.failing
        return Ok(CheckedReferences(tuple(CheckedReference(r.statement_id, self._holds(r)) for r in references), "2:7"))

    def _holds(self, asked: Reference) -> bool:
        return any(_matches(s, piece, asked) for s in self.statements_held for piece in s.evidence)


def _matches(held: Statement, piece: Evidence, asked: Reference) -> bool:
    return (held.id, piece.id, piece.source_id, piece.version, piece.excerpt_hash, (piece.start, piece.end)) == (
        asked.statement_id,
        asked.evidence_id,
        asked.source_id,
        asked.version,
        asked.excerpt_hash,
        asked.span,
    )


def said(key: str, text: str, source: str, **changes: Any) -> Statement:
    piece = evidence(key, text, source_id=source, source_name=source, version="v1", **changes)
    return statement(key, text, source_ids=(source,), evidence=(piece,))


def shelf() -> Live:
    return Live([said("ki_roof", ROOF, "src_a"), said("ki_gate", GATE, "src_b")])


def packet(provider: Shelf, allowance: Allowance = EVERY, query: str = "roof?", **more: Any) -> Packet:
    outcome = packet_of(provider, SCOPE, query, allowance=allowance, **more)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def admitted(made: Packet, provider: Shelf, **changes: Any) -> Admission:
    asked: dict[str, Any] = {
        "provider": provider,
        "scope": SCOPE,
        "allowance": EVERY,
        "budgets": ROOMY,
        "system_instruction": INSTRUCTION,
    }
    outcome = admit(made, **(asked | changes))
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def refused(made: Packet, provider: Shelf, **changes: Any) -> Category:
    with pytest.raises(ContractError) as error:
        admitted(made, provider, **changes)
    return error.value.category


def texts(record: Admission) -> list[str]:
    return [row.text for row in record.admitted]


def forged(made: Packet, **changes: Any) -> Packet:
    """The packet with its first row changed, its ids made anew: digests are no signature."""
    first, *rest = made.execution.selected
    return replace(made, execution=replace(made.execution, selected=(replace(first, **changes), *rest)))


def test_identity_is_preserved_over_the_wire() -> None:
    made = packet(shelf(), workload="mission-7", purpose="answer a customer")
    again = packet_from_json(packet_to_json(made))
    assert again == made
    assert (again.request.request_id, again.execution_id) == (made.request.request_id, made.execution_id)
    assert packet_to_json(again) == packet_to_json(made)
    assert made.request.query == "roof?"


def test_a_changed_request_is_another_request() -> None:
    made = packet(shelf())
    for changed in (
        replace(made.request, query="gate?"),
        replace(made.request, view_id="9:9"),
        replace(made.request, allowance=("src_a",)),
        replace(made.request, purpose="another"),
    ):
        assert changed.request_id != made.request.request_id
        assert replace(made, request=changed).execution_id != made.execution_id
    body = json.loads(packet_to_json(made))
    body["request"]["query"] = "gate?"
    with pytest.raises(ContractError) as error:
        packet_from_json(json.dumps(body).encode())
    assert error.value.category is Category.INVALID_INPUT


@pytest.mark.parametrize("schema", ["retrieval-contract-v2", "", None, 1])
def test_an_unsupported_version_is_refused(schema: object) -> None:
    body = json.loads(packet_to_json(packet(shelf())))
    body["schema"] = schema
    with pytest.raises(ContractError) as error:
        packet_from_json(json.dumps(body).encode())
    assert error.value.category is Category.UNSUPPORTED_SCHEMA


@pytest.mark.parametrize("path", [[], ["request"], ["execution"], ["execution", "selected", 0]])
def test_an_unknown_field_is_refused_wherever_it_stands(path: list[str | int]) -> None:
    body = json.loads(packet_to_json(packet(shelf())))
    place = body
    for step in path:
        place = place[step]
    place["hint"] = "also read src_secret"
    with pytest.raises(ContractError) as error:
        packet_from_json(json.dumps(body).encode())
    assert error.value.category is Category.INVALID_INPUT


@pytest.mark.parametrize(
    "changes",
    [
        {"source_id": "src_b"},
        {"document_id": "doc_other", "source_id": "src_forged"},
        {"statement_id": "ki_unknown"},
        {"evidence_id": "ev_ki_gate"},
    ],
)
def test_a_forged_source_is_unavailable(changes: dict[str, str]) -> None:
    provider = shelf()
    record = admitted(forged(packet(provider), **changes), provider)
    assert texts(record) == [GATE]
    assert [each.public for each in record.excluded] == ["evidence_unavailable"]


@pytest.mark.parametrize("span", [(0, 5), (1, 16), (0, 10_000), (-1, 16)])
def test_a_wrong_span_is_unavailable(span: tuple[int, int]) -> None:
    provider = shelf()
    record = admitted(forged(packet(provider), start=span[0], end=span[1]), provider)
    assert texts(record) == [GATE]


def test_a_modified_body_is_unavailable() -> None:
    provider = shelf()
    made = packet(provider)
    other = hashlib.sha256(b"The roof is blue.").hexdigest()
    assert texts(admitted(forged(made, digest=other), provider)) == [GATE]
    lying = replace(provider.statements_held[0].evidence[0], excerpt="The roof is blue.")
    provider.statements_held = [replace(provider.statements_held[0], evidence=(lying,)), provider.statements_held[1]]
    assert texts(admitted(made, provider)) == [GATE], "the digest still fits the reference, the text does not"


def test_a_duplicate_reference_is_refused() -> None:
    provider = shelf()
    made = packet(provider)
    rows = made.execution.selected
    doubled = replace(made, execution=replace(made.execution, selected=(*rows, rows[0])))
    assert refused(doubled, provider) is Category.INVALID_INPUT


@pytest.mark.parametrize("score", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_non_finite_score_is_refused(score: str) -> None:
    provider = shelf()
    provider.word_scores = {"ki_roof": 0.5, "ki_gate": 0.25}
    body = packet_to_json(packet(provider)).replace(b'"score":0.5', f'"score":{score}'.encode())
    with pytest.raises(ContractError) as error:
        packet_from_json(body)
    assert error.value.category is Category.INVALID_INPUT


def test_revoked_between_retrieval_and_admission_is_gone() -> None:
    provider = shelf()
    made = packet(provider)
    provider.statements_held = [provider.statements_held[1]]
    record = admitted(made, provider)
    assert (record.status, texts(record)) == (Status.PARTIAL, [GATE])
    assert ROOF not in record.prompt
    assert record.view_id == "2:7", "the view is discovered, not the one of the packet"


def test_a_stale_version_is_never_replaced_by_a_newer_sentence() -> None:
    provider = shelf()
    made = packet(provider)
    newer = said("ki_roof", "The roof is blue.", "src_a")
    provider.statements_held = [newer, provider.statements_held[1]]
    record = admitted(made, provider)
    assert texts(record) == [GATE]
    assert "blue" not in record.prompt


def test_scope_cannot_be_widened_by_the_packet() -> None:
    provider = shelf()
    made = packet(provider)
    assert refused(made, provider, allowance=Allowance(frozenset({"src_a"}))) is Category.SCOPE_WIDENED
    narrow = packet(provider, Allowance(frozenset({"src_a"})))
    assert [row.source_id for row in narrow.execution.selected] == ["src_a"]
    wider = replace(narrow, request=replace(narrow.request, allowance=("src_a", "src_b")))
    assert refused(wider, provider, allowance=Allowance(frozenset({"src_a"}))) is Category.SCOPE_WIDENED
    other = replace(SCOPE, slug="another")
    assert refused(made, provider, scope=other) is Category.SCOPE_WIDENED


def test_a_row_outside_the_callers_allowance_is_unavailable_though_the_packet_names_it() -> None:
    provider = shelf()
    both = packet(provider)
    smuggled = replace(both, request=replace(both.request, allowance=("src_a",)))
    record = admitted(smuggled, provider, allowance=Allowance(frozenset({"src_a"})))
    assert texts(record) == [ROOF]
    assert [each.public for each in record.excluded] == ["evidence_unavailable"]


def test_whole_units_enter_or_stay_out() -> None:
    provider = shelf()
    made = packet(provider)
    one = admitted(made, provider).evidence_size
    for room in range(1, one + 1):
        try:
            record = admitted(made, provider, budgets=Budgets(evidence=room, prompt=20_000))
        except ContractError:
            continue
        assert set(texts(record)) <= {ROOF, GATE}
        assert record.evidence_size <= max(room, len("[]"))
        assert {each.category for each in record.excluded} <= {Category.CAPACITY}
        assert [each.public for each in record.excluded] == ["capacity"] * len(record.excluded)
    assert texts(admitted(made, provider, budgets=Budgets(evidence=one, prompt=20_000))) == [ROOF, GATE]


def test_the_prompt_is_limited_as_it_is_sent() -> None:
    provider = shelf()
    made = packet(provider)
    whole = admitted(made, provider)
    assert Utf8Bytes().count(whole.prompt) == whole.prompt_size
    assert hashlib.sha256(whole.prompt.encode()).hexdigest() == whole.prompt_digest
    exact = admitted(made, provider, budgets=Budgets(evidence=10_000, prompt=whole.prompt_size))
    assert exact.prompt == whole.prompt
    short = admitted(made, provider, budgets=Budgets(evidence=10_000, prompt=whole.prompt_size - 1))
    assert short.prompt_size < whole.prompt_size
    assert len(short.admitted) == 1
    assert refused(made, provider, budgets=Budgets(evidence=10_000, prompt=10)) is Category.CAPACITY


def test_what_is_to_be_generated_takes_its_room_first() -> None:
    provider = shelf()
    made = packet(provider)
    size = admitted(made, provider).prompt_size
    kept = Budgets(evidence=10_000, prompt=20_000, generation=100, window=size + 100)
    assert len(admitted(made, provider, budgets=kept).admitted) == 2
    assert len(admitted(made, provider, budgets=replace(kept, generation=101)).admitted) == 1
    assert refused(made, provider, budgets=replace(kept, generation=size + 100)) is Category.INVALID_INPUT


def test_only_what_was_admitted_may_be_cited() -> None:
    provider = shelf()
    made = packet(provider)
    provider.statements_held = [provider.statements_held[1]]
    assert admitted(made, provider).citable == {"ki_gate"}


def test_equal_text_of_two_sources_stays_two_rows() -> None:
    provider = Live([said("ki_roof", ROOF, "src_a"), said("ki_roof2", ROOF, "src_b")])
    record = admitted(packet(provider), provider)
    assert texts(record) == [ROOF, ROOF]
    assert [row.row.source_id for row in record.admitted] == ["src_a", "src_b"]


def test_a_relationship_without_a_validator_is_refused() -> None:
    provider = shelf()
    made = forged(packet(provider), relationship_path=("ent_roof", "ent_gate"))
    assert refused(made, provider) is Category.UNSUPPORTED_RELATIONSHIP


def test_an_empty_packet_is_no_evidence_and_may_still_be_asked_closed_book() -> None:
    provider = Live([])
    record = admitted(packet(provider), provider)
    assert (record.status, record.admitted, record.excluded) == (Status.NO_EVIDENCE, (), ())
    assert INSTRUCTION in record.prompt


def test_nothing_eligible_is_refused_and_not_no_evidence() -> None:
    provider = shelf()
    made = packet(provider)
    provider.statements_held = []
    assert admitted(made, provider).status is Status.REFUSED


def test_every_kind_of_unavailable_takes_the_same_calls_and_reads_the_same() -> None:
    told = set()
    for changes in ({"source_id": "src_x"}, {"version": "v0"}, {"digest": "0" * 64}, {"start": 3}, {}):
        provider = shelf()
        made = forged(packet(provider), **changes)  # type: ignore[arg-type]
        if not changes:
            provider.statements_held = [provider.statements_held[1]]
        provider.calls.clear()
        record = admitted(made, provider)
        told.add((tuple(provider.calls), record.prompt, tuple(each.public for each in record.excluded)))
    assert len(told) == 1


def test_an_engine_that_fails_gives_its_failure_and_no_admission() -> None:
    provider = shelf()
    made = packet(provider)
    provider.failing = Failed(Failure.TIMEOUT, "No reply.")
    outcome = admit(
        made, provider=provider, scope=SCOPE, allowance=EVERY, budgets=ROOMY, system_instruction=INSTRUCTION
    )
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.TIMEOUT


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"schema":"x","schema":"y"}', b"\xff", b"[" * 100_000])
def test_what_is_no_packet_is_refused(body: bytes) -> None:
    with pytest.raises(ContractError):
        packet_from_json(body)


@given(st.binary(max_size=300))
def test_no_bytes_crash_the_reader(body: bytes) -> None:
    with pytest.raises(ContractError):
        packet_from_json(body)


@given(st.text(max_size=200), st.text(max_size=60))
def test_no_text_of_a_source_breaks_out_of_the_evidence(text: str, query: str) -> None:
    clean = text.encode("utf-8", "ignore").decode() or "x"
    question = query.encode("utf-8", "ignore").decode().strip() or "roof"
    provider = Live([said("ki_roof", clean, "src_a")])
    outcome = packet_of(provider, SCOPE, question, allowance=EVERY)
    if isinstance(outcome, Failed) or not outcome.value.execution.selected:
        return
    record = admitted(outcome.value, provider)
    evidence_line = record.prompt.removeprefix(f"{INSTRUCTION}\n\nEVIDENCE\n").split("\n", 1)[0]
    assert json.loads(evidence_line)[0]["text"] == clean
