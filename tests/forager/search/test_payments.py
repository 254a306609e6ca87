"""The retrieval examples of the payments slice (a claim graph's book): same sets, first hits, tiers and walk scores."""

from typing import Any

import pytest
from django.utils import timezone

from forager.model.blobs import Blob
from forager.model.ids import sha256_text
from forager.model.models import Document, KnowledgeBase, Source
from forager.parsing.registry import parse
from forager.pipeline import document_stages, registration
from forager.search import keeping
from tests.forager.conftest import Api

DEPENDS = {"attribute": "depends_on", "source_type": "code", "confidence": 0.95}
SLICE: list[dict[str, Any]] = [
    {"subject": "billing", "value": "stripe-client", "object_entity": "stripe-client", **DEPENDS},
    {"subject": "stripe-client", "value": "http-kit", "object_entity": "http-kit", **DEPENDS},
    {
        "subject": "billing", "attribute": "prefers", "value": "idempotency keys on retries",
        "source_type": "user-assertion", "epistemic": "preference", "confidence": 0.8,
    },
    {
        "subject": "billing", "attribute": "decided_against", "value": "polling for webhook delivery",
        "source_type": "decision-record", "epistemic": "commitment", "confidence": 0.8,
    },
    {"subject": "checkout", "value": "billing", "object_entity": "billing", **DEPENDS},
]  # fmt: skip
STRIPE = "billing depends on stripe-client"
HTTP_KIT = "stripe-client depends on http-kit"
RETRIES = "billing prefers idempotency keys on retries"
WEBHOOKS = "billing decided against polling for webhook delivery"
CHECKOUT = "checkout depends on billing"
SESSION = "Debugged the flaky payout cron; root cause was a timezone mismatch between the scheduler and the bank API.\n"
TRANSCRIPT = (
    "user: the payout cron failed again\n"
    "agent: the bank sandbox rejects amounts over 10000 cents in test mode\n"
    "user: right, cap the fixture amounts\n"
)


