"""A request sent twice does its work once; another one under the same key is refused."""

from collections.abc import Callable

from django.core.files.uploadedfile import SimpleUploadedFile

from forager.model.models import Job, KeptAnswer, KnowledgeBase
from tests.forager.conftest import Api, work


def process(api: Api, base: KnowledgeBase, key: str, *, force: bool = False, status: int = 202) -> dict[str, str]:
    answer = api.post(f"/projects/{base.pk}/process", {"force": force}, status, **{"Idempotency-Key": key})
    return dict(answer)


def test_the_same_request_gets_its_first_answer_and_starts_nothing_more(api: Api, base: KnowledgeBase) -> None:
    first = process(api, base, "one")
    work()
    assert process(api, base, "one") == first
    assert Job.objects.count() == 1
    assert process(api, base, "two")["id"] != first["id"]


def test_another_body_under_the_same_key_is_refused(api: Api, base: KnowledgeBase) -> None:
    process(api, base, "one")
    assert process(api, base, "one", force=True, status=409)["error"]["code"] == "conflict"  # type: ignore[index]


def test_a_key_belongs_to_its_caller(api: Api, base: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    process(api, base, "one")
    work()
    process(token_for(base.pk), base, "one", force=True)
    assert Job.objects.count() == 2


def test_a_refusal_is_not_kept(api: Api, base: KnowledgeBase) -> None:
    job = process(api, base, "start")["id"]
    api.post(f"/jobs/{job}/retry", status=409, **{"Idempotency-Key": "again"})
    api.post(f"/jobs/{job}/cancel")
    api.post(f"/jobs/{job}/retry", status=202, **{"Idempotency-Key": "again"})


def test_an_upload_sent_again_is_answered_as_the_first_time(api: Api, base: KnowledgeBase) -> None:
    def upload(content: bytes, status: int = 201) -> object:
        data = {"files": [SimpleUploadedFile("a.txt", content)], "paths": ["a.txt"]}
        headers = {"Idempotency-Key": "up"}
        return api._checked(api.client.post(f"/api/projects/{base.pk}/sources", data, headers=headers), status)

    first = upload(b"The fee is 12 EUR.")
    assert upload(b"The fee is 12 EUR.") == first
    upload(b"The fee is 13 EUR.", status=409)


def test_no_secret_is_kept(api: Api, base: KnowledgeBase) -> None:
    body = {"name": "t", "scopes": ["read"], "project_ids": [base.pk]}
    api.post("/settings/tokens", body, 201, **{"Idempotency-Key": "token"})
    assert not KeptAnswer.objects.exists()


def test_an_odd_key_is_400(api: Api, base: KnowledgeBase) -> None:
    process(api, base, "with blanks", status=400)
