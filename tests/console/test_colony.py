"""The Colony page: the feed of this base, dead letters decided by who may, findings filed and decided once."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.connection.actions import SYSTEM
from console.connection.models import StoredSetting
from console.connection.settings import read_settings
from console.feed.models import Receipt
from console.management.commands.colony import Refused, study_due
from console.missions.models import Mission
from console.people.models import User
from console.projects.models import Project
from console.study.actions import Mode, decide, is_due, look_through
from console.study.models import Decision, Finding, Kind
from knowledge.failures import Failed, Failure, Ok
from knowledge.scope import KnowledgeScope, Level
from tests.console.conftest import BY, signed_in
from tests.console.fake import FakeProvider

PAGE = "/p/falcon-programme/colony"
SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")


def dead(base_id: str = "proj_falcon", kind: str = "knowledge.state.changed", event: str = "evt_1") -> Receipt:
    return Receipt.objects.create(
        instance_id="fgi_5d0f27", generation="gen_3", event_id=event, type=kind, base_id=base_id, sequence=7,
        digest="ab" * 32, payload="{}", state="dead", cause="It names no state of its base.", tries=1,
    )  # fmt: skip


def look(engine: FakeProvider, project: Project, mode: Mode = Mode.SUGGEST) -> int:
    done = look_through(scope=SCOPE, provider=engine, mode=mode, by=BY, project=project, queue=lambda _: None)
    assert isinstance(done, Ok)
    return done.value


def test_without_anything_each_part_says_what_will_come(as_member: Client) -> None:
    page = as_member.get(PAGE).content.decode()
    assert "Everything that was told could be acted on." in page
    assert "Look once: every document that was read is then told here." in page
    assert "not read yet" in page


def test_a_person_has_a_dead_letter_acted_on_again_or_discards_it_with_a_note(as_member: Client) -> None:
    first, second = dead(), dead(event="evt_2")
    as_member.post(f"{PAGE}/feed/{first.pk}/retry")
    refused = as_member.post(f"{PAGE}/feed/{second.pk}/discard", {"note": " "})
    assert refused.status_code == 422
    assert "Say why, so that the next person need not ask." in refused.content.decode()
    as_member.post(f"{PAGE}/feed/{second.pk}/discard", {"note": "A test of the engine’s."})
    again = as_member.post(f"{PAGE}/feed/{second.pk}/discard", {"note": "Again."}, follow=True)
    assert "Somebody decided about it meanwhile." in again.content.decode()
    assert list(Receipt.objects.order_by("pk").values_list("state", "note")) == [
        ("waiting", ""),
        ("discarded", "A test of the engine’s."),
    ]


def test_what_was_told_of_another_base_is_neither_seen_nor_decided(as_member: Client, as_owner: Client) -> None:
    other = dead(base_id="proj_other")
    nowhere = dead(base_id="", kind="", event="ff" * 32)
    page = as_member.get(PAGE).content.decode()
    assert "It names no state" not in page
    for each in (other, nowhere):
        assert as_member.post(f"{PAGE}/feed/{each.pk}/retry").status_code == 404
    assert "An entry that cannot be read" in as_owner.get(PAGE).content.decode()
    assert as_owner.post(f"{PAGE}/feed/{other.pk}/retry").status_code == 404


def test_a_look_files_each_version_of_each_document_once(engine: FakeProvider, project: Project) -> None:
    assert look(engine, project) == len(engine.known_sources) - sum(
        each.duplicate_of is not None or each.superseded_by is not None or each.processing_status != "indexed"
        for each in engine.known_sources.values()
    )
    assert look(engine, project) == 0
    mail = engine.known_sources["src_mail"]
    engine.known_sources["src_mail"] = replace(mail, content_hash="9" * 64)
    assert look(engine, project) == 1
    assert Finding.objects.latest("pk").kind == Kind.CHANGED
    engine.known_sources["src_mail"] = mail
    assert look(engine, project) == 0, "the bytes from before were filed before"


def test_what_cannot_be_read_files_nothing(engine: FakeProvider, project: Project) -> None:
    engine.failures["sources"] = Failed(Failure.TIMEOUT, "Too slow.")
    done = look_through(scope=SCOPE, provider=engine, mode=Mode.ON, by=BY, project=project, queue=lambda _: None)
    assert isinstance(done, Failed)
    assert not Finding.objects.exists()


def test_exactly_the_chosen_ones_are_decided_and_once(
    as_member: Client, engine: FakeProvider, project: Project
) -> None:
    look(engine, project)
    first, second, *_rest = Finding.objects.order_by("pk")
    decide(by=BY, project=project, findings=[second], decision=Decision.NOT_NOW, queue=lambda _: None)
    told = as_member.post(
        f"{PAGE}/findings/decide", {"finding": [first.pk, second.pk], "decision": "study"}, follow=True
    )
    assert "1 document decided. 1 was decided before." in told.content.decode()
    assert dict(Finding.objects.values_list("pk", "decision"))[second.pk] == "not_now"
    assert Finding.objects.filter(decision="study").count() == 1
    mission = Mission.objects.get()
    assert (mission.documents, mission.subject) == ([first.path], f"doc:{first.content_hash}")
    assert AuditEvent.objects.filter(action="finding.decided").count() == 2
    nothing = as_member.post(f"{PAGE}/findings/decide", {"decision": "study"}, follow=True)
    assert "Choose at least one document first." in nothing.content.decode()


def test_the_button_and_the_timer_are_one_path(as_member: Client, engine: FakeProvider, project: Project) -> None:
    page = as_member.post(f"{PAGE}/findings/look", follow=True).content.decode()
    assert "documents to study were found" in page
    again = as_member.post(f"{PAGE}/findings/look", follow=True).content.decode()
    assert "0 documents to study were found." in again


def test_study_that_is_on_decides_what_it_files(engine: FakeProvider, project: Project) -> None:
    filed = look(engine, project, Mode.ON)
    assert Finding.objects.filter(decision="study").count() == filed > 0


def test_a_timer_looks_every_six_hours_where_it_is_on(
    engine: FakeProvider, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHILL_AUTO_STUDY", "suggest")
    settings = read_settings()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert [name for name, _ in study_due(settings, engine)] == ["falcon-programme"]
        assert list(study_due(settings, engine)) == []
        clock.shift(timedelta(hours=6))
        assert [filed for _, filed in study_due(settings, engine)] == [0]
    assert not is_due("proj_falcon", Mode.OFF, timedelta(0))
    monkeypatch.setenv("ANTHILL_AUTO_STUDY", "sometimes")
    assert list(study_due(read_settings(), engine)) == []


def test_only_an_administrator_sets_whether_study_is_on(owner: User, as_member: Client, project: Project) -> None:
    assert as_member.post(f"{PAGE}/findings/mode", {"mode": "on"}).status_code == 403
    administrator = signed_in(owner)
    administrator.post(f"{PAGE}/findings/mode", {"mode": "perhaps"})
    assert not StoredSetting.objects.filter(name="auto_study").exists()
    administrator.post(f"{PAGE}/findings/mode", {"mode": "suggest"})
    assert StoredSetting.objects.get(name="auto_study").value == "suggest"


@pytest.mark.parametrize("pinned", ["on", "off"])
def test_a_pinned_setting_says_so(as_owner: Client, monkeypatch: pytest.MonkeyPatch, pinned: str) -> None:
    monkeypatch.setenv("ANTHILL_AUTO_STUDY", pinned)
    page = as_owner.get(PAGE).content.decode()
    assert "The file or the environment pins this." in page
    as_owner.post(f"{PAGE}/findings/mode", {"mode": "suggest"})
    assert not StoredSetting.objects.filter(name="auto_study").exists()
    assert SYSTEM.name


def test_what_keeps_it_from_reading_is_told_once_and_not_at_once() -> None:
    refused = Refused()
    told = [refused.is_to_be_told(reason) for reason in [*["down"] * 6, "", *["down"] * 4, "signed out"]]
    assert [at for at, is_told in enumerate(told) if is_told] == [3, 10]
