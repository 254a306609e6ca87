"""The words a base adds take effect with its next run, in that base alone, and each match says what matched."""

from typing import Any

from forager.model.models import KnowledgeBase, ReviewEvent
from forager.pipeline import lease, registration, vocabularies
from tests.forager.conftest import Api, work

DOCUMENTS = {
    "a.txt": "The shiftkeeper of Pier Nine is Ada Lovelace. The Kestrel share was gazetted.",
    "b.txt": "The Kestrel share was ungazetted.",
}
LISTING = {"listing": {"yes": ["gazetted"], "no": ["ungazetted"]}}
WORDS = {"concepts": {"owner": ["shiftkeeper"]}, "opposites": LISTING, "aliases": [["Pier Nine", "North Quay"]]}


def put(api: Api, base: str, words: dict[str, Any], status: int = 200, **more: Any) -> Any:
    now = api.get(f"/projects/{base}/vocabulary")
    body = {"words": words, "expected_digest": now["digest"], "actor": "mara", **more}
    return api.put(f"/projects/{base}/vocabulary", body, status)


def run(api: Api, base: str) -> None:
    api.post(f"/projects/{base}/process", status=202)
    work()


def keeper(api: Api, base: str) -> list[dict[str, Any]]:
    listed = api.get(f"/projects/{base}/knowledge")["items"]
    (one,) = (i for i in listed if "shiftkeeper" in i["statement"])
    return [dict(e) for e in one["entries"] if e["what"] == "attribute"]


def test_added_words_take_effect_with_the_next_run_and_say_so(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, DOCUMENTS)
    assert api.get(f"/projects/{base.pk}/conflicts")["items"] == []
    set_ = put(api, base.pk, WORDS)
    assert (set_["in_use"], set_["words"]["concepts"]) == (False, {"owner": ["shiftkeeper"]})
    assert keeper(api, base.pk) == []
    run(api, base.pk)
    assert api.get(f"/projects/{base.pk}/vocabulary")["in_use"]
    assert keeper(api, base.pk) == [
        {"what": "attribute", "word": "shiftkeeper", "entry": "concepts/owner", "added": True}
    ]
    (conflict,) = api.get(f"/projects/{base.pk}/conflicts")["items"]
    assert {s["value"] for s in conflict["sides"]} == {"gazetted", "ungazetted"}


def test_another_base_never_reads_with_them(api: Api, base: KnowledgeBase) -> None:
    other = registration.create_base("Other", namespace="11" * 16)
    put(api, base.pk, WORDS)
    api.load(base.pk, DOCUMENTS)
    api.load(other.pk, DOCUMENTS)
    assert keeper(api, base.pk)
    assert keeper(api, other.pk) == []
    assert api.get(f"/projects/{other.pk}/conflicts")["items"] == []


def test_taking_the_words_back_restores_what_was_read(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, DOCUMENTS)
    before = api.get(f"/projects/{base.pk}/knowledge")["items"]
    for words in (WORDS, {}):
        put(api, base.pk, words)
        run(api, base.pk)
    after = api.get(f"/projects/{base.pk}/knowledge")["items"]
    assert [i["id"] for i in after] == [i["id"] for i in before]
    assert [i["entries"] for i in after] == [i["entries"] for i in before]
    assert api.get(f"/projects/{base.pk}/conflicts")["items"] == []


def test_a_run_that_has_begun_keeps_the_words_it_began_with(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, DOCUMENTS)
    put(api, base.pk, WORDS)
    vocabularies.adopt(base.pk)
    put(api, base.pk, {"concepts": {"owner": ["wharfinger"]}})
    base.refresh_from_db()
    assert base.vocabulary["words"]["concepts"] == {"owner": ["shiftkeeper"]}
    lease.enqueue(base, force=False)
    work()
    base.refresh_from_db()
    assert base.vocabulary["words"]["concepts"] == {"owner": ["wharfinger"]}


def test_an_alias_of_the_vocabulary_joins_two_names_with_its_reason(api: Api, base: KnowledgeBase) -> None:
    put(api, base.pk, WORDS)
    api.load(base.pk, {"a.txt": "We met at Pier Nine on Monday. The crane at North Quay is new."})
    listed = api.get(f"/projects/{base.pk}/entities")["items"]
    (one,) = (e for e in listed if e["canonical_name"] in ("Pier Nine", "North Quay"))
    assert [a["reason"] for a in one["aliases"]] == ["the vocabulary of this base says so"]


def test_a_wrong_word_is_refused_and_a_moved_vocabulary_is_a_conflict(api: Api, base: KnowledgeBase) -> None:
    error = put(api, base.pk, {"concepts": {"owner": ["budget"]}}, status=400)["error"]
    assert "already means budget" in error["fields"]["words.concepts.owner"]
    put(api, base.pk, WORDS, status=409, expected_digest="0" * 64)
    assert not ReviewEvent.objects.exists()
    put(api, base.pk, WORDS, notes="the port's own words")
    (event,) = ReviewEvent.objects.all()
    assert (event.action, event.actor, event.notes) == ("vocabulary", "mara", "the port's own words")
