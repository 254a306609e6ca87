"""An anthill package keeps its word: digests, counts, and what identifies a customer apart from what is general."""

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest

from forager.interchange import package, writing
from forager.model.models import Document, KnowledgeBase
from tests.forager.api.test_lifecycle import take
from tests.forager.conftest import Api

TEXTS = {
    "open.txt": "The fee of Kite is 12 EUR. The pump of Hall Two runs at 40 bar.",
    "own.txt": "The fee of Kite is 13 EUR. The pump of Hall Two runs at 40 bar. Ingrid Solvang signed the contract.",
}

BANDS = ("tenant", "general")


@pytest.fixture
def opened(api: Api, base: KnowledgeBase) -> dict[str, bytes]:
    api.load(base.pk, TEXTS)
    Document.objects.filter(path="open.txt").update(band="general")
    made = api.post(f"/projects/{base.pk}/exports", {"format": "anthill"}, status=202)
    assert writing.write_waiting()
    content = api.get(f"/exports/{made['id']}/download")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(opened: dict[str, bytes], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in opened[name].splitlines()]


def test_the_manifest_tells_every_file_and_no_other(opened: dict[str, bytes]) -> None:
    manifest = json.loads(opened.pop(package.MANIFEST))
    assert manifest["package_version"] == 7
    assert manifest["files"].keys() == opened.keys()
    for name, told in manifest["files"].items():
        content = opened[name]
        assert told == {
            "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "records": content.count(b"\n")
        }  # fmt: skip
    for kind, count in manifest["counts"].items():
        assert sum(band[kind] for band in manifest["bands"].values()) == count
    assert manifest["producer"]["instance_id"] == "fgi_test"
    assert "namespace" not in manifest["project"], "with it, whoever guesses a sentence could tell whether it is there"
    assert set(manifest["consumption"]) >= {"bands", "support", "conflicts", "quotations"}


def test_what_is_general_says_nothing_of_the_customer(opened: dict[str, bytes]) -> None:
    general = b"".join(content for name, content in opened.items() if name.startswith("general/"))
    assert b"12 EUR" in general
    assert b"13 EUR" not in general
    assert b"Solvang" not in general
    assert b"40 bar" in opened["tenant/statements.jsonl"], "it rests on a document of the customer, too"
    assert not rows(opened, "general/conflicts.jsonl")
    (dispute,) = rows(opened, "tenant/conflicts.jsonl")
    assert len(dispute["sides"]) == 2


def test_an_excerpt_is_found_again_in_the_text_that_travels(opened: dict[str, bytes]) -> None:
    stored = [row for band in BANDS for row in rows(opened, f"{band}/texts.jsonl")]
    texts = {row["source_id"]: row["text"] for row in stored}
    for band in BANDS:
        pieces = rows(opened, f"{band}/evidence.jsonl")
        assert pieces
        for piece in pieces:
            assert texts[piece["source_id"]][piece["start"] : piece["end"]] == piece["excerpt"]


def test_a_withheld_document_does_not_travel(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, TEXTS)
    take(api, "own.txt", "suspended")
    made = api.post(f"/projects/{base.pk}/exports", {"format": "anthill"}, status=202)
    writing.write_waiting()
    content = api.get(f"/exports/{made['id']}/download")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        told = b"".join(archive.read(name) for name in archive.namelist())
    assert b"12 EUR" in told
    assert b"Solvang signed" not in told
