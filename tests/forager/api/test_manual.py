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
