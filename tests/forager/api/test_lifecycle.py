"""Lifecycle of documents over the API: permitted steps, reasons, and their effect on the very next read."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from forager.model import blobs, states
from forager.model.documents import PACKED
from forager.model.models import Document, Evidence, KnowledgeBase, ReviewEvent, Source, SourceText, Statement
from forager.pipeline import registration
from tests.forager.conftest import Api, work

FILES = {
    "plan.md": "# Project Kite\n\nThe launch date for Project Kite is March 3, 2026.\n",
    "mail.txt": "The launch date for Project Kite is April 10, 2026.\n",
    "secret.txt": "The harbour code of Quentin Zobel is 4711.\n",
}
MARKERS = ("4711", "harbour", "zobel")


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, FILES)
    return base


def document(path: str) -> str:
    return Document.objects.get(path=path).pk


def take(api: Api, path: str, state: str, status: int = 200, **more: str) -> Any:
    body = {"state": state, "reason": "as told by the owner", "actor": "mara", **more}
    return api.post(f"/documents/{document(path)}/state", body, status)


def everything(api: Api, base: KnowledgeBase) -> str:
    """All that a reader can be told of a base, as one text."""
    lists = ("knowledge", "entities", "conflicts", "exports")
    told = [api.get(f"/projects/{base.pk}/{name}", page_size=200) for name in lists]
    told.append(
        api.get(f"/projects/{base.pk}/search", q="harbour code Quentin Zobel", include_chunks="true")["knowledge"]
    )
    found = api.get(f"/projects/{base.pk}/search", q="harbour code Quentin Zobel", include_chunks="true")
    told += [found["knowledge"], found["entities"], found["chunks"]]
    return json.dumps(told).lower()


@pytest.mark.parametrize(("now", "to"), list(product(states.STATES, states.STATES)))
def test_only_the_steps_of_the_table_are_taken(api: Api, loaded: KnowledgeBase, now: str, to: str) -> None:
    Document.objects.filter(path="plan.md").update(state=now)
    allowed = states.step(now, to) is not None
    answer = take(api, "plan.md", to, 200 if allowed else 409)
    assert Document.objects.get(path="plan.md").state == (to if allowed else now)
    if allowed:
        assert (answer["state"], answer["state_by"], answer["state_reason"]) == (to, "mara", "as told by the owner")
        assert ReviewEvent.objects.get().action == f"document.{to}"
    else:
        assert not ReviewEvent.objects.exists()


def test_a_step_takes_a_reason_of_its_own(api: Api, loaded: KnowledgeBase) -> None:
    take(api, "plan.md", "suspended", 400, reason_code="legal")
    take(api, "plan.md", "suspended", 400, reason="  ")
    assert take(api, "plan.md", "suspended", reason_code="wrong_content")["state_code"] == "wrong_content"
    assert {"state": "active", "reason_codes": ["cleared", "suspended_by_mistake"]} in api.get(
        f"/documents/{document('plan.md')}"
    )["steps"]


@pytest.mark.parametrize("state", ["suspended", "revoked"])
def test_what_rests_on_it_alone_is_in_no_answer_from_the_next_read(api: Api, loaded: KnowledgeBase, state: str) -> None:
    before = api.get(f"/projects/{loaded.pk}")
    assert all(marker in everything(api, loaded) for marker in MARKERS)
    take(api, "secret.txt", state)
    after = api.get(f"/projects/{loaded.pk}")
    assert not any(marker in everything(api, loaded) for marker in MARKERS)
    assert after["view_id"] != before["view_id"]
    assert after["knowledge_count"] < before["knowledge_count"]
    assert after["entity_count"] < before["entity_count"]


def test_a_conflict_that_loses_a_side_is_moot_and_comes_back_with_it(api: Api, loaded: KnowledgeBase) -> None:
    def conflict() -> Any:
        return api.get(f"/projects/{loaded.pk}/conflicts")["items"][0]

    before = conflict()
    assert before["status"] == "open"
    take(api, "mail.txt", "suspended")
    assert (conflict()["status"], conflict()["sides"]) == ("moot", [])
    assert "April" not in json.dumps(conflict())
    assert api.get(f"/projects/{loaded.pk}")["open_conflict_count"] == 0
    [left] = api.get(f"/projects/{loaded.pk}/knowledge", attribute_key="kite|launch_date")["items"]
    assert left["status"] == "active"
    take(api, "mail.txt", "active")
    assert conflict() == before


def test_a_job_while_it_is_suspended_loses_nothing_of_the_conflict(api: Api, loaded: KnowledgeBase) -> None:
    before = api.get(f"/projects/{loaded.pk}/conflicts")["items"][0]
    take(api, "mail.txt", "suspended")
    api.post(f"/projects/{loaded.pk}/process", {"force": True}, 202)
    work()
    take(api, "mail.txt", "active")
    assert api.get(f"/projects/{loaded.pk}/conflicts")["items"][0]["digest"] == before["digest"]


def test_a_ruling_for_a_side_that_is_withheld_holds_nobody_down(api: Api, loaded: KnowledgeBase) -> None:
    conflict = api.get(f"/projects/{loaded.pk}/conflicts")["items"][0]
    side = next(s for s in conflict["sides"] if s["value"].startswith("2026-04"))
    ruling = {"action": "choose_side", "side_id": side["id"], "expected_digest": conflict["digest"], "actor": "mara"}
    api.post(f"/conflicts/{conflict['id']}/resolve", ruling)
    take(api, "mail.txt", "revoked")
    [left] = api.get(f"/projects/{loaded.pk}/knowledge", attribute_key="kite|launch_date")["items"]
    assert (left["status"], left["superseded_by"]) == ("active", None)


def test_evidence_of_a_withheld_document_is_not_shown_with_a_statement_that_stands(
    api: Api, base: KnowledgeBase
) -> None:
    api.load(base.pk, {"a.txt": "The fee of Kite is 12 EUR.\n", "b.txt": "The fee of Kite is 12 EUR.\n\nMore.\n"})
    [item] = [i for i in api.get(f"/projects/{base.pk}/knowledge")["items"] if i["evidence_count"] == 2]
    take(api, "b.txt", "suspended")
    item = api.get(f"/knowledge/{item['id']}")
    assert {e["source_path"] for e in item["evidence"]} == {"a.txt"}
    assert item["evidence_count"] == 1


def test_degraded_is_told_and_retiring_is_history(api: Api, loaded: KnowledgeBase) -> None:
    take(api, "secret.txt", "degraded")
    found = api.get(f"/projects/{loaded.pk}/search", q="harbour code")["knowledge"]
    assert found[0]["item"]["status"] == "stale"
    take(api, "secret.txt", "active")
    take(api, "secret.txt", "retiring")
    assert api.get(f"/projects/{loaded.pk}/search", q="harbour code")["knowledge"] == []
    assert api.get(f"/projects/{loaded.pk}/search", q="harbour code", include_historical="true")["knowledge"]


def test_its_text_is_for_those_who_may_judge_it(api: Api, loaded: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    reader = token_for(loaded.pk, scopes=("read",))
    source = Source.objects.get(path="secret.txt").pk
    reader.get(f"/sources/{source}/text")
    take(api, "secret.txt", "suspended")
    for path in ("text", "content", "changes"):
        reader.get(f"/sources/{source}/{path}", expect=404)
    api.get(f"/sources/{source}/text")


def test_a_token_without_review_only_proposes(api: Api, base: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    agent = token_for(base.pk, scopes=("read", "ingest"))
    assert agent.upload(base.pk, {"secret.txt": FILES["secret.txt"].encode()})["items"][0]["state"] == "proposed"
    agent.post(f"/projects/{base.pk}/process", status=202)
    work()
    assert not any(marker in everything(api, base) for marker in MARKERS)
    take(api, "secret.txt", "approved")
    api.post(f"/projects/{base.pk}/process", status=202)
    work()
    assert all(marker in everything(api, base) for marker in MARKERS)


def delete(api: Api, path: str) -> None:
    take(api, path, "retiring")
    take(api, path, "deleted", reason_code="owner_request")


def test_deleting_removes_bytes_texts_excerpts_and_exports_and_leaves_a_tombstone(
    api: Api, loaded: KnowledgeBase, own_folder: Path
) -> None:
    api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, 202)
    from forager.interchange import writing

    writing.write_waiting()
    source = Source.objects.get(path="secret.txt")
    path = blobs.path_of(source.content_hash)
    delete(api, "secret.txt")
    work()
    assert not path.exists()
    assert not SourceText.objects.filter(source=source).exists()
    assert not Evidence.objects.filter(source=source).exists()
    assert not Statement.objects.filter(text__icontains="harbour").exists()
    assert not any(marker in everything(api, loaded) for marker in MARKERS)
    told = api.get(f"/sources/{source.pk}")
    assert (told["processing_status"], told["state"]) == ("deleted", "deleted")
    assert told["content_hash"] == source.content_hash
    left = [f for f in own_folder.rglob("*") if f.is_file() and b"4711" in f.read_bytes()]
    assert left == []


def test_the_path_of_a_deleted_document_takes_no_new_one(api: Api, loaded: KnowledgeBase) -> None:
    delete(api, "secret.txt")
    answer = api.upload(loaded.pk, {"secret.txt": FILES["secret.txt"].encode()})
    assert [r["code"] for r in answer["refused"]] == ["was_deleted"]


def test_bytes_another_document_has_too_stay(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The fee is 12 EUR.", "b.txt": "The fee is 12 EUR."})
    delete(api, "a.txt")
    work()
    source = Source.objects.get(path="b.txt")
    assert blobs.path_of(source.content_hash).exists()
    assert api.get(f"/projects/{base.pk}/knowledge")["items"][0]["evidence_count"] == 1
    assert source.duplicate_of == ""


def test_what_was_deleted_is_given_out_by_no_route_though_another_document_has_the_same_bytes(
    api: Api, base: KnowledgeBase, token_for: Callable[..., Api]
) -> None:
    other = registration.create_base("Twin", namespace="11" * 16)
    same = "The harbour code of Quentin Zobel is 4711."
    api.load(other.pk, {"theirs.txt": same})
    api.load(base.pk, {"mine.txt": same, "copy.txt": same, "alone.txt": f"{same} Once."})
    for path in ("mine.txt", "alone.txt"):
        delete(api, path)
    work()
    reader = token_for(base.pk, scopes=("read",))
    sources = [Source.objects.get(path=path).pk for path in ("mine.txt", "alone.txt")]
    for source in sources:
        assert api.get(f"/sources/{source}/content", expect=404)["error"]["code"] == "not_found"
        assert "4711" not in json.dumps([api.get(f"/sources/{source}{p}") for p in ("", "/text", "/brief", "/changes")])
        for part in ("content", "text", "changes"):
            reader.get(f"/sources/{source}/{part}", expect=404)
    for path in ("copy.txt", "theirs.txt"):
        assert b"4711" in api.get(f"/sources/{Source.objects.get(path=path).pk}/content")


def test_the_original_of_what_a_package_brought_is_not_given_out_of_another_document(
    api: Api, loaded: KnowledgeBase
) -> None:
    source = Source.objects.get(path="secret.txt")
    api.get(f"/sources/{source.pk}/content")
    Source.objects.filter(pk=source.pk).update(origin_kind=PACKED)
    api.get(f"/sources/{source.pk}/content", expect=404)


def test_the_band_is_set_with_a_reason_and_counts_at_once(api: Api, loaded: KnowledgeBase) -> None:
    where = f"/api/documents/{document('secret.txt')}"

    def patch(status: int, **body: object) -> Any:
        answer = api.client.patch(where, json.dumps({"actor": "mara", **body}), content_type="application/json")
        return api._checked(answer, status)  # type: ignore[arg-type]

    patch(400, band="general")
    changed = patch(200, band="general", reason="it is on the web anyway", owner="tomas", authoritative=True)
    assert (changed["band"], changed["owner"], changed["authoritative"]) == ("general", "tomas", True)
    [hit] = api.get(f"/projects/{loaded.pk}/search", q="harbour code", band="general")["knowledge"]
    assert hit["item"]["scope"] == "general"
    assert ReviewEvent.objects.get().before == {"band": "tenant", "owner": "", "authoritative": False}


def test_a_changed_file_is_a_new_version_that_says_what_changed(api: Api, loaded: KnowledgeBase) -> None:
    api.load(loaded.pk, {"plan.md": FILES["plan.md"].replace("March 3", "March 9") + "\nA new line stands here.\n"})
    newest = Source.objects.filter(path="plan.md").latest("sequence")
    told = api.get(f"/sources/{newest.pk}/changes")
    assert [c["kind"] for c in told["changes"]] == ["changed", "added"]
    assert "March 9" in told["changes"][0]["after"]
    first = Source.objects.filter(path="plan.md").earliest("sequence")
    assert api.get(f"/sources/{first.pk}/changes") == {
        "source_id": first.pk,
        "against": None,
        "changes": [],
        "truncated": False,
    }


def test_a_band_holds_on_every_route_of_a_search(api: Api, loaded: KnowledgeBase) -> None:
    Document.objects.filter(path="mail.txt").update(band="general")
    found = api.get(f"/projects/{loaded.pk}/search", q="Project Kite launch date", band="general")["knowledge"]
    assert {d for hit in found for d in hit["item"]["document_ids"]} == {document("mail.txt")}
    Document.objects.filter(path="mail.txt").update(state="suspended")
    assert api.get(f"/projects/{loaded.pk}/search", q="Project Kite launch date", band="general")["knowledge"] == []
