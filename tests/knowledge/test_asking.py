"""The ranked reads: what is sent, what is read, and what never passes."""

import json

import httpx2
import pytest

from knowledge.engine.providers import NullProvider
from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import Reference, Within
from knowledge.vocabulary import Band
from tests.knowledge.wire_rows import AT, BASE, GLOBAL_SCOPE, SCOPE, VIEW, Engine, item, page, search

ENTITY = {"id": "ent_1", "canonical_name": "Hall", "type": "place"}
EDGE = {"from_id": "ent_1", "to_id": None, "inverse": False}


def recall(**changes: object) -> dict[str, object]:
    lists: dict[str, object] = {"knowledge": [], "summaries": [], "raw": []}
    row = {"query": "roof", "tier": "nothing", "looked": [], "backend": "sqlite-fts5", "view_id": VIEW}
    return {**row, **lists, **changes}


def summary(**changes: object) -> dict[str, object]:
    quote = {"text": "The roof is red.", "start": 0, "end": 16}
    row = {"project_id": BASE, "band": "tenant", "source_id": "src_1", "source_path": "a.txt", "title": "Roofs"}
    return {**row, "headings": ["One"], "sentences": [quote], "matched_words": ["roof"], **changes}


def sent(request: httpx2.Request) -> dict[str, object]:
    body: dict[str, object] = json.loads(request.content)
    return body


def test_recall_is_read_with_the_tier_that_answered() -> None:
    raw = {"project_id": BASE, "band": "tenant", "source_id": "src_1", "source_path": "a.txt", "chunk_id": "ch_1"}
    lines = {**raw, "location": "Line 1", "locator": {"kind": "line"}, "lines": [{"text": "x", "start": 0, "end": 1}]}
    looked = [{"tier": "statements", "hits": 0}, {"tier": "summaries", "hits": 1}]
    answer = recall(tier="summaries", looked=looked, summaries=[summary()], raw=[lines])
    engine = Engine({f"POST projects/{BASE}/recall": answer})
    found = engine.provider().recall(SCOPE, "roof", min_hits=2, within=Within(as_of="2026-01-01", max_age=0))
    assert isinstance(found, Ok)
    assert (found.value.tier, found.value.looked) == ("summaries", (("statements", 0), ("summaries", 1)))
    assert found.value.summaries[0].sentences[0].text == "The roof is red."
    assert found.value.raw[0].lines[0].end == 1
    assert sent(engine.asked[0]) == {"query": "roof", "min_hits": 2, "limit": 20, "as_of": "2026-01-01", "max_age": 0}
    assert "Idempotency-Key" not in engine.asked[0].headers


def test_a_tier_nobody_knows_is_malformed() -> None:
    found = Engine({f"POST projects/{BASE}/recall": recall(tier="oracle")}).provider().recall(SCOPE, "roof")
    assert isinstance(found, Failed)
    assert found.failure is Failure.MALFORMED


def test_summaries_and_lines_are_fenced_like_statements() -> None:
    answer = recall(tier="summaries", summaries=[summary(), summary(project_id="proj_other")])
    engine = Engine({f"POST projects/{BASE}/recall": answer})
    found = engine.provider().recall(SCOPE, "roof")
    assert isinstance(found, Ok)
    assert len(found.value.summaries) == 1
    hidden = engine.provider().recall(GLOBAL_SCOPE, "roof")
    assert isinstance(hidden, Ok)
    assert hidden.value.summaries == ()
    assert sent(engine.asked[1])["band"] == "general"
    assert len(engine.alarms) == 3


def test_a_global_scope_asks_for_general_knowledge_alone() -> None:
    engine = Engine({f"GET projects/{BASE}/search": search(item(scope="general"))})
    engine.provider().search(GLOBAL_SCOPE, "roof", as_of="2026-01-01")
    engine.provider().search(SCOPE, "roof")
    assert dict(engine.asked[0].url.params) == {"q": "roof", "limit": "20", "as_of": "2026-01-01", "band": "general"}
    assert dict(engine.asked[1].url.params) == {"q": "roof", "limit": "20"}


