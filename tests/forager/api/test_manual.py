"""What a person wrote outlives every run over the base."""

from typing import Any

import pytest

from forager.model.models import Evidence, KnowledgeBase, Source
from forager.pipeline import verification
from tests.forager.conftest import Api, work

MEMO = "The launch date for Project Kite is March 3, 2026.\n\nThe pad is reserved by a letter of intent.\n"
LETTER = "The pad is reserved by a letter of intent."
MADE = {"statement": "The pad is not paid for.", "subject": "pad", "attribute": "payment", "value": "open"}


def said(api: Api, base: KnowledgeBase) -> dict[str, Any]:
    return {i["statement"]: i for i in api.get(f"/projects/{base.pk}/knowledge")["items"]}


@pytest.mark.parametrize("rests", [False, True])
def test_a_statement_made_by_hand_outlives_the_runs(api: Api, base: KnowledgeBase, *, rests: bool) -> None:
    api.load(base.pk, {"memo.txt": MEMO})
    source = Source.objects.get()
    at = source.stored.text.index(LETTER)
    evidence = {"evidence": {"source_id": source.pk, "start": at, "end": at + len(LETTER)}} if rests else {}
    made = api.post(f"/projects/{base.pk}/knowledge", {**MADE, **evidence}, status=201)
    api.load(base.pk, {"more.txt": "The fee of Kite is 10 EUR."})
    api.post(f"/projects/{base.pk}/process", {"force": True}, 202)
    work()
    base.refresh_from_db()
    kept = said(api, base)[MADE["statement"]]
    assert (kept["id"], kept["evidence_count"]) == (made["id"], int(rests))
    assert Evidence.objects.at(base.current_revision).filter(item_id=made["id"]).count() == int(rests)
    assert [f.kind for f in verification.findings()] == []


def test_a_change_keeps_what_it_was_and_who_changed_it(api: Api, base: KnowledgeBase) -> None:
    made = api.post(f"/projects/{base.pk}/knowledge", MADE, status=201)
    api.load(base.pk, {"memo.txt": MEMO})
    source = Source.objects.get()
    at = source.stored.text.index(LETTER)
    span = {"source_id": source.pk, "start": at, "end": at + len(LETTER)}
    change = {"confidence": 0.8, "valid_from": "2026-03-01", "evidence": span, "actor": "ada", "notes": "found it"}
    changed = api.patch(f"/knowledge/{made['id']}", change)
    assert (changed["id"], changed["support"], changed["confidence"]) == (made["id"], "direct_fact", 0.8)
    assert (changed["effective_date"], changed["evidence"][0]["excerpt"]) == ("2026-03-01", LETTER)
    past = api.get(f"/knowledge/{made['id']}/history")["items"]
    assert [(p["support"], p["confidence"]) for p in past] == [("unverified_claim", 0.3), ("direct_fact", 0.8)]
    event = api.get(f"/projects/{base.pk}/review-events")["items"][0]
    assert (event["action"], event["actor"], event["notes"]) == ("statement_changed", "ada", "found it")
    assert event["before"]["support"] == "unverified_claim"
    api.post(f"/projects/{base.pk}/process", {"force": True}, 202)
    work()
    assert said(api, base)[MADE["statement"]]["confidence"] == 0.8
    assert [f.kind for f in verification.findings()] == []


def test_a_change_at_once_needs_no_second_version(api: Api, base: KnowledgeBase) -> None:
    made = api.post(f"/projects/{base.pk}/knowledge", MADE, status=201)
    api.patch(f"/knowledge/{made['id']}", {"confidence": 0.5})
    assert [p["confidence"] for p in api.get(f"/knowledge/{made['id']}/history")["items"]] == [0.5]
    assert api.get(f"/projects/{base.pk}/search", q="pad paid")["knowledge"][0]["item"]["confidence"] == 0.5


def test_nothing_else_of_a_statement_can_be_changed(api: Api, base: KnowledgeBase) -> None:
    made = api.post(f"/projects/{base.pk}/knowledge", MADE, status=201)
    refused = api.patch(f"/knowledge/{made['id']}", {"value": "paid"}, 400)
    assert "value" in refused["error"]["fields"]
    api.load(base.pk, {"memo.txt": MEMO})
    read = said(api, base)[LETTER]
    api.patch(f"/knowledge/{read['id']}", {"confidence": 0.1}, 409)
    api.patch("/knowledge/ki_unknown", {"confidence": 0.1}, 404)
    source = Source.objects.get()
    beyond = {"source_id": source.pk, "start": 0, "end": 10_000}
    api.patch(f"/knowledge/{made['id']}", {"evidence": beyond}, 400)
    assert said(api, base)[MADE["statement"]]["evidence_count"] == 0
