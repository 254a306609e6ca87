"""A package of another installation: handed in, read about, taken in or let go."""

from dataclasses import replace
from io import BytesIO

from django.test import Client

from console.audit.models import AuditEvent
from console.connection.providers import forget_probe
from knowledge.failures import Failed, Failure, Ok
from tests.console import falcon
from tests.console.fake import FakeProvider

LIST = "/p/falcon-programme/export/packages"
ONE = f"{LIST}/imp_0"


def handed_in(client: Client) -> str:
    file = BytesIO(b"PK package")
    file.name = "yard.zip"
    answer = client.post(LIST, {"package": file})
    assert answer.status_code == 302, answer.content[:300]
    return str(answer.headers["Location"])


def test_a_package_is_read_about_before_it_is_taken_in(as_member: Client, engine: FakeProvider) -> None:
    assert "No package yet" in as_member.get(LIST).content.decode()
    assert handed_in(as_member) == ONE
    page = as_member.get(ONE).content.decode()
    for words in (
        "Falcon at the yard",
        "Waits for you",
        "fgi_90c1aa",
        "Another version is here",
        "decided later here",
        "3 of the",
    ):
        assert words in page
    assert "Take it in" in page
    assert engine.known_imports[0].status == "ready"
    assert as_member.post(ONE).headers["Location"] == ONE
    assert engine.known_imports[0].status == "completed"
    done = as_member.get(ONE).content.decode()
    assert "What it did" in done
    assert "Take it in" not in done
    (taken,) = AuditEvent.objects.filter(action="package.taken_in")
    assert taken.after["producer"] == "fgi_90c1aa"


def test_a_package_is_let_go(as_member: Client, engine: FakeProvider) -> None:
    handed_in(as_member)
    assert as_member.post(f"{ONE}/drop").headers["Location"] == LIST
    assert engine.known_imports[0].status == "dropped"
    refused = as_member.post(ONE)
    assert refused.status_code == 409
    assert "Nothing was taken in." in refused.content.decode()


def test_a_refused_package_says_why(as_member: Client, engine: FakeProvider) -> None:
    why = "tenant/statements.jsonl was changed: it is not what the manifest says."
    engine.known_imports = [falcon.package_import(status="refused", error=why, plan=None, producer_base="")]
    page = as_member.get(ONE).content.decode()
    assert why in page
    assert "Nothing of it was taken in" in page
    assert "Take it in" not in page


def test_a_form_without_a_file_says_so(as_member: Client, engine: FakeProvider) -> None:
    answer = as_member.post(LIST)
    assert answer.status_code == 422
    assert "No file was chosen" in answer.content.decode()
    assert engine.known_imports == []


def test_packages_of_another_version_are_barred_and_nothing_else(as_member: Client, engine: FakeProvider) -> None:
    for other, told in ((8, "the engine declares 8"), (None, "declares none")):
        engine.engine_outcome = Ok(replace(falcon.engine(), package_version=other))
        forget_probe()
        page = as_member.get(LIST).content.decode()
        assert told in page
        assert "Look through it" not in page
        assert as_member.post(LIST, {"package": BytesIO(b"PK")}).status_code == 422
        assert engine.known_imports == []
        assert as_member.get("/p/falcon-programme/knowledge").status_code == 200


def test_a_source_of_a_package_offers_no_original(as_member: Client, engine: FakeProvider) -> None:
    place = "/p/falcon-programme/sources/src_mail"
    assert "Original</a>" in as_member.get(place).content.decode()
    engine.known_sources["src_mail"] = replace(engine.known_sources["src_mail"], has_original=False)
    page = as_member.get(place).content.decode()
    assert "Original</a>" not in page
    assert "its original is not here" in page


def test_an_engine_that_fails_keeps_the_page(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["hand_in"] = Failed(Failure.UNAVAILABLE, "The engine does not answer.")
    answer = as_member.post(LIST, {"package": BytesIO(b"PK")})
    assert answer.status_code == 503
    assert "Nothing was handed in." in answer.content.decode()
