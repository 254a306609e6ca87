"""What a page about a source, or about a statement, reads in one request, held against the single routes."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forager.api import briefs
from forager.model.models import KnowledgeBase, Source, SourceText
from forager.pipeline import registration
from tests.forager.conftest import Api, work

NOTE = "The fee of Pier Nine is 10 EUR.\n\nThe opening time of Gate Four is 9:00."
NEWER = "The fee of Pier Nine is 12 EUR.\n\nThe opening time of Gate Four is 9:00."


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, {"note.txt": NOTE, "other.txt": "The fee of Pier Nine is 14 EUR."})
    return base


def source_id(path: str = "note.txt") -> str:
    return Source.objects.filter(path=path).order_by("-sequence").values_list("pk", flat=True)[0]


def statements(api: Api, base: KnowledgeBase, **where: Any) -> Any:
    whole = {"expand": "evidence,entities,conflicts", **where}
    return api.get(f"/projects/{base.pk}/knowledge", **whole)["items"]


def suspend(api: Api, document: str) -> None:
    body = {"state": "suspended", "reason": "under review", "reason_code": "under_review", "actor": "mara"}
    api.post(f"/documents/{document}/state", body)


def test_the_brief_of_a_source_says_what_the_single_routes_say(api: Api, loaded: KnowledgeBase) -> None:
    source = source_id()
    brief = api.get(f"/sources/{source}/brief")
    assert brief["source"] == api.get(f"/sources/{source}")
    assert brief["text"] == api.get(f"/sources/{source}/text")
    assert brief["document"] == api.get(f"/documents/{brief['source']['document_id']}")
    assert brief["items"] == statements(api, loaded, source=source, page_size=200)
    assert len(brief["items"]) == 2
    loaded.refresh_from_db()
    assert (brief["project_id"], brief["view_id"]) == (loaded.pk, loaded.view_id)
    assert (brief["truncated"], brief["changes"]) == (False, None)


def test_of_two_versions_it_tells_what_changed(api: Api, loaded: KnowledgeBase) -> None:
    api.load(loaded.pk, {"note.txt": NEWER})
    source = source_id()
    brief = api.get(f"/sources/{source}/brief")
    assert brief["changes"] == api.get(f"/sources/{source}/changes")
    assert [part["after"] for part in brief["changes"]["changes"]] == ["The fee of Pier Nine is 12 EUR."]


def test_a_withheld_source_keeps_its_words_to_those_who_may_judge_it(
    api: Api, loaded: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    api.load(loaded.pk, {"note.txt": NEWER})
    source = source_id()
    suspend(api, api.get(f"/sources/{source}")["document_id"])
    work()
    reader = token_for(loaded.pk, scopes=("read",))
    reader.get(f"/sources/{source}/text", expect=404)
    brief = reader.get(f"/sources/{source}/brief")
    assert (brief["text"], brief["changes"], brief["items"]) == (None, None, [])
    assert "Pier" not in str(brief)
    assert api.get(f"/sources/{source}/brief")["text"]["text"] == NEWER


def test_a_text_that_is_too_long_is_left_to_its_own_route(
    api: Api, loaded: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(briefs, "LONGEST_TEXT", len(NOTE) - 1)
    brief = api.get(f"/sources/{source_id()}/brief")
    assert (brief["text"], len(brief["items"])) == (None, 2)
    assert api.get(f"/sources/{source_id()}/text")["text"] == NOTE


def test_a_source_with_much_in_it_tells_its_first_statements_and_that_there_are_more(
    api: Api, loaded: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(briefs, "MOST_ITEMS", 1)
    brief = api.get(f"/sources/{source_id()}/brief")
    assert brief["truncated"]
    assert [each["id"] for each in brief["items"]] == [statements(api, loaded, source=source_id())[0]["id"]]


def test_a_brief_asks_the_store_equally_often_whatever_its_size(api: Api, base: KnowledgeBase) -> None:
    many = "\n\n".join(
        f"The fee of Pier {name} is {n} EUR." for n, name in enumerate(("Ada", "Bo", "Cy", "Di", "Ed"), 1)
    )
    api.load(base.pk, {"few.txt": "The fee of Pier Nine is 10 EUR.", "many.txt": many})
    asked = []
    for path in ("few.txt", "many.txt"):
        with CaptureQueriesContext(
            connection,
        ) as seen:
            found = api.get(f"/sources/{source_id(path)}/brief")
        asked.append((len(found["items"]), len(seen)))
    (few, few_queries), (more, more_queries) = asked
    assert few < more
    assert more_queries == few_queries


def test_a_band_narrows_the_statements_of_a_brief(api: Api, loaded: KnowledgeBase) -> None:
    assert len(api.get(f"/sources/{source_id()}/brief", band="tenant")["items"]) == 2
    assert api.get(f"/sources/{source_id()}/brief", band="general")["items"] == []
    api.get(f"/sources/{source_id()}/brief", expect=400, band="public")
    api.get(f"/sources/{source_id()}/brief", expect=400, colour="red")


def test_the_brief_of_a_statement_holds_it_whole_with_its_excerpts_in_context(api: Api, loaded: KnowledgeBase) -> None:
    for found in statements(api, loaded):
        brief = api.get(f"/knowledge/{found['id']}/brief")
        assert brief["item"] == found
        assert [p["evidence_id"] for p in brief["passages"]] == [e["id"] for e in found["evidence"]]
        assert {p["state"] for p in brief["passages"]} == {"whole"}


def test_an_excerpt_that_no_longer_stands_in_its_text_says_so(api: Api, loaded: KnowledgeBase) -> None:
    stored = SourceText.objects.get(source=source_id())
    stored.text = stored.text.replace("10 EUR", "11 EUR")
    stored.save()
    states = {
        found["statement"]: api.get(f"/knowledge/{found['id']}/brief")["passages"][0]["state"]
        for found in statements(api, loaded, source=source_id())
    }
    assert states == {"The fee of Pier Nine is 10 EUR.": "moved", "The opening time of Gate Four is 9:00.": "whole"}


def test_what_is_unknown_foreign_or_withheld_has_no_brief(
    api: Api, loaded: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    source, item = source_id(), statements(api, loaded, source=source_id())[0]["id"]
    elsewhere = token_for(registration.create_base("Elsewhere", namespace="01" * 16).pk)
    for path in (f"/sources/{source}/brief", f"/knowledge/{item}/brief"):
        foreign = elsewhere.get(path, expect=404)["error"]
        unknown = api.get(path.replace("src_", "src_0").replace("ki_", "ki_0"), expect=404)["error"]
        assert (foreign["code"], foreign["message"]) == (unknown["code"], unknown["message"])
    suspend(api, api.get(f"/sources/{source}")["document_id"])
    api.get(f"/knowledge/{item}/brief", expect=404)


def test_the_grounds_of_a_statement_say_what_the_single_routes_say(api: Api, loaded: KnowledgeBase) -> None:
    found = next(each for each in statements(api, loaded, source=source_id()) if each["conflict_ids"])
    (conflict,) = found["conflict_ids"]
    read = api.get(f"/conflicts/{conflict}")
    for _round in range(2):
        ruling = {"action": "neither", "expected_digest": read["digest"], "actor": "mara"}
        api.post(f"/conflicts/{conflict}/resolve", ruling)
        api.post(f"/conflicts/{conflict}/reopen", {"actor": "mara"})
    told = api.get(f"/knowledge/{found['id']}/grounds")
    assert told["item"] == statements(api, loaded, ids=found["id"])[0]
    assert told["texts"] == [api.get(f"/sources/{source_id()}/text")]
    assert told["versions"] == api.get(f"/knowledge/{found['id']}/history")["items"]
    (dispute,) = told["disputes"]
    assert dispute["conflict"] == api.get(f"/conflicts/{conflict}")
    assert dispute["rulings"] == api.get(f"/conflicts/{conflict}/brief")["trail"]
    assert len(dispute["rulings"]) == 4


def test_texts_come_along_while_they_fit(api: Api, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    same = "The fee of Pier Nine is 10 EUR."
    api.load(base.pk, {f"{name}.txt": f"{same}\n\nNote {name} was filed." for name in "abc"})
    (found,) = [each for each in statements(api, base) if each["statement"] == same]
    path, told = f"/knowledge/{found['id']}/grounds", sorted(found["source_ids"])
    assert [each["source_id"] for each in api.get(path)["texts"]] == told
    monkeypatch.setattr(briefs, "LONGEST_TEXT", 2 * len(f"{same}\n\nNote a was filed."))
    assert [each["source_id"] for each in api.get(path)["texts"]] == told[:2]


def held(found: Any) -> dict[str, Any]:
    piece = found["evidence"][0]
    names = ("source_id", "version", "start", "end", "excerpt_hash")
    return {"item_id": found["id"], "evidence_id": piece["id"], **{name: piece[name] for name in names}}


def test_the_standing_of_what_is_held_is_one_read(api: Api, loaded: KnowledgeBase) -> None:
    found = statements(api, loaded, source=source_id())
    references = [*(held(each) for each in found), {"item_id": "ki_none"}, {**held(found[0]), "start": 1}]
    path = f"/projects/{loaded.pk}/references"
    told = api.post(f"{path}/standing", {"references": references})
    checked = api.post(f"{path}/check", {"references": references, "include_historical": True})
    assert (told["items"], told["view_id"]) == (checked["items"], checked["view_id"])
    assert [each["state"] for each in told["items"]] == ["ok", "ok", "unavailable", "unavailable"]
    bare = api.get(f"/projects/{loaded.pk}/knowledge", source=source_id())["items"]
    assert told["knowledge"] == bare
    assert told["sources"] == [api.get(f"/sources/{source_id()}")]
    assert told["successors"] == []


def test_what_took_the_place_of_a_statement_comes_along(api: Api, loaded: KnowledgeBase) -> None:
    found = next(each for each in statements(api, loaded, source=source_id()) if each["conflict_ids"])
    read = api.get(f"/conflicts/{found['conflict_ids'][0]}")
    side = next(each for each in read["sides"] if found["id"] not in each["item_ids"])
    ruling = {"action": "choose_side", "side_id": side["id"], "expected_digest": read["digest"], "actor": "mara"}
    api.post(f"/conflicts/{read['id']}/resolve", ruling)
    told = api.post(f"/projects/{loaded.pk}/references/standing", {"references": [held(found)]})
    assert [each["status"] for each in told["knowledge"]] == ["superseded"]
    assert [each["id"] for each in told["successors"]] == side["item_ids"]
    assert [each["state"] for each in told["items"]] == ["ok"]


def test_the_standing_keeps_to_its_base_and_its_band(api: Api, loaded: KnowledgeBase) -> None:
    other = registration.create_base("Elsewhere", namespace="01" * 16)
    references = [held(each) for each in statements(api, loaded, source=source_id())]
    for path, more in ((other.pk, {}), (loaded.pk, {"band": "general"})):
        told = api.post(f"/projects/{path}/references/standing", {"references": references, **more})
        assert {each["state"] for each in told["items"]} == {"unavailable"}
        assert told["knowledge"] == told["successors"] == []
    assert api.post(f"/projects/{other.pk}/references/standing", {"references": references})["sources"] == []
