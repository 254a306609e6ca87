"""What becomes of export files when a document in them is deleted: those that hold its words go, the others stay."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from forager.interchange import packing, writing
from forager.model.models import Document, Export, KnowledgeBase
from tests.forager.conftest import Api, work

SECRET = {"secret.txt": "The harbour code of Quentin Zobel is 4711.\n"}
PLAN = {"plan.md": "# Project Kite\n\nThe launch date for Project Kite is March 3, 2026.\n"}


def export(api: Api, base: KnowledgeBase, form: str = "jsonl") -> str:
    asked = api.post(f"/projects/{base.pk}/exports", {"format": form}, 202)
    assert writing.write_waiting()
    return str(asked["id"])


def delete(api: Api, path: str) -> None:
    place = f"/documents/{Document.objects.get(path=path).pk}/state"
    for state in ("retiring", "deleted"):
        api.post(place, {"state": state, "reason": "as told by the owner", "actor": "mara"})


def has_file(api: Api, made: str) -> bool:
    told = api.get(f"/exports/{made}")
    there = writing.path_of(Export.objects.get(pk=made)).exists()
    assert there == (told["status"] == "completed")
    api.get(f"/exports/{made}/download", expect=200 if there else 409)
    return there


@pytest.mark.parametrize("form", ["jsonl", "anthill", "obsidian"])
def test_an_export_that_holds_what_is_deleted_is_withdrawn_and_says_why(
    api: Api, base: KnowledgeBase, form: str
) -> None:
    api.load(base.pk, PLAN | SECRET)
    made = export(api, base, form)
    delete(api, "secret.txt")
    assert not has_file(api, made)
    told = api.get(f"/exports/{made}")
    day = Document.objects.get(path="secret.txt").state_at
    assert day is not None
    why = f"A document in it was deleted on {day:%Y-%m-%d}. Make a new one."
    assert (told["status"], told["error"]) == ("expired", why)
    assert api.get(f"/exports/{made}/download", expect=409)["error"]["message"] == why


def test_exports_that_hold_nothing_of_it_stay(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, PLAN)
    before = export(api, base)
    api.upload(base.pk, {"secret.txt": SECRET["secret.txt"].encode()})
    unread = export(api, base, "anthill")
    api.post(f"/projects/{base.pk}/process", status=202)
    work()
    holding = export(api, base)
    delete(api, "secret.txt")
    work()
    after = export(api, base)
    assert [has_file(api, made) for made in (before, unread, holding, after)] == [True, True, False, True]
    delete(api, "plan.md")
    assert not any(has_file(api, made) for made in (before, unread, holding, after))


def test_an_export_of_before_this_was_kept_is_withdrawn(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, PLAN | SECRET)
    made = export(api, base)
    Export.objects.update(documents=None)
    delete(api, "secret.txt")
    assert not has_file(api, made)


def test_an_export_of_another_base_stays(api: Api, base: KnowledgeBase) -> None:
    other = KnowledgeBase.objects.get(pk=api.post("/projects", {"name": "Other"}, 201)["id"])
    for each in (base, other):
        api.load(each.pk, SECRET)
    made = export(api, other)
    place = f"/documents/{Document.objects.get(path='secret.txt', base=base).pk}/state"
    for state in ("retiring", "deleted"):
        api.post(place, {"state": state, "reason": "as told by the owner", "actor": "mara"})
    assert has_file(api, made)


def test_what_is_deleted_while_the_file_is_written_is_in_no_file(
    api: Api, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.load(base.pk, PLAN | SECRET)
    zipped: Callable[[Any], bytes] = packing.zipped

    def deleted_meanwhile(files: Any) -> bytes:
        if Document.objects.get(path="secret.txt").state != "deleted":
            delete(api, "secret.txt")
        return zipped(files)

    monkeypatch.setattr(packing, "zipped", deleted_meanwhile)
    made = export(api, base)
    assert not writing.path_of(Export.objects.get(pk=made)).exists()
    assert api.get(f"/exports/{made}")["status"] == "queued"
    assert writing.write_waiting()
    with zipfile.ZipFile(BytesIO(api.get(f"/exports/{made}/download"))) as archive:
        assert not any(b"4711" in archive.read(name) for name in archive.namelist())


def test_a_deleted_document_is_neither_in_the_file_nor_in_its_counts(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, PLAN | SECRET)
    delete(api, "secret.txt")
    work()
    for form in ("jsonl", "anthill"):
        made = export(api, base, form)
        counts = api.get(f"/exports/{made}")["counts"]
        assert counts["sources"] == counts["documents"] == api.get(f"/projects/{base.pk}")["source_count"] == 1
    with zipfile.ZipFile(BytesIO(api.get(f"/exports/{made}/download"))) as archive:
        told = [
            json.loads(line)
            for name in archive.namelist()
            for line in archive.read(name).splitlines()
            if "documents" in name
        ]
    assert [row["path"] for row in told] == ["plan.md"]
