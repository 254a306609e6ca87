"""Opening one reference, delivering a packet, and what its consumer made of it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from knowledge.contract import (
    Allowance,
    Category,
    Consumed,
    ContractError,
    Opened,
    SelectedRow,
    Status,
    envelope,
    open_reference,
    outcome_of,
)
from knowledge.failures import Ok, Outcome
from knowledge.records import Block, SourceText
from knowledge.scope import KnowledgeScope
from tests.knowledge.shelf import SCOPE
from tests.knowledge.test_contract import EVERY, GATE, ROOF, Live, admitted, packet, shelf


def opened(provider: Live, row: SelectedRow, **more: Any) -> Opened | str:
    outcome = open_reference(row, provider=provider, scope=SCOPE, allowance=more.pop("allowance", EVERY), **more)
    return outcome.value if isinstance(outcome, Ok) else outcome.reason


def test_a_reference_opens_to_its_exact_span() -> None:
    provider = shelf()
    (row, _) = packet(provider).execution.selected
    assert opened(provider, row) == Opened(ROOF, "", "2:7")


@pytest.mark.parametrize(
    "changes", [{"source_id": "src_x"}, {"version": "v0"}, {"digest": "0" * 64}, {"end": 4}, {"evidence_id": "ev_x"}]
)
def test_what_cannot_be_opened_is_one_answer(changes: dict[str, Any]) -> None:
    provider = shelf()
    (row, _) = packet(provider).execution.selected
    assert opened(provider, replace(row, **changes)) == "evidence_unavailable"
    assert opened(provider, row, allowance=Allowance(frozenset({"src_b"}))) == "evidence_unavailable"


def test_the_passage_around_it_is_given_whole_or_not_at_all() -> None:
    class Reading(Live):
        def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:  # type: ignore[override]
            whole = f"{ROOF} It was painted."
            blocks = (Block(0, len(whole), "paragraph", "Line 1"),)
            return Ok(SourceText(source_id, whole, "", blocks, ()))

    provider = Reading(shelf().statements_held)
    (row, _) = packet(provider).execution.selected
    assert opened(provider, row, parent_budget=100) == Opened(ROOF, f"{ROOF} It was painted.", "2:7")
    with pytest.raises(ContractError) as error:
        opened(provider, row, parent_budget=10)
    assert error.value.category is Category.CAPACITY


def test_the_envelope_adds_delivery_and_no_other_meaning() -> None:
    provider = shelf()
    made = packet(provider)
    record = admitted(made, provider)
    told = json.loads(envelope(made, record, collection="falcon"))
    assert (told["schema"], told["collection"], told["snapshot"]) == ("retrieval-capstone-v1", "falcon", "2:7")
    assert [row["text"] for row in told["returned"]["rows"]] == [ROOF, GATE]
    assert envelope(made, record, collection="falcon") == envelope(made, record, collection="falcon")
    assert json.loads(envelope(made, record, collection="other"))["trace_id"] != told["trace_id"]


def test_a_consumer_that_fails_inherits_no_success_and_keeps_what_it_said() -> None:
    provider = shelf()
    record = admitted(packet(provider), provider)
    failed = outcome_of(record, Consumed.CONSUMER_FAILED, "half an ans")
    assert (failed.grounded, failed.raw, record.status) == (False, "half an ans", Status.ADMITTED)
    assert outcome_of(record, Consumed.ANSWERED, "Red.").grounded
    empty = admitted(packet(Live([])), Live([]))
    assert not outcome_of(empty, Consumed.ANSWERED, "I think red.").grounded
