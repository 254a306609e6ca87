"""What an odd or hostile caller sends: always a typed answer of the contract, never a 500."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from forager.api import bases
from forager.interchange import writing
from forager.model.models import Document, KnowledgeBase, Source
from tests.forager.conftest import Api, work

TEXT = "The launch date for Project Kite is March 3, 2026.\n"


def cursor(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


@pytest.mark.parametrize("kind", ["jobs", "exports", "review-events", "sources", "knowledge", "entities", "conflicts"])
@pytest.mark.parametrize(
    "parts",
    [
        ("no time", "x"),
        (None, None),
        ({}, []),
        (True, 1),
        ("2026-01-01T00:00:00", "x"),
        ("\ud800", "x"),
        ("a\0b", "x"),
        (["a"],),
        (7,),
    ],
    ids=str,
)
def test_a_cursor_of_another_shape_is_400(api: Api, base: KnowledgeBase, kind: str, parts: tuple[object, ...]) -> None:
    answer = api.client.get(f"/api/projects/{base.pk}/{kind}", {"cursor": cursor(*parts)})
    allowed = {200, 400} if all(isinstance(p, str) and p.isascii() for p in parts) else {400}
    assert answer.status_code in allowed, answer.content


def test_a_nul_character_is_refused_where_it_was_made(api: Api, base: KnowledgeBase) -> None:
    error = api.post("/projects", {"name": "a\0b"}, 400)["error"]
    assert list(error["fields"]) == ["name"]
    assert list(api.get(f"/projects/{base.pk}/search", expect=400, q="a\0b")["error"]["fields"]) == ["q"]
    item = {"statement": "S\0", "subject": "s", "attribute": "a", "value": "v"}
    assert list(api.post(f"/projects/{base.pk}/knowledge", item, 400)["error"]["fields"]) == ["statement"]
    api.get("/jobs/job_%00", expect=404)


def test_half_a_character_is_refused_where_it_was_made(api: Api, base: KnowledgeBase) -> None:
    error = api.post(f"/projects/{base.pk}/recall", {"query": "a\ud800"}, 400)["error"]
    assert list(error["fields"]) == ["query"]


def test_a_parameter_given_twice_is_400(api: Api, base: KnowledgeBase) -> None:
    error = api.get(f"/projects/{base.pk}/knowledge?page_size=1&page_size=2", expect=400)["error"]
    assert error["fields"] == {"page_size": "given more than once"}


@pytest.mark.parametrize("facet", ["status=bogus", "support=certain"])
def test_a_facet_value_outside_the_vocabulary_is_400(api: Api, base: KnowledgeBase, facet: str) -> None:
    api.get(f"/projects/{base.pk}/knowledge?{facet}", expect=400)


def test_an_unknown_route_carries_a_request_id_the_callers_when_sane(store: object) -> None:
    answer = Api("").client.get("/api/nowhere", headers={"X-Request-Id": "mine-12345"})
    assert answer.status_code == 404
    assert answer.headers["X-Request-Id"] == answer.json()["error"]["request_id"] == "mine-12345"


def test_a_wrong_method_is_told_the_right_ones(api: Api, base: KnowledgeBase) -> None:
    answer = api.client.put(f"/api/projects/{base.pk}", {})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "DELETE, GET, PATCH")


@pytest.mark.parametrize("name", ["   ", "a\x00b", "two\nlines", "\u202egnitrid"])
def test_a_name_nobody_could_read_is_400(api: Api, name: str) -> None:
    error = api.post("/projects", {"name": name}, status=400)["error"]
    assert "name" in error["fields"]


def test_an_expiry_beyond_the_calendar_is_400(api: Api, base: KnowledgeBase) -> None:
    asked = {"name": "t", "scopes": ["read"], "project_ids": [base.pk], "expires_at": "9999-12-31T23:59:59-23:00"}
    assert api.post("/settings/tokens", asked, status=400)["error"]["fields"]


def test_a_busy_store_is_503_and_says_to_try_again(
    api: Api, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_base: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(bases, "shape", busy)
    error = api.get(f"/projects/{base.pk}", expect=503)["error"]
    assert error["code"] == "not_ready"
    assert "again" in error["message"]


def test_a_token_that_makes_a_base_may_use_it(api: Api, base: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    maker = token_for(base.pk, scopes=("read", "manage_bases"))
    made = maker.post("/projects", {"name": "Its own"}, status=201)
    assert maker.get(f"/projects/{made['id']}")["name"] == "Its own"


@pytest.mark.parametrize(
    "media_type", ["multipart/form-data", "multipart/form-data; boundary=\u00e9", "multipart/form-data; boundary=x"]
)
def test_a_multipart_body_that_is_none_is_400(api: Api, base: KnowledgeBase, media_type: str) -> None:
    answer = api.client.post(f"/api/projects/{base.pk}/sources", b"no parts", content_type=media_type)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "validation_error"


def upload(api: Api, base: KnowledgeBase, **fields: Any) -> Any:
    return api.client.post(f"/api/projects/{base.pk}/sources", fields)


def test_an_unknown_form_field_is_400_and_nothing_is_registered(api: Api, base: KnowledgeBase) -> None:
    file = SimpleUploadedFile("a.txt", TEXT.encode())
    assert upload(api, base, files=file, path="typo.txt").json()["error"]["fields"] == {"path": "unknown"}
    assert not Source.objects.exists()


def test_the_limits_of_a_request_hold_while_it_streams(api: Api, base: KnowledgeBase, settings: Any) -> None:
    settings.MAX_FILES = 2
    answer = upload(api, base, files=[SimpleUploadedFile(f"{n}.txt", b"text") for n in range(3)])
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_many_files")
    settings.MAX_UPLOAD_BYTES = 6
    answer = upload(api, base, files=[SimpleUploadedFile(f"{n}.txt", b"text") for n in range(2)])
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "file_too_large")
    assert not Source.objects.exists()


def test_a_file_over_its_limit_is_refused_alone_and_its_bytes_are_not_kept(
    api: Api, base: KnowledgeBase, settings: Any
) -> None:
    settings.MAX_FILE_BYTES = 100
    answer = api.upload(base.pk, {"big.txt": b"x" * 101, "small.txt": TEXT.encode()})
    assert [s["path"] for s in answer["items"]] == ["small.txt"]
    assert [(r["path"], r["code"]) for r in answer["refused"]] == [("big.txt", "file_too_large")]


def test_paths_too_long_to_keep_are_refused_and_never_run_together(api: Api, base: KnowledgeBase) -> None:
    long = "d/" * 600
    answer = api.upload(base.pk, {f"{long}a.txt": b"One text.", f"{long}b.txt": b"Another text."})
    assert [r["code"] for r in answer["refused"]] == ["path_too_long", "path_too_long"]
    assert not Document.objects.exists()


def test_an_accent_typed_in_two_ways_names_one_document(api: Api, base: KnowledgeBase) -> None:
    api.upload(base.pk, {"re\u0301sume\u0301.txt": b"The fee is 10 EUR."})
    api.upload(base.pk, {"r\u00e9sum\u00e9.txt": b"The fee is 12 EUR."})
    assert Document.objects.get().path == "r\u00e9sum\u00e9.txt"


@pytest.fixture
def file_path(api: Api, base: KnowledgeBase) -> str:
    source = api.upload(base.pk, {"a.txt": b"0123456789"})["items"][0]
    return f"/api/sources/{source['id']}/content"


@pytest.mark.parametrize(
    ("asked", "status", "content", "told"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=4-", 206, b"456789", "bytes 4-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
        ("bytes=-99", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=5-2", 200, b"0123456789", None),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
def test_a_download_answers_the_range_asked_for(
    api: Api, file_path: str, asked: str, status: int, content: bytes, told: str | None
) -> None:
    answer: Any = api.client.get(file_path, headers={"Range": asked})
    assert (answer.status_code, b"".join(answer.streaming_content)) == (status, content)
    assert answer.headers.get("Content-Range") == told
    assert answer.headers["Content-Length"] == str(len(content))


def test_a_range_past_the_end_is_416_and_one_of_other_bytes_the_whole_file(api: Api, file_path: str) -> None:
    assert api.client.get(file_path, headers={"Range": "bytes=10-"}).status_code == 416
    answer: Any = api.client.get(file_path, headers={"Range": "bytes=0-3", "If-Range": '"another"'})
    assert (answer.status_code, b"".join(answer.streaming_content)) == (200, b"0123456789")


def test_a_finished_export_can_be_taken_up_where_it_broke_off(api: Api, base: KnowledgeBase) -> None:
    asked = api.post(f"/projects/{base.pk}/exports", {"format": "jsonl"}, status=202)
    work()
    writing.write_waiting()
    path = f"/exports/{asked['id']}/download"
    whole = api.get(path)
    rest: Any = api.client.get(f"/api{path}", headers={"Range": "bytes=20-"})
    assert whole[:20] + b"".join(rest.streaming_content) == whole
    assert re.search(rf'filename="{base.name}-jsonl-\d{{4}}-\d\d-\d\d-\d{{4}}\.zip"', rest["Content-Disposition"])
