"""Both sides against the recording: the client reads all of it, and a live engine still answers in its form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from knowledge.engine.wire import Row, read_page
from knowledge.engine.wire_asking import read_checked, read_neighbours, read_past, read_recall, read_walk
from knowledge.engine.wire_batch import read_batch
from knowledge.engine.wire_briefs import read_grounds, read_source_brief, read_standing, read_statement_brief
from knowledge.engine.wire_engine import read_base, read_engine, read_job, read_review_event
from knowledge.engine.wire_entities import read_candidate, read_decision
from knowledge.engine.wire_interchange import read_export, read_import
from knowledge.engine.wire_sources import read_changes, read_document, read_source, read_source_text
from knowledge.engine.wire_statements import (
    read_conflict,
    read_entity,
    read_evidence,
    read_search,
    read_statement,
)
from tests.contract.recording import answers, form, masked, recorded
from tests.contract.schemas import validate
from tests.engine_process import running

ROWS: dict[str, tuple[str, Callable[[Row], object]]] = {
    "base": ("project", read_base),
    "source": ("source", read_source),
    "text": ("text", read_source_text),
    "document": ("document", read_document),
    "changes": ("changes", read_changes),
    "source-brief": ("source_brief", read_source_brief),
    "statement": ("item", read_statement),
    "grounds": ("grounds", read_grounds),
    "statement-brief": ("item_brief", read_statement_brief),
    "entity": ("entity", read_entity),
    "conflict": ("conflict", read_conflict),
    "merge-candidate": ("merge_candidate", read_candidate),
    "job": ("job", read_job),
    "export": ("export", read_export),
    "import": ("import", read_import),
    "search": ("search", read_search),
    "recall": ("recall", read_recall),
    "recall-nothing": ("recall", read_recall),
    "neighbors": ("neighbors", read_neighbours),
    "walk": ("walk", read_walk),
    "standing": ("standing", read_standing),
    "references": ("references", read_checked),
}
LISTS: dict[str, tuple[str, Callable[[Row], object]]] = {
    "bases": ("project", read_base),
    "sources": ("source", read_source),
    "knowledge": ("item", read_statement),
    "evidence": ("evidence", read_evidence),
    "history": ("past_version", read_past),
    "entities": ("entity", read_entity),
    "conflicts": ("conflict", read_conflict),
    "decisions": ("decision", read_decision),
    "merge-candidates": ("merge_candidate", read_candidate),
    "jobs": ("job", read_job),
    "exports": ("export", read_export),
    "imports": ("import", read_import),
    "review-events": ("review_event", read_review_event),
}


def body(name: str) -> Any:
    return recorded()[name]["body"]


@pytest.mark.parametrize("name", ROWS)
def test_the_client_reads_every_recorded_row(name: str) -> None:
    shape, read = ROWS[name]
    validate(shape, body(name))
    assert read(Row(body(name), name))


@pytest.mark.parametrize("name", LISTS)
def test_the_client_reads_every_recorded_list(name: str) -> None:
    shape, read = LISTS[name]
    validate("list", body(name), of=shape)
    page = read_page(body(name), name, read)
    assert len(page.items) == len(body(name)["items"]) > 0


def test_the_client_reads_the_recorded_engine_and_batch() -> None:
    validate("capabilities", body("capabilities"))
    assert read_engine(body("capabilities")).name == "forager"
    assert read_batch(body("batch")).items


@pytest.mark.parametrize(("name", "status", "code"), [("unknown", 404, "not_found"), ("odd", 400, "validation_error")])
def test_recorded_refusals_have_the_agreed_shape(name: str, status: int, code: str) -> None:
    assert recorded()[name]["status"] == status
    validate("error", body(name))
    assert body(name)["error"]["code"] == code


def test_a_live_engine_answers_in_the_recorded_form(tmp_path: Path) -> None:
    with running(tmp_path) as engine:
        live = {name: {"status": status, "body": masked(answer)} for name, status, answer in answers(engine)}
    assert live.keys() == recorded().keys()
    for name, kept in recorded().items():
        assert form(live[name]) == form(kept), name