@pytest.fixture
def payments(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    for fact in SLICE:
        statement = f"{fact['subject']} {fact['attribute'].replace('_', ' ')} {fact['value']}"
        api.post(f"/projects/{base.pk}/knowledge", {"statement": statement, **fact}, status=201)
    return base


def keep(base: KnowledgeBase, path: str, text: str) -> None:
    """A source that is read and gave no statement, as an episode of which only the words were kept."""
    parsed = parse(text.encode(), path)
    blob = Blob(sha256_text(text), len(text.encode()))
    source = registration.register(base, path, blob, origin_kind="upload").source
    document_stages._store_text(source, parsed, sha256_text(path), ())
    document_stages._store_chunks(source, parsed)
    source.processing_status, source.registered_at = "indexed", timezone.now()
    source.save()
    Document.objects.filter(pk=source.document_id).update(state="active", current_source_id=source.pk)
    assert Source.objects.get(pk=source.pk).chunk_count
    keeping.rebuild(base)


def found(answer: Any) -> list[str]:
    return [hit["item"]["statement"] for hit in answer["knowledge"]]


def test_hybrid_search_finds_the_words_the_entity_and_what_is_next_to_it(api: Api, payments: KnowledgeBase) -> None:
    hits = found(api.get(f"/projects/{payments.pk}/search", q="billing retries"))
    assert set(hits) == {RETRIES, CHECKOUT, STRIPE, WEBHOOKS, HTTP_KIT}
    assert hits[0] == RETRIES


def test_a_question_that_names_an_entity_alone_lands_on_it(api: Api, payments: KnowledgeBase) -> None:
    answer = api.get(f"/projects/{payments.pk}/search", q="stripe-client")
    hits = found(answer)
    assert set(hits) == {STRIPE, HTTP_KIT, WEBHOOKS, RETRIES}
    assert hits[0] == STRIPE
    assert [e["canonical_name"] for e in answer["entities"]] == ["stripe-client"]
    beside = next(h for h in answer["knowledge"] if h["item"]["statement"] == WEBHOOKS)
    assert beside["why"] == "a neighbour of stripe-client"
    assert [r["route"] for r in beside["routes"]] == ["neighbour"]


def test_the_neighbourhood_of_two_steps_goes_both_ways(api: Api, payments: KnowledgeBase) -> None:
    answer = api.get(f"/projects/{payments.pk}/neighbors", entity="billing", depth=2)
    assert sorted(e["canonical_name"] for e in answer["entities"]) == [
        "billing",
        "checkout",
        "http-kit",
        "stripe-client",
    ]
    assert len(answer["edges"]) == 5
    ids = {e["canonical_name"]: e["id"] for e in answer["entities"]}
    inward = next(e for e in answer["edges"] if e["item"]["statement"] == CHECKOUT)
    assert (inward["from_id"], inward["to_id"], inward["inverse"]) == (ids["checkout"], ids["billing"], True)
    onward = next(e for e in answer["edges"] if e["item"]["statement"] == HTTP_KIT)
    assert (onward["from_id"], onward["to_id"], onward["inverse"], onward["depth"]) == (
        ids["stripe-client"],
        ids["http-kit"],
        False,
        2,
    )
    assert {e["canonical_name"]: e["depth"] for e in answer["entities"]} == {
        "billing": 0,
        "checkout": 1,
        "stripe-client": 1,
        "http-kit": 2,
    }


def test_the_walk_from_checkout_reaches_the_standing_decision_first(api: Api, payments: KnowledgeBase) -> None:
    asked = {"entity": "checkout", "query": "webhook delivery", "budget": 5}
    steps = api.post(f"/projects/{payments.pk}/walk", asked)["steps"]
    scores = {s["item"]["statement"]: s["score"] for s in steps}
    assert steps[0]["item"]["statement"] == WEBHOOKS
    assert scores == {
        WEBHOOKS: pytest.approx(2.4, abs=1e-6),
        CHECKOUT: pytest.approx(0.95, abs=1e-6),
        HTTP_KIT: pytest.approx(0.95, abs=1e-6),
        STRIPE: pytest.approx(0.95, abs=1e-6),
        RETRIES: pytest.approx(0.8, abs=1e-6),
    }


def test_statements_answer_where_there_are_some(api: Api, payments: KnowledgeBase) -> None:
    answer = api.post(f"/projects/{payments.pk}/recall", {"query": "idempotency retries"})
    assert (answer["tier"], found(answer)[0]) == ("statements", RETRIES)


def test_else_what_a_source_is_about(api: Api, payments: KnowledgeBase) -> None:
    keep(payments, "session-42.txt", SESSION)
    keep(payments, "session-43.txt", TRANSCRIPT)
    answer = api.post(f"/projects/{payments.pk}/recall", {"query": "payout cron timezone"})
    assert answer["tier"] == "summaries"
    (summary,) = answer["summaries"]
    assert summary["source_path"] == "session-42.txt"
    assert [s["text"] for s in summary["sentences"]] == [SESSION.strip()]
    assert summary["matched_words"] == ["payout", "cron", "timezone"]


def test_else_its_raw_lines(api: Api, payments: KnowledgeBase) -> None:
    keep(payments, "session-42.txt", SESSION)
    keep(payments, "session-43.txt", TRANSCRIPT)
    answer = api.post(f"/projects/{payments.pk}/recall", {"query": "sandbox amount limit"})
    assert answer["tier"] == "raw"
    (raw,) = answer["raw"]
    assert [line["text"] for line in raw["lines"]] == TRANSCRIPT.splitlines()[1:]
    assert all(TRANSCRIPT[line["start"] : line["end"]] == line["text"] for line in raw["lines"])


def test_and_what_nobody_knows_is_answered_with_nothing(api: Api, payments: KnowledgeBase) -> None:
    keep(payments, "session-42.txt", SESSION)
    keep(payments, "session-43.txt", TRANSCRIPT)
    answer = api.post(f"/projects/{payments.pk}/recall", {"query": "kafka partitioning strategy"})
    assert answer["tier"] == "nothing"
    assert (answer["knowledge"], answer["summaries"], answer["raw"]) == ([], [], [])
    assert answer["looked"] == [{"tier": t, "hits": 0} for t in ("statements", "summaries", "raw")]
    assert found(api.get(f"/projects/{payments.pk}/search", q="kafka partitioning strategy")) == []
