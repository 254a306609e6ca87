"""What a manager does to documents: steps with reasons, refusals that keep what was typed, many rows at once."""

from pathlib import Path

import pytest
from django.test import Client

from console.audit.models import AuditEvent
from tests.console.fake import FakeProvider

PLACE = "/p/falcon-programme/sources"


def a_source(engine: FakeProvider) -> tuple[str, str]:
    found = next(iter(engine.known_sources.values()))
    return found.id, found.document_id


def test_a_step_is_taken_with_its_reason_and_audited_once(as_member: Client, engine: FakeProvider) -> None:
    source, document = a_source(engine)
    fields = {"step": "suspended|under_review", "reason": "looks odd"}
    answer = as_member.post(f"{PLACE}/{source}/state", fields, follow=True)
    assert "Withheld from every answer at once" in answer.content.decode()
    assert engine.states[document] == "suspended"
    event = AuditEvent.objects.get(action="document.state_changed")
    assert (event.target, event.after["state"]) == (document, "suspended")


def test_a_step_without_a_reason_keeps_the_form(as_member: Client, engine: FakeProvider) -> None:
    source, _ = a_source(engine)
    answer = as_member.post(f"{PLACE}/{source}/state", {"step": "suspended|under_review", "reason": ""})
    assert answer.status_code == 422
    assert "Say why in a few words" in answer.content.decode()
    assert "change_state" not in engine.calls


def test_a_step_that_is_not_open_is_refused(as_member: Client, engine: FakeProvider) -> None:
    source, _ = a_source(engine)
    answer = as_member.post(f"{PLACE}/{source}/state", {"step": "deleted|legal", "reason": "x"})
    assert answer.status_code == 422
    assert "That step is not open now" in answer.content.decode()


def test_opening_a_document_to_everyone_needs_a_reason(as_member: Client, engine: FakeProvider) -> None:
    source, _ = a_source(engine)
    answer = as_member.post(f"{PLACE}/{source}/document", {"band": "general", "owner": "", "reason": ""})
    assert answer.status_code == 422
    assert "edit_document" not in engine.calls
    fields = {"band": "general", "owner": "Priya", "reason": "it is public"}
    assert as_member.post(f"{PLACE}/{source}/document", fields).status_code == 302
    assert AuditEvent.objects.get(action="document.edited").after["owner"] == "Priya"


def test_exactly_the_chosen_rows_are_changed_and_each_refusal_told(as_member: Client, engine: FakeProvider) -> None:
    documents = sorted({each.document_id for each in engine.known_sources.values()})
    engine.states[documents[1]] = "revoked"
    fields = {"document": documents[:2], "state": "suspended", "reason": "batch under review"}
    told = as_member.post(f"{PLACE}/state", fields, follow=True).content.decode()
    assert "1 document changed" in told
    assert "1 document not changed: This document is revoked." in told
    assert engine.states == {documents[0]: "suspended", documents[1]: "revoked"}


def test_nothing_chosen_changes_nothing(as_member: Client, engine: FakeProvider) -> None:
    told = as_member.post(f"{PLACE}/state", {"state": "suspended", "reason": "x"}, follow=True).content.decode()
    assert "Nothing was changed" in told
    assert "change_state" not in engine.calls


def test_a_folder_inside_the_workspace_is_imported_and_one_outside_never_asked_for(
    as_member: Client, engine: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "work"
    (root / "in" / "deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    assert "Import the folder" not in as_member.get(PLACE).content.decode()
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_WORKSPACE_DIR", str(root))
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_FORAGER_INPUT_ROOTS", str(root / "in"))
    assert "Import the folder" in as_member.get(PLACE).content.decode()
    told = as_member.post(f"{PLACE}/folder", {"path": "in/deep"}, follow=True).content.decode()
    assert "2 documents taken, 1 known already" in told
    assert "odd.pipe: This is neither a file nor a folder." in told
    for outside in ("../out", "/etc", "in/../../out", "nowhere", ""):
        assert (
            "Nothing was imported" in as_member.post(f"{PLACE}/folder", {"path": outside}, follow=True).content.decode()
        )
    assert engine.folders == [str(root / "in" / "deep")]
    assert AuditEvent.objects.filter(action="folder.imported").count() == 5
