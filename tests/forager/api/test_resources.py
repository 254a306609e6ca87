import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from django.utils import timezone

from forager.interchange import writing
from forager.model.models import Document, Export, KnowledgeBase, Statement
from forager.process.work import look_after
from forager.search import fusion
from tests.forager.conftest import Api

TEXTS = {
    "plan.md": "# Project Kite\n\nThe launch date for Project Kite is March 3, 2026. Ada Lovelace approved it.\n",
    "mail.txt": "The launch date for Project Kite has moved to April 10, 2026.\n",
    "side.txt": "The harbour opens at 9:00. The fee is probably 12 EUR.\n",
}


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, TEXTS)
    return base


def test_pages_follow_each_other_without_gap_or_repeat(api: Api, loaded: KnowledgeBase) -> None:
    whole = [i["id"] for i in api.get(f"/projects/{loaded.pk}/knowledge", page_size=200)["items"]]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.get(f"/projects/{loaded.pk}/knowledge", page_size=2, **({"cursor": cursor} if cursor else {}))
        seen += [i["id"] for i in page["items"]]
        cursor = page["next_cursor"]
    assert seen == whole
    assert len(whole) > 3


def test_a_batch_answers_whole_items_in_the_order_asked(api: Api, loaded: KnowledgeBase) -> None:
    ids = [i["id"] for i in api.get(f"/projects/{loaded.pk}/knowledge")["items"]][::-1]
    asked = ",".join([*ids, "ki_" + "0" * 20])
    batch = api.get(f"/projects/{loaded.pk}/knowledge", ids=asked, expand="evidence,entities,conflicts")["items"]
    assert [i["id"] for i in batch] == ids
    for item in batch:
        assert item["evidence"]
        assert (
            item["evidence"][0]["excerpt_hash"] == hashlib.sha256(item["evidence"][0]["excerpt"].encode()).hexdigest()
        )
        assert {e["id"] for e in item["entities"]} == set(item["entity_ids"])
    assert any(item["conflict_ids"] for item in batch)


def test_more_than_fifty_ids_are_refused(api: Api, loaded: KnowledgeBase) -> None:
    api.get(f"/projects/{loaded.pk}/knowledge", ids=",".join(f"ki_{n}" for n in range(51)), expect=400)


def test_facets_narrow_the_list(api: Api, loaded: KnowledgeBase) -> None:
    def said(**facets: str) -> set[str]:
        return {i["statement"] for i in api.get(f"/projects/{loaded.pk}/knowledge", **facets)["items"]}

    assert said(support="uncertain_inference") == {"The fee is probably 12 EUR."}
    assert len(said(status="disputed")) == 2
    source = next(s for s in api.get(f"/projects/{loaded.pk}/sources")["items"] if s["path"] == "side.txt")
    assert said(source=source["id"]) == {"The harbour opens at 9:00.", "The fee is probably 12 EUR."}
    assert said(attribute_key="kite|launch_date", status="disputed") == said(status="disputed")


def test_search_finds_ranks_and_says_why(api: Api, loaded: KnowledgeBase) -> None:
    answer = api.get(f"/projects/{loaded.pk}/search", q="When does Kite launch?", include_chunks="true")
    assert answer["backend"] == fusion.active().name
    assert "launch" in answer["knowledge"][0]["item"]["statement"]
    assert "the entity Project Kite" in answer["knowledge"][0]["why"]
    assert answer["parsed"]["words"] == ["Kite", "launch"]
    assert answer["chunks"][0]["snippet"]
    scores = [h["score"] for h in answer["knowledge"]]
    assert scores == sorted(scores, reverse=True)


def test_search_honours_the_support_floor(api: Api, loaded: KnowledgeBase) -> None:
    path = f"/projects/{loaded.pk}/search"
    assert any("probably" in h["item"]["statement"] for h in api.get(path, q="fee")["knowledge"])
    assert not any(
        "probably" in h["item"]["statement"] for h in api.get(path, q="fee", min_support="direct_fact")["knowledge"]
    )


def test_a_question_nothing_answers_gets_nothing(api: Api, loaded: KnowledgeBase) -> None:
    assert api.get(f"/projects/{loaded.pk}/search", q="kafka partitioning")["knowledge"] == []


def test_what_rests_on_a_suspended_document_is_in_no_answer(api: Api, loaded: KnowledgeBase) -> None:
    from forager.review import standing

    Document.objects.filter(path="side.txt").update(state="suspended")
    loaded.refresh_from_db()
    standing.apply(loaded)
    assert not any("harbour" in i["statement"] for i in api.get(f"/projects/{loaded.pk}/knowledge")["items"])
    assert api.get(f"/projects/{loaded.pk}/search", q="harbour")["knowledge"] == []


def test_a_copy_is_registered_and_the_same_bytes_at_the_same_path_are_refused_with_their_twin(
    api: Api, loaded: KnowledgeBase
) -> None:
    answer = api.upload(loaded.pk, {"plan.md": TEXTS["plan.md"].encode(), "copy.md": TEXTS["plan.md"].encode()})
    assert [s["path"] for s in answer["items"]] == ["copy.md"]
    (refused,) = answer["refused"]
    known = next(s for s in api.get(f"/projects/{loaded.pk}/sources")["items"] if s["path"] == "plan.md")
    assert (refused["code"], refused["twin_id"]) == ("already_there", known["id"])