def test_edges_and_steps_of_another_base_never_pass() -> None:
    foreign = item("ki_2", project_id="proj_other")
    edges = [{"item": row, "type": "mentions", "depth": 1, **EDGE} for row in (item(), foreign)]
    steps = [{"item": row, "round": 1, "score": 2.4, **EDGE} for row in (item(), foreign)]
    near = [{**ENTITY, "depth": 0}]
    shared = {"entity": ENTITY, "view_id": VIEW}
    engine = Engine(
        {
            f"GET projects/{BASE}/neighbors": {"entities": near, "edges": edges, "truncated": True, **shared},
            f"POST projects/{BASE}/walk": {"query": "roof", "steps": steps, **shared},
        }
    )
    around = engine.provider().neighbours(SCOPE, "Hall", depth=2)
    walked = engine.provider().walk(SCOPE, "Hall", "roof", budget=3)
    assert isinstance(around, Ok)
    assert isinstance(walked, Ok)
    assert [edge.statement.id for edge in around.value.edges] == ["ki_1"]
    assert (around.value.entities[0][1], around.value.is_truncated) == (0, True)
    assert [(step.statement.id, step.score) for step in walked.value.steps] == [("ki_1", 2.4)]
    assert sent(engine.asked[1])["budget"] == 3
    assert len(engine.alarms) == 2


def test_history_is_read_and_an_id_that_is_none_is_not_asked_for() -> None:
    past = {
        "item_id": "ki_1", "statement": "The roof is red.", "attribute_key": None, "attribute_value": None,
        "support": "direct_fact", "confidence": 0.9, "status": "superseded", "effective_date": None, "recorded_at": AT,
        "revision_from": 1, "revision_to": None, "ended_at": AT, "ended_because": "newer_version",
        "superseded_by": None, "source_ids": ["src_1"], "scope": "general",
    }  # fmt: skip
    engine = Engine({"GET knowledge/ki_1/history": page(past)})
    found = engine.provider().history(SCOPE, "ki_1")
    assert isinstance(found, Ok)
    assert [(one.ended_because, one.ended_at is not None) for one in found.value.items] == [("newer_version", True)]
    assert [one.band for one in found.value.items] == [Band.GENERAL]
    assert isinstance(engine.provider().history(SCOPE, "../x"), Failed)
    assert len(engine.asked) == 1


def test_only_a_plain_ok_about_what_was_asked_lets_a_reference_stand() -> None:
    def answer(request: httpx2.Request) -> object:
        states = ["ok", "fine", "unavailable"]
        asked = sent(request)["references"]
        assert isinstance(asked, list)
        rows = [{"item_id": one["item_id"], "state": state} for one, state in zip(asked, states, strict=False)]
        return {"items": rows, "view_id": VIEW}

    engine = Engine({f"POST projects/{BASE}/references/check": answer})
    held = [Reference("ki_1", evidence_id="ev_1", span=(0, 5)), Reference("ki_2"), Reference("ki_3")]
    found = engine.provider().check_references(SCOPE, held)
    assert isinstance(found, Ok)
    assert [one.is_ok for one in found.value.items] == [True, False, False]
    first = sent(engine.asked[0])["references"]
    assert isinstance(first, list)
    assert first[0] == {"item_id": "ki_1", "evidence_id": "ev_1", "start": 0, "end": 5}
    other = engine.provider().check_references(SCOPE, [*held, Reference("ki_4")])
    assert isinstance(other, Failed)
    assert other.failure is Failure.MALFORMED


@pytest.mark.parametrize("reason", ["Knowledge is switched off."])
def test_what_is_switched_off_answers_none_of_them(reason: str) -> None:
    refusing = NullProvider(reason)
    answers = (
        refusing.recall(SCOPE, "roof"),
        refusing.walk(SCOPE, "Hall", "roof"),
        refusing.neighbours(SCOPE, "Hall"),
        refusing.history(SCOPE, "ki_1"),
        refusing.check_references(SCOPE, []),
    )
    assert {one.reason for one in answers} == {reason}
