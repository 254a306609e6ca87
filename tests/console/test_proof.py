"""The proof of a statement as a download."""

import io
import zipfile

from django.test import Client
from django.urls import reverse

from knowledge.failures import Failed, Failure
from tests.console.fake import FakeProvider


def url(statement: str = "ki_10") -> str:
    return reverse("statement-proof", args=["falcon-programme", statement])


def test_a_proof_is_a_file_to_take_away(as_member: Client, engine: FakeProvider) -> None:
    page = as_member.get(reverse("statement", args=["falcon-programme", "ki_10"])).content.decode()
    assert f'href="{url()}"' in page
    answer = as_member.get(url())
    assert answer.headers["Content-Disposition"] == 'attachment; filename="proof-ki_10.zip"'
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert {"check.py", "manifest.json", "statement.json", "trail.json"} <= set(names)
    assert any(name.startswith("texts/src_") for name in names)


def test_a_viewer_is_offered_none(viewer: object, project: object, engine: FakeProvider) -> None:
    from tests.console.conftest import signed_in

    client = signed_in(viewer)  # type: ignore[arg-type]
    page = client.get(reverse("statement", args=["falcon-programme", "ki_10"])).content.decode()
    assert url() not in page
    assert client.get(url()).status_code == 403


def test_a_proof_that_cannot_be_made_says_why(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["check_references"] = Failed(Failure.CONFLICT, "The evidence changed. Ask again.")
    answer = as_member.get(url())
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "The evidence changed. Ask again." in answer.content.decode()