@pytest.mark.parametrize("path", ["/etc/passwd", "../up.txt", "a/../../b.txt", "", "bad\x01name"])
def test_a_path_that_leaves_its_folder_is_refused_alone(api: Api, base: KnowledgeBase, path: str) -> None:
    answer = api.upload(base.pk, {path or " ": b"x y z", "good.txt": b"The pump runs."})
    assert [s["path"] for s in answer["items"]] == ["good.txt"]
    assert [r["code"] for r in answer["refused"]] == ["bad_path"]


def test_files_over_the_limit_are_refused_by_name(api: Api, base: KnowledgeBase, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 10
    answer = api.upload(base.pk, {"big.txt": b"x" * 11, "small.txt": b"ok ok"})
    assert [(r["path"], r["code"]) for r in answer["refused"]] == [("big.txt", "file_too_large")]
    settings.MAX_FILES = 1
    assert api.upload(base.pk, {"a.txt": b"a", "b.txt": b"b"}, status=413)["error"]["code"] == "too_many_files"


def test_the_original_bytes_come_back_as_a_download(api: Api, loaded: KnowledgeBase) -> None:
    source = next(s for s in api.get(f"/projects/{loaded.pk}/sources")["items"] if s["path"] == "plan.md")
    answer = api.client.get(f"/api/sources/{source['id']}/content")
    assert b"".join(answer.streaming_content) == TEXTS["plan.md"].encode()  # type: ignore[attr-defined]
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_an_export_is_a_zip_with_a_manifest_that_tells_the_truth(api: Api, loaded: KnowledgeBase) -> None:
    made = api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, status=202)
    assert api.get(f"/exports/{made['id']}/download", expect=409)["error"]["code"] == "conflict"
    assert writing.write_waiting()
    done = api.get(f"/exports/{made['id']}")
    content = api.get(f"/exports/{made['id']}/download")
    assert hashlib.sha256(content).hexdigest() == done["sha256"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        for name, digest in manifest["files"].items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
        statements = [json.loads(line) for line in archive.read("statements.jsonl").splitlines()]
    assert len(statements) == done["counts"]["statements"] == loaded.knowledge_count or statements


def test_an_export_that_cannot_be_made_fails_and_ends_nothing(
    api: Api, loaded: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, status=202)
    monkeypatch.setattr("forager.interchange.packing.zipped", _broken)
    assert writing.write_waiting()
    assert api.get(f"/exports/{made['id']}")["status"] == "failed"
    assert not writing.write_waiting()


def _broken(*_: object) -> bytes:
    raise ValueError("broken on purpose")


def test_two_exports_of_one_view_are_the_same_bytes(api: Api, loaded: KnowledgeBase) -> None:
    digests = set()
    for _ in range(2):
        made = api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, status=202)
        writing.write_waiting()
        digests.add(api.get(f"/exports/{made['id']}")["sha256"])
    assert len(digests) == 1


def test_an_export_whose_time_is_over_leaves_the_disk_and_says_so(api: Api, loaded: KnowledgeBase) -> None:
    old, young = (api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, status=202)["id"] for _ in range(2))
    while writing.write_waiting():
        pass
    Export.objects.filter(pk=old).update(expires_at=timezone.now())
    assert (look_after(), look_after()) == (True, False)
    assert not writing.path_of(Export.objects.get(pk=old)).exists()
    assert (api.get(f"/exports/{old}")["status"], api.get(f"/exports/{young}")["status"]) == ("expired", "completed")
    assert api.get(f"/exports/{old}/download", expect=409)["error"]["code"] == "conflict"
    assert api.get(f"/exports/{young}/download")


def test_a_base_without_a_pass_says_so(api: Api, base: KnowledgeBase) -> None:
    assert api.get(f"/projects/{base.pk}")["last_detector_pass"] == {
        "at": None,
        "pairs": 0,
        "skipped": 0,
        "reasons": {},
    }


def test_an_archived_base_is_read_and_takes_nothing_new(api: Api, loaded: KnowledgeBase) -> None:
    api.client.delete(f"/api/projects/{loaded.pk}")
    assert api.get(f"/projects/{loaded.pk}/knowledge")["items"]
    assert api.upload(loaded.pk, {"late.txt": b"The pump runs."}, status=409)["error"]["code"] == "conflict"
    api.post(f"/projects/{loaded.pk}/process", status=409)
    api.post(f"/projects/{loaded.pk}/restore")
    api.upload(loaded.pk, {"late.txt": b"The pump runs."})


def test_whole_statements_bring_what_superseded_them_to_the_end(api: Api, loaded: KnowledgeBase) -> None:
    first, second, third, *_ = (item["id"] for item in api.get(f"/projects/{loaded.pk}/knowledge")["items"])
    for old, new in ((first, second), (second, third), (third, first)):
        Statement.objects.filter(item_id=old).update(status="superseded", superseded_by=new)

    def later(ids: str) -> list[str]:
        told = api.get(f"/projects/{loaded.pk}/knowledge", ids=ids, expand="evidence,conflicts")["successors"]
        assert all(each["evidence"] for each in told)
        return [each["id"] for each in told]

    assert later(first) == [second, third]
    assert later(f"{first},{third}") == [second]
    Statement.objects.filter(item_id=second).update(status="withheld")
    assert later(first) == []
