"""What a caller may not see is in no answer of any ranked read, by band, by lifecycle and by base."""

from collections.abc import Callable
from typing import Any

import pytest

from forager.model.models import Document, KnowledgeBase
from forager.pipeline import registration
from forager.review import lifecycle
from tests.forager.conftest import Api

OPEN = "# Harbour\n\nThe crane of Pier Nine lifts 40 t. The crane of Pier Nine is painted yellow.\n"
CLOSED = "# Secrets\n\nThe crane of Pier Nine was sold to Ada Lovelace. Ada Lovelace lives in Ashby.\n"
HIDDEN = ("sold", "Ashby", "Secrets", "closed.md")


@pytest.fixture
def harbour(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, {"open.md": OPEN, "closed.md": CLOSED})
    Document.objects.filter(path="open.md").update(band="general")
    return base


def reads(api: Api, base: str, **asked: Any) -> dict[str, Any]:
    """One answer of each ranked read, about what the closed document speaks of."""
    question = "crane sold Ashby"
    path = f"/projects/{base}"
    return {
        "search": api.get(f"{path}/search", q=question, include_chunks="true", **asked),
        "recall": api.post(f"{path}/recall", {"query": question, **asked}),
        "summaries": api.post(f"{path}/recall", {"query": question, "min_hits": 200, **asked}),
        "neighbors": api.get(f"{path}/neighbors", entity="Pier Nine", depth=2, **asked),
        "walk": api.post(f"{path}/walk", {"entity": "Pier Nine", "query": question, **asked}),
        "list": api.get(f"{path}/knowledge", **asked),
    }


def told(answer: Any) -> str:
    """Everything an answer says but the question itself."""
    return str({k: v for k, v in answer.items() if k not in ("query", "parsed")})


def test_everything_is_told_to_who_may_see_it(api: Api, harbour: KnowledgeBase) -> None:
    answers = reads(api, harbour.pk)
    for name in ("search", "recall", "neighbors", "walk", "list"):
        assert "sold" in told(answers[name]), name


def test_a_general_reader_is_told_nothing_of_the_tenant(api: Api, harbour: KnowledgeBase) -> None:
    for name, answer in reads(api, harbour.pk, band="general").items():
        assert "yellow" in told(answer) or name == "summaries", name
        assert not any(word in told(answer) for word in HIDDEN), name


def test_an_entity_only_the_tenant_speaks_of_is_unknown_to_a_general_reader(api: Api, harbour: KnowledgeBase) -> None:
    path = f"/projects/{harbour.pk}"
    assert api.get(f"{path}/search", q="Ada Lovelace")["entities"]
    assert api.get(f"{path}/search", q="Ada Lovelace", band="general")["entities"] == []
    known = api.get(f"{path}/neighbors", entity="Ada Lovelace", band="general", expect=404)["error"]
    unknown = api.get(f"{path}/neighbors", entity="Nobody Known", band="general", expect=404)["error"]
    assert (known["code"], known["message"]) == (unknown["code"], unknown["message"])


def test_a_reference_to_the_tenant_is_unavailable_to_a_general_reader(api: Api, harbour: KnowledgeBase) -> None:
    items = api.get(f"/projects/{harbour.pk}/knowledge")["items"]
    references = [{"item_id": i["id"]} for i in items]
    answer = api.post(f"/projects/{harbour.pk}/references/check", {"references": references, "band": "general"})
    for item, checked in zip(items, answer["items"], strict=True):
        assert (checked["state"] == "ok") == (item["scope"] == "general")


def test_a_suspended_document_is_in_no_answer(api: Api, harbour: KnowledgeBase) -> None:
    change = lifecycle.Change(state="suspended", actor="ada", reason="x", code="under_review")
    lifecycle.change_state(Document.objects.get(path="closed.md").pk, change)
    for asked in ({}, {"include_historical": True}, {"as_of": "2030-01-01"}):
        shown = {k: str(v).lower() if isinstance(v, bool) else v for k, v in asked.items()}
        path = f"/projects/{harbour.pk}"
        answers = {
            "search": api.get(f"{path}/search", q="crane sold Ashby", include_chunks="true", **shown),
            "recall": api.post(f"{path}/recall", {"query": "crane sold Ashby", **asked}),
            "lines": api.post(f"{path}/recall", {"query": "sold Ashby", **asked}),
            "walk": api.post(f"{path}/walk", {"entity": "Pier Nine", "query": "sold Ashby", **asked}),
            "neighbors": api.get(f"{path}/neighbors", entity="Pier Nine", depth=2, **shown),
        }
        for name, answer in answers.items():
            assert not any(word in told(answer) for word in HIDDEN), name


def test_the_same_question_gets_the_same_answer(api: Api, harbour: KnowledgeBase) -> None:
    first, second = reads(api, harbour.pk), reads(api, harbour.pk)
    first["search"].pop("took_ms")
    second["search"].pop("took_ms")
    assert first == second


def test_another_base_moves_nothing(api: Api, harbour: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    before = api.get(f"/projects/{harbour.pk}/search", q="crane painted yellow")
    other = registration.create_base("Other", namespace="aa" * 16)
    api.load(other.pk, {f"{n}.txt": "The crane is painted yellow. The crane is yellow." for n in range(5)})
    after = api.get(f"/projects/{harbour.pk}/search", q="crane painted yellow")
    assert [(h["item"]["id"], h["score"], h["routes"]) for h in before["knowledge"]] == [
        (h["item"]["id"], h["score"], h["routes"]) for h in after["knowledge"]
    ]
    reader = token_for(other.pk)
    reader.get(f"/projects/{harbour.pk}/search", q="crane", expect=404)
