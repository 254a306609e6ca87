"""What pages say of documents that are withheld or deleted, and of export files that went with them."""

from dataclasses import replace

import pytest
from django.test import Client

from knowledge.records import Export
from tests.console import falcon
from tests.console.fake import FakeProvider

PLACE = "/p/falcon-programme/sources"
EXPORTS = "/p/falcon-programme/export"
WHY = "A document in it was deleted on 2026-11-30. Make a new one."


def shown(client: Client, engine: FakeProvider, state: str) -> str:
    engine.states[engine.known_sources["src_mail"].document_id] = state
    return client.get(f"{PLACE}/src_mail").content.decode()


def deleted(engine: FakeProvider) -> None:
    kept = engine.known_sources["src_mail"]
    engine.known_sources["src_mail"] = replace(kept, state="deleted", processing_status="deleted", has_original=False)
    engine.states[kept.document_id] = "deleted"


def test_the_page_of_a_deleted_document_says_so_and_offers_nothing_of_it(
    as_member: Client, engine: FakeProvider
) -> None:
    before = as_member.get(f"{PLACE}/src_mail").content.decode()
    assert "Original</a>" in before
    assert "Text as stored" in before
    deleted(engine)
    page = as_member.get(f"{PLACE}/src_mail").content.decode()
    assert "This document was deleted for good" in page
    assert "Nobody can read it any more" in page
    assert "Digest of its bytes" in page
    for untrue in ("Original</a>", "tenant may read it", "No text was found", "can be downloaded", "Text as stored"):
        assert untrue not in page
    assert "source_text" not in engine.calls[-2:]


def test_the_list_shows_a_deleted_document_as_deleted_and_counts_it_out(
    as_member: Client, engine: FakeProvider
) -> None:
    assert "deleted ones are not counted" not in as_member.get(PLACE).content.decode()
    deleted(engine)
    page = as_member.get(PLACE).content.decode()
    assert "Deleted</span>" in page
    assert "deleted ones are not counted" in page


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("active", "This tenant may read it<"),
        ("degraded", "This tenant may read it<"),
        ("proposed", "In no answer until it is approved"),
        ("suspended", "Withheld from every answer until it is active again"),
        ("revoked", "Withheld from every answer<"),
        ("retiring", "This tenant may read it, as history alone"),
    ],
)
def test_who_may_read_a_document_is_told_as_its_state_has_it(
    as_member: Client, engine: FakeProvider, state: str, told: str
) -> None:
    page = shown(as_member, engine, state)
    assert told in page
    assert ("tenant may read it" in page) == ("tenant may read it" in told)


def test_who_may_delete_is_told_that_exports_go_with_it(as_member: Client, engine: FakeProvider) -> None:
    assert "withdraws the export files" not in shown(as_member, engine, "active")
    engine.deletable = True
    assert "withdraws the export files" in shown(as_member, engine, "active")


def an_export(status: str, error: str) -> Export:
    return Export("exp_0", "proj_falcon", "jsonl", status, "rev_1", 9, "0" * 64, (), falcon.AT, None, error)


def test_a_withdrawn_export_says_why_and_is_not_called_failed(as_member: Client, engine: FakeProvider) -> None:
    engine.known_exports.append(an_export("expired", WHY))
    page = as_member.get(EXPORTS).content.decode()
    assert "Withdrawn</span>" in page
    assert WHY in page
    assert "Failed" not in page
    assert "Expired" not in page


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [("expired", "", "Expired"), ("failed", "The file could not be written: <b>No space</b>.", "Failed")],
)
def test_other_ends_of_an_export_are_told_with_their_reason(
    as_member: Client, engine: FakeProvider, status: str, error: str, told: str
) -> None:
    engine.known_exports.append(an_export(status, error))
    page = as_member.get(EXPORTS).content.decode()
    assert f"{told}</span>" in page
    assert error.replace("<", "&lt;").replace(">", "&gt;") in page
    assert "Withdrawn" not in page
