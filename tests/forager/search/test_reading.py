"""Reading by time, facet and field; history; references; statements made by hand. Over the API, as callers read."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forager.model.models import Document, Evidence, KnowledgeBase, Source, Statement
from forager.review import lifecycle
from forager.search import fusion
from forager.search.like import Like
from tests.forager.conftest import Api

OLD = "---\ndate: 2026-01-10\n---\n\n# Harbour\n\nThe berth fee of Pier Nine is 10 EUR.\n"
NEW = "---\ndate: 2026-03-20\n---\n\n# Harbour\n\nThe berth fee of Pier Nine is 14 EUR.\n"
OTHER = "# Store\n\nThe crane of Pier Nine lifts 40 t. Probably the crane of Pier Nine is blue.\n"
TEN, FOURTEEN, CRANE = "10 EUR", "14 EUR", "lifts 40 t"


@pytest.fixture
def harbour(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    """A document in two versions, read one after the other, and another without a date."""
    api.load(base.pk, {"fees.md": OLD, "crane.md": OTHER})
    api.load(base.pk, {"fees.md": NEW})
    base.refresh_from_db()
    return base


def said(api: Api, base: KnowledgeBase, q: str = "berth fee crane pier", **asked: Any) -> list[str]:
    return [h["item"]["statement"] for h in api.get(f"/projects/{base.pk}/search", q=q, **asked)["knowledge"]]


def says(statements: list[str], *parts: str) -> bool:
    return all(any(part in s for s in statements) for part in parts)


def item(api: Api, base: KnowledgeBase, part: str) -> Any:
    return next(i for i in api.get(f"/projects/{base.pk}/knowledge")["items"] if part in i["statement"])


def test_the_documents_are_dated_as_the_tests_suppose(harbour: KnowledgeBase) -> None:
    dates = Source.objects.filter(path="fees.md").order_by("sequence").values_list("document_date", flat=True)
    assert list(dates) == ["2026-01-10", "2026-03-20"]


def test_as_of_a_day_is_what_was_true_then(api: Api, harbour: KnowledgeBase) -> None:
    now = said(api, harbour)
    assert says(now, FOURTEEN, CRANE)
    assert not says(now, TEN)
    before = said(api, harbour, as_of="2026-02-01")
    assert says(before, TEN, CRANE)
    assert not says(before, FOURTEEN)
    assert says(said(api, harbour, as_of="2026-03-20"), FOURTEEN)
    assert not says(said(api, harbour, as_of="2025-12-31"), TEN)
    listed = api.get(f"/projects/{harbour.pk}/knowledge", as_of="2026-02-01")["items"]
    assert says([i["statement"] for i in listed], TEN)
    assert not says([i["statement"] for i in listed], FOURTEEN)


def test_as_of_reaches_the_chunks_of_that_version(api: Api, harbour: KnowledgeBase) -> None:
    def chunks(**asked: str) -> list[str]:
        found = api.get(f"/projects/{harbour.pk}/search", q="berth fee", include_chunks="true", **asked)
        return [c["snippet"] for c in found["chunks"]]

    assert says(chunks(), FOURTEEN)
    assert not says(chunks(), TEN)
    assert says(chunks(as_of="2026-02-01"), TEN)
    assert not says(chunks(as_of="2026-02-01"), FOURTEEN)


def test_a_day_the_sentence_names_begins_and_ends_it(api: Api, base: KnowledgeBase) -> None:
    made = {
        "statement": "The ferry calls at Pier Two.",
        "subject": "ferry",
        "attribute": "calls at",
        "value": "Pier Two",
    }
    api.post(f"/projects/{base.pk}/knowledge", {**made, "valid_from": "2026-05-01"}, status=201)
    assert said(api, base, "ferry") == said(api, base, "ferry", as_of="2026-05-01") == [made["statement"]]
    assert said(api, base, "ferry", as_of="2026-04-30") == []
    row = Statement.objects.get()
    row.frame = {**row.frame, "valid_to": "2026-06"}
    row.save()
    assert said(api, base, "ferry", as_of="2026-06-30") == [made["statement"]]
    assert said(api, base, "ferry", as_of="2026-07-01") == []


def test_known_at_a_time_is_what_the_base_held_then(api: Api, harbour: KnowledgeBase) -> None:
    first, second = harbour.revisions.order_by("sequence")
    between = (first.published_at + (second.published_at - first.published_at) / 2).isoformat()
    then = api.get(f"/projects/{harbour.pk}/search", q="berth fee", known_at=between)
    assert then["view_id"].startswith("1:")
    told = [h["item"]["statement"] for h in then["knowledge"]]
    assert says(told, TEN)
    assert not says(told, FOURTEEN)
    assert then["knowledge"][0]["item"]["source_ids"] == [Source.objects.get(path="fees.md", sequence=1).pk]
    now = said(api, harbour, "berth fee", known_at=timezone.now().isoformat())
    assert says(now, FOURTEEN)
    assert not says(now, TEN)
    early = (first.published_at - timedelta(days=1)).isoformat()
    assert said(api, harbour, "berth fee", known_at=early) == []


def test_known_at_a_ruling_before_and_after(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The fee of Pier Nine is 10 EUR.", "b.txt": "The fee of Pier Nine is 12 EUR."})
    (conflict,) = api.get(f"/projects/{base.pk}/conflicts")["items"]
    before = timezone.now()
    won = next(s for s in conflict["sides"] if "12" in s["value_raw"])
    ruling = {"action": "choose_side", "side_id": won["id"], "expected_digest": conflict["digest"], "actor": "ada"}
    api.post(f"/conflicts/{conflict['id']}/resolve", ruling)
    assert says(said(api, base, "fee", known_at=before.isoformat()), "10 EUR", "12 EUR")
    after = said(api, base, "fee", known_at=timezone.now().isoformat())
    assert says(after, "12 EUR")
    assert not says(after, "10 EUR")


def test_what_is_withheld_now_is_withheld_in_the_past(api: Api, harbour: KnowledgeBase) -> None:
    first = harbour.revisions.order_by("sequence")[0].published_at.isoformat()
    ids = [i["id"] for i in api.get(f"/projects/{harbour.pk}/knowledge")["items"] if "EUR" in i["statement"]]
    document = Document.objects.get(path="fees.md")
    assert says(said(api, harbour, known_at=first), TEN)
    lifecycle.change_state(
        document.pk, lifecycle.Change(state="suspended", actor="ada", reason="x", code="under_review")
    )
    for asked in ({"known_at": first}, {"as_of": "2026-02-01"}, {"include_historical": "true"}):
        assert not says(said(api, harbour, **asked), "EUR")
    for gone in ids:
        api.get(f"/knowledge/{gone}/history", expect=404)
    checked = api.post(f"/projects/{harbour.pk}/references/check", {"references": [{"item_id": i} for i in ids]})
    assert {c["state"] for c in checked["items"]} == {"unavailable"}


def test_max_age_counts_back_from_the_day_asked_about(api: Api, harbour: KnowledgeBase) -> None:
    assert says(said(api, harbour, "berth fee", as_of="2026-03-30", max_age=10), FOURTEEN)
    assert said(api, harbour, "berth fee", as_of="2026-03-31", max_age=10) == []


@pytest.mark.parametrize(
    ("facets", "finds"),
    [
        ({"support": "direct_fact", "band": "tenant"}, FOURTEEN),
        ({"support": "uncertain_inference"}, "blue"),
        ({"status": "superseded"}, TEN),
        ({"entity": "Pier Nine", "support": "uncertain_inference"}, "blue"),
    ],
)
def test_facets_narrow_inside_the_query(api: Api, harbour: KnowledgeBase, facets: dict[str, str], finds: str) -> None:
    found = said(api, harbour, **facets)
    everything = said(api, harbour, include_historical="true")
    assert says(found, finds)
    assert set(found) < set(everything)


def test_an_entity_nobody_knows_narrows_to_nothing(api: Api, harbour: KnowledgeBase) -> None:
    assert said(api, harbour, entity="Pier Ninety") == []


def test_source_and_document_narrow_statements_and_chunks(api: Api, harbour: KnowledgeBase) -> None:
    crane = Source.objects.get(path="crane.md")
    for asked in ({"source": crane.pk}, {"document": crane.document_id}):
        found = api.get(f"/projects/{harbour.pk}/search", q="pier nine", include_chunks="true", **asked)
        assert found["knowledge"]
        assert all(h["item"]["source_ids"] == [crane.pk] for h in found["knowledge"])
        assert {c["source_id"] for c in found["chunks"]} == {crane.pk}


def test_fields_of_the_question_are_taken_out_and_told(api: Api, harbour: KnowledgeBase) -> None:
    answer = api.get(
        f"/projects/{harbour.pk}/search", q='crane support:uncertain_inference entity:"Pier Nine" 2026-03-01'
    )
    assert answer["parsed"]["fields"] == {"support": "uncertain_inference", "entity": "Pier Nine"}
    assert answer["parsed"]["dates"] == ["2026-03-01"]
    assert [h["item"]["support"] for h in answer["knowledge"]] == ["uncertain_inference"]
    assert "entity Pier Nine" in answer["knowledge"][0]["why"]


def test_identifiers_stay_whole(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "INC-1842 broke the pump in room 4. The pump of 1842 was blue."})
    answer = api.get(f"/projects/{base.pk}/search", q="INC-1842")
    assert answer["parsed"]["identifiers"] == ["INC-1842"]
    assert [h["item"]["statement"] for h in answer["knowledge"]] == ["INC-1842 broke the pump in room 4."]


def test_the_beginning_of_a_last_word_finds_below_whole_words(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The harbourmaster eats bread daily. The harbour opens at 9:00."})
    assert said(api, base, "harbour") == ["The harbour opens at 9:00.", "The harbourmaster eats bread daily."]
    assert said(api, base, "harbour?") == ["The harbour opens at 9:00."]
    hits = api.get(f"/projects/{base.pk}/search", q="harbour")["knowledge"]
    assert [[r["method"] for r in hit["routes"]][1:] for hit in hits] == [["together"]] * 2, "each by its source, too"


@pytest.mark.parametrize(
    "asked", [{"as_of": "2026-13-01"}, {"as_of": "yesterday"}, {"known_at": "2026-01-01T00:00:00"}, {"max_age": -1}]
)
def test_a_time_that_is_none_is_400(api: Api, base: KnowledgeBase, asked: dict[str, Any]) -> None:
    error = api.get(f"/projects/{base.pk}/search", q="fee", expect=400, **asked)["error"]
    assert set(error["fields"]) == set(asked)


def test_history_tells_every_version_and_why_it_ended(api: Api, harbour: KnowledgeBase) -> None:
    entries = api.get(f"/knowledge/{item(api, harbour, FOURTEEN)['id']}/history")["items"]
    assert [(TEN in e["statement"], e["ended_because"]) for e in entries] == [(True, "newer_version"), (False, "")]
    assert entries[0]["ended_at"]
    assert entries[1]["ended_at"] is None


def test_history_tells_the_band_of_each_version(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The fee of Pier Nine is 10 EUR.", "b.txt": "The fee of Pier Nine is 12 EUR."})
    Document.objects.filter(path="a.txt").update(band="general")
    told = api.get(f"/knowledge/{item(api, base, 'The fee of Pier Nine is 10 EUR.')['id']}/history")["items"]
    assert {(each["statement"][-8:], each["scope"]) for each in told} == {
        (" 10 EUR.", "general"),
        (" 12 EUR.", "tenant"),
    }
    Evidence.objects.filter(excerpt__contains="10 EUR").delete()
    assert {each["scope"] for each in api.get(f"/knowledge/{told[0]['item_id']}/history")["items"]} == {"tenant"}


def test_history_keeps_what_no_document_says_any_more(api: Api, harbour: KnowledgeBase) -> None:
    crane = item(api, harbour, CRANE)
    made = {"statement": "The crane lifts 45 t.", "subject": "crane", "attribute": "lifts", "value": "45 t"}
    api.post(f"/projects/{harbour.pk}/knowledge", made, status=201)
    Statement.objects.filter(item_id=crane["id"]).update(rev_to=2, attribute_key="crane|lifts")
    mine = item(api, harbour, "45 t")
    entries = api.get(f"/knowledge/{mine['id']}/history")["items"]
    assert [(e["item_id"], e["ended_because"]) for e in entries] == [(crane["id"], "withdrawn"), (mine["id"], "")]


def test_a_ruling_is_the_reason_in_history(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The fee of Pier Nine is 10 EUR.", "b.txt": "The fee of Pier Nine is 12 EUR."})
    (conflict,) = api.get(f"/projects/{base.pk}/conflicts")["items"]
    won = next(s for s in conflict["sides"] if "12" in s["value_raw"])
    ruling = {"action": "choose_side", "side_id": won["id"], "expected_digest": conflict["digest"], "actor": "ada"}
    api.post(f"/conflicts/{conflict['id']}/resolve", ruling)
    entries = api.get(f"/knowledge/{won['item_ids'][0]}/history")["items"]
    (lost,) = [e for e in entries if e["ended_because"]]
    assert (lost["ended_because"], lost["superseded_by"]) == ("ruling", won["item_ids"][0])
    assert lost["ended_at"]


def test_a_reference_stands_while_everything_it_names_does(api: Api, harbour: KnowledgeBase) -> None:
    whole = api.get(f"/knowledge/{item(api, harbour, CRANE)['id']}")
    (shown,) = whole["evidence"]
    named = {k: shown[k] for k in ("source_id", "version", "start", "end", "excerpt_hash")}
    good = {"item_id": whole["id"], "evidence_id": shown["id"], **named}
    bad: list[dict[str, Any]] = [
        {**good, "start": shown["start"] + 1},
        {**good, "excerpt_hash": "0" * 64},
        {**good, "version": "0" * 64},
        {**good, "evidence_id": "ev_" + "0" * 20},
        {"item_id": "ki_" + "0" * 20},
        {"item_id": item(api, harbour, TEN)["id"]},
    ]
    asked = {"references": [good, {"item_id": whole["id"]}, *bad]}
    answer = api.post(f"/projects/{harbour.pk}/references/check", asked)
    assert [i["state"] for i in answer["items"]] == ["ok", "ok", *["unavailable"] * len(bad)]
    assert answer["view_id"] == harbour.view_id
    past = api.post(f"/projects/{harbour.pk}/references/check", {"references": bad[-1:], "include_historical": True})
    assert [i["state"] for i in past["items"]] == ["ok"]


def test_a_reference_to_words_that_moved_is_unavailable(api: Api, harbour: KnowledgeBase) -> None:
    whole = api.get(f"/knowledge/{item(api, harbour, CRANE)['id']}")
    source = Source.objects.get(path="crane.md")
    source.stored.text = "x" + source.stored.text
    source.stored.save()
    reference = {"item_id": whole["id"], "evidence_id": whole["evidence"][0]["id"]}
    answer = api.post(f"/projects/{harbour.pk}/references/check", {"references": [reference]})
    assert answer["items"][0]["state"] == "unavailable"


def test_checking_asks_the_same_of_the_store_whatever_the_cause(api: Api, harbour: KnowledgeBase) -> None:
    counts = set()
    for wanted in (item(api, harbour, CRANE)["id"], item(api, harbour, TEN)["id"], "ki_" + "0" * 20):
        with CaptureQueriesContext(
            connection,
        ) as caught:
            api.post(f"/projects/{harbour.pk}/references/check", {"references": [{"item_id": wanted}]})
        counts.add(len(caught))
    assert len(counts) == 1


MADE = {"statement": "The winch needs oil.", "subject": "winch", "attribute": "needs", "value": "oil"}


def test_a_statement_by_hand_is_seen_at_once_and_is_nobodys_fact(api: Api, base: KnowledgeBase) -> None:
    made = api.post(f"/projects/{base.pk}/knowledge", MADE, status=201)
    assert (made["support"], made["evidence"], made["attribute_key"]) == ("unverified_claim", [], "winch|needs")
    assert said(api, base, "winch") == ["The winch needs oil."]
    assert api.post(f"/projects/{base.pk}/knowledge", MADE, status=201)["id"] == made["id"]
    assert len(api.get(f"/projects/{base.pk}/knowledge")["items"]) == 1
    api.post(f"/projects/{base.pk}/knowledge", {**MADE, "confidence": 0.5}, status=409)
    (event,) = api.get(f"/projects/{base.pk}/review-events")["items"]
    assert (event["action"], event["target_id"]) == ("statement_made", made["id"])
    assert api.get("/feed")["events"][-1]["causation_id"] == made["id"]


def test_a_statement_by_hand_may_rest_on_an_excerpt(api: Api, harbour: KnowledgeBase) -> None:
    source = Source.objects.get(path="crane.md")
    start = source.stored.text.index("The crane")
    span = {"source_id": source.pk, "start": start, "end": start + len("The crane of Pier Nine lifts 40 t.")}
    made = api.post(f"/projects/{harbour.pk}/knowledge", {**MADE, "evidence": span}, status=201)
    assert (made["support"], made["evidence_count"]) == ("direct_fact", 1)
    assert made["evidence"][0]["excerpt"] == "The crane of Pier Nine lifts 40 t."
    for wrong in ({"end": 10_000}, {"start": span["end"]}, {"source_id": "src_0"}):
        body = {**MADE, "value": "grease", "evidence": {**span, **wrong}}
        assert api.post(f"/projects/{harbour.pk}/knowledge", body, status=400)["error"]["fields"]
    assert Evidence.objects.filter(extractor_name="manual").count() == 1


def test_a_neighbour_nobody_knows_and_one_that_is_withheld_are_both_not_found(api: Api, harbour: KnowledgeBase) -> None:
    unknown = api.get(f"/projects/{harbour.pk}/neighbors", entity="Pier Ninety", expect=404)["error"]
    for path in ("fees.md", "crane.md"):
        document = Document.objects.get(path=path)
        change = lifecycle.Change(state="suspended", actor="ada", reason="x", code="under_review")
        lifecycle.change_state(document.pk, change)
    withheld = api.get(f"/projects/{harbour.pk}/neighbors", entity="Pier Nine", expect=404)["error"]
    assert (unknown["code"], unknown["message"]) == (withheld["code"], withheld["message"])


def test_a_walk_keeps_its_budget_and_its_beam(api: Api, harbour: KnowledgeBase) -> None:
    asked = {"entity": "Pier Nine", "query": "what does the crane lift", "budget": 1, "beam": 1}
    (step,) = api.post(f"/projects/{harbour.pk}/walk", asked)["steps"]
    assert CRANE in step["item"]["statement"]
    assert step["score"] == pytest.approx(3 * step["item"]["confidence"])


def test_hidden_words_of_a_source_are_in_no_chunk(api: Api, base: KnowledgeBase) -> None:
    page = "<p>The pump runs daily.</p><p style='display:none'>zanzibar pump</p><p>The valve is open daily.</p>"
    api.load(base.pk, {"a.html": page})
    assert any(e["reason"] == "hidden" for e in Source.objects.get().stored.excluded)
    found = api.get(f"/projects/{base.pk}/search", q="zanzibar", include_chunks="true")
    assert (found["knowledge"], found["chunks"]) == ([], [])
    found = api.get(f"/projects/{base.pk}/search", q="pump", include_chunks="true")
    assert not any("zanzibar" in c["snippet"] for c in found["chunks"])


def test_the_whole_statement_tells_its_history(api: Api, harbour: KnowledgeBase) -> None:
    whole = api.get(f"/knowledge/{item(api, harbour, FOURTEEN)['id']}")
    assert whole["history"] == api.get(f"/knowledge/{whole['id']}/history")["items"]


def test_a_question_of_one_word_said_often_is_cut(api: Api, harbour: KnowledgeBase) -> None:
    often = api.get(f"/projects/{harbour.pk}/search", q="crane " * 600)
    assert len(often["parsed"]["words"]) == 8
    assert says([h["item"]["statement"] for h in often["knowledge"]], CRANE)


def test_without_its_index_the_same_conditions_hold(
    api: Api, harbour: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "active", Like)
    answer = api.get(f"/projects/{harbour.pk}/search", q="berth fee", as_of="2026-02-01", include_chunks="true")
    assert answer["backend"] == Like().name
    told = [h["item"]["statement"] for h in answer["knowledge"]]
    assert says(told, TEN)
    assert not says(told, FOURTEEN)
    assert answer["chunks"] == []
    assert said(api, harbour, "fee", support="uncertain_inference") == []
    assert api.post(f"/projects/{harbour.pk}/recall", {"query": "kafka"})["tier"] == "nothing"


def test_a_question_of_common_words_alone_is_answered_by_what_has_them_all(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The pump is in the hall. A valve leaks in winter. Bread rises."})
    assert said(api, base, "is in the")[0] == "The pump is in the hall."
    assert "Bread rises." not in said(api, base, "is in the")


def test_the_graph_adds_and_never_reorders(api: Api, base: KnowledgeBase) -> None:
    text = "Pier Nine opens daily. Pier Nine closes at noon. The crane of Pier Nine lifts 40 t. Bread rises."
    api.load(base.pk, {"a.txt": text})
    hits = api.get(f"/projects/{base.pk}/search", q="crane of Pier Nine")["knowledge"]
    assert "crane" in hits[0]["item"]["statement"]
    by_words = [h for h in hits if any(r["route"] == "text" for r in h["routes"])]
    assert hits[: len(by_words)] == by_words
