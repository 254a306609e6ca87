"""What people do on the pages: import, rule, reopen, export, sign in."""

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.connection.providers import forget_probe
from console.people.actions import reset_password
from console.people.models import User
from console.projects.actions import bind_project, make_project
from console.projects.models import Binding, Project
from knowledge.failures import Ok
from knowledge.vocabulary import ConflictStatus, JobStatus
from tests.console import falcon
from tests.console.conftest import BY, signed_in
from tests.console.fake import EXPORT_BYTES, FakeProvider

PROJECT = "/p/falcon-programme"
CONFLICT = f"{PROJECT}/review/cf_date"


def ruling(**changes: str) -> dict[str, str]:
    digest = falcon.conflicts()["cf_date"].digest
    return {"ruling": "side:side_ki_10", "notes": "He sent it himself.", "digest": digest, "sides": "", **changes}


def test_files_are_sent_with_their_paths_and_a_job_starts(as_member: Client, engine: FakeProvider) -> None:
    files = [SimpleUploadedFile("a.txt", b"one"), SimpleUploadedFile("b.exe", b"two")]
    answer = as_member.post(f"{PROJECT}/sources", {"files": files, "paths": ["folder/a.txt", "folder/b.exe"]})
    assert answer.status_code == 302
    page = as_member.get(f"{PROJECT}/sources").content.decode()
    assert "1 document taken, 1 refused" in page
    assert "folder/b.exe" in page
    assert "Programs are not read." in page
    assert "process" in engine.calls


def test_an_import_report_is_told_once(as_member: Client) -> None:
    as_member.post(f"{PROJECT}/sources", {"files": [SimpleUploadedFile("a.txt", b"one")]})
    assert "taken" in as_member.get(f"{PROJECT}/sources").content.decode()
    assert 'id="report"' not in as_member.get(f"{PROJECT}/sources").content.decode()


def test_an_empty_import_is_422_and_says_so(as_member: Client) -> None:
    answer = as_member.post(f"{PROJECT}/sources", {})
    assert answer.status_code == 422
    assert "No file was chosen" in answer.content.decode()


def test_a_running_job_is_polled_until_it_ends(as_member: Client, engine: FakeProvider) -> None:
    poll = {"HX-Request": "true", "HX-Target": "jobs"}
    engine.known_jobs = [falcon.job(JobStatus.RUNNING, done=4)]
    running = as_member.get(f"{PROJECT}/sources", headers=poll)
    assert running.status_code == 200
    assert "every 1s" in running.content.decode()
    engine.known_jobs = [falcon.job(JobStatus.COMPLETED)]
    ended = as_member.get(f"{PROJECT}/sources", headers=poll)
    assert ended.status_code == 286
    assert "every 1s" not in ended.content.decode()
    assert ended["HX-Trigger"] == "job-ended"


@pytest.mark.parametrize(("failed", "title"), [(1, "Read 3 of 4 documents"), (4, "Read 0 of 4 documents")])
def test_a_job_that_read_little_does_not_look_well(
    as_member: Client, engine: FakeProvider, failed: int, title: str
) -> None:
    done = falcon.job(JobStatus.COMPLETED)
    stages = tuple(replace(stage, failed=failed) for stage in done.stages)
    engine.known_jobs = [replace(done, stages=stages)]
    page = as_member.get(f"{PROJECT}/sources").content.decode()
    assert title in page
    assert f"{failed} could not be read" in page
    assert "Completed" not in page


def test_a_failed_job_says_where_and_offers_to_go_on(as_member: Client, engine: FakeProvider) -> None:
    engine.known_jobs = [falcon.job(JobStatus.FAILED, done=1)]
    page = as_member.get(f"{PROJECT}/sources").content.decode()
    assert "Parsing: The parser was stopped after 60 s." in page
    assert "Retry from its last stored step" in page


def test_a_ruling_settles_the_conflict_and_supersedes_the_other(as_member: Client, engine: FakeProvider) -> None:
    assert as_member.post(CONFLICT, ruling()).status_code == 302
    page = as_member.get(CONFLICT).content.decode()
    assert "B holds" in page
    assert "He sent it himself." in page
    lost = as_member.get(f"{PROJECT}/knowledge/ki_3").content.decode()
    assert "Superseded" in lost
    assert "ki_10" in lost
    assert "One side holds" in as_member.get(f"{PROJECT}/review/history").content.decode()


def test_nothing_is_chosen_beforehand(as_member: Client) -> None:
    page = as_member.get(CONFLICT).content.decode()
    assert "NOT APPLIED" in page
    assert " checked" not in page.partition('<ol class="choices">')[2].partition("</ol>")[0]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"ruling": ""}, "Choose what holds."),
        ({"notes": ""}, "Say why in a few words."),
        ({"ruling": "both"}, "Say what tells them apart"),
        ({"ruling": "needs_evidence"}, "Name who looks for the evidence."),
    ],
)
def test_an_incomplete_ruling_is_422_and_keeps_what_was_typed(
    as_member: Client, changes: dict[str, str], told: str
) -> None:
    answer = as_member.post(CONFLICT, ruling(**changes))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert told in page
    assert changes.get("notes", "He sent it himself.") in page


def test_the_second_reviewer_is_told_and_keeps_the_note(as_member: Client, owner: User, engine: FakeProvider) -> None:
    signed_in(owner).post(CONFLICT, ruling(notes="First."))
    answer = as_member.post(CONFLICT, ruling(ruling="neither", notes="My own long reason."))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Mara recorded B holds" in page
    assert "My own long reason." in page
    assert engine.known_conflicts["cf_date"].ruling is not None
    assert engine.known_conflicts["cf_date"].ruling.notes == "First."


def test_a_changed_side_is_named_and_nothing_is_recorded(as_member: Client, engine: FakeProvider) -> None:
    found = engine.known_conflicts["cf_date"]
    read = ",".join(f"{side.id}={side.digest}" for side in found.sides)
    sides = (found.sides[0], replace(found.sides[1], digest="moved"))
    engine.known_conflicts["cf_date"] = replace(found, digest="moved", sides=sides)
    answer = as_member.post(CONFLICT, ruling(sides=read))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Side B rests on other words now." in page
    assert "He sent it himself." in page
    assert 'value="moved"' in page
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN


def test_a_ruling_can_be_undone_with_a_reason(as_member: Client, engine: FakeProvider) -> None:
    as_member.post(CONFLICT, ruling())
    assert as_member.post(f"{CONFLICT}/reopen", {"notes": ""}).status_code == 422
    assert as_member.post(f"{CONFLICT}/reopen", {"notes": "New mail."}).status_code == 302
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN


def test_an_export_downloads_with_its_checksum(as_member: Client) -> None:
    as_member.post(f"{PROJECT}/export", {"format": "jsonl"})
    page = as_member.get(f"{PROJECT}/export").content.decode()
    assert hashlib.sha256(EXPORT_BYTES).hexdigest() in page
    answer = as_member.get(f"{PROJECT}/export/exp_0/download")
    assert b"".join(answer.streaming_content) == EXPORT_BYTES  # type: ignore[attr-defined]


def test_only_formats_that_the_engine_makes_are_offered(as_member: Client, engine: FakeProvider) -> None:
    assert b'value="obsidian"' in as_member.get(f"{PROJECT}/export").content
    less = replace(falcon.engine(), capabilities=frozenset({"export:jsonl"}))
    engine.engine_outcome = Ok(less)
    forget_probe()
    page = as_member.get(f"{PROJECT}/export").content
    assert (b'value="jsonl"' in page, b'value="obsidian"' in page) == (True, False)
    assert as_member.post(f"{PROJECT}/export", {"format": "obsidian"}).status_code == 422
    assert engine.known_exports == []


def test_a_document_leaves_as_an_attachment_that_runs_nowhere(as_member: Client) -> None:
    answer = as_member.get(f"{PROJECT}/sources/src_mail/original")
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Type"] == "application/octet-stream"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_binding_changes_what_the_project_reads(as_owner: Client, project: Project, engine: FakeProvider) -> None:
    engine.known_bases["proj_two"] = falcon.base("proj_two", "second", filled=False)
    assert as_owner.post(f"{PROJECT}/base", {"base": "proj_two"}).status_code == 302
    assert Binding.objects.get(project=project).base_id == "proj_two"
    assert as_owner.post(f"{PROJECT}/base", {"base": "proj_foreign"}).status_code == 422


def test_a_manager_binds_no_base_that_only_other_projects_read(
    as_member: Client, as_owner: Client, project: Project, stranger: User, engine: FakeProvider
) -> None:
    for name in ("proj_free", "proj_theirs"):
        engine.known_bases[name] = falcon.base(name, name, filled=False)
    theirs = make_project(by=BY, name="Site operations", members=(stranger,))
    bind_project(by=BY, project=theirs, base_id="proj_theirs", base_name="proj_theirs")
    page = as_member.get(f"{PROJECT}/base").content.decode()
    assert "proj_free" in page
    assert "proj_theirs" not in page
    assert as_member.post(f"{PROJECT}/base", {"base": "proj_theirs"}).status_code == 422
    assert Binding.objects.get(project=project).base_id == "proj_falcon"
    assert as_member.post(f"{PROJECT}/base", {"base": "proj_free"}).status_code == 302
    assert as_owner.post(f"{PROJECT}/base", {"base": "proj_theirs"}).status_code == 302


def test_sign_in_is_audited_and_pauses_after_five_tries(member: User) -> None:
    client = Client()
    for attempt in range(5):
        answer = client.post("/sign-in", {"email": member.email, "password": "wrong"})
        assert answer.status_code == (422 if attempt < 4 else 429)
    held = client.post("/sign-in", {"email": member.email, "password": "a long enough password"})
    assert held.status_code == 429
    assert "Too many tries" in held.content.decode()
    assert AuditEvent.objects.filter(action="session.refused").count() >= 5


def pause(person: User, client: Client) -> None:
    for _ in range(5):
        client.post("/sign-in", {"email": person.email, "password": "wrong"})


def test_a_new_password_from_an_administrator_ends_the_pause(member: User, owner: User) -> None:
    client = Client()
    pause(member, client)
    password = reset_password(by=BY, user=member)
    assert client.post("/sign-in", {"email": member.email, "password": password}).status_code == 302


def test_trying_on_makes_the_pause_no_longer(member: User) -> None:
    client, right = Client(), {"email": member.email, "password": "a long enough password"}
    pause(member, client)
    with time_machine.travel(timezone.now() + timedelta(minutes=4)):
        assert client.post("/sign-in", right).status_code == 429
    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        assert client.post("/sign-in", right).status_code == 302


def test_sign_in_rotates_the_session_and_goes_where_one_wanted(member: User, project: Project) -> None:
    client = Client()
    assert client.get(f"{PROJECT}/review")["Location"] == "/sign-in?next=/p/falcon-programme/review"
    fields = {"email": member.email, "password": "a long enough password", "next": f"{PROJECT}/review"}
    assert client.post("/sign-in", fields)["Location"] == f"{PROJECT}/review"
    assert client.get(f"{PROJECT}/review").status_code == 200
    assert AuditEvent.objects.filter(action="session.started").count() == 1


def test_sign_in_never_leaves_the_console(member: User) -> None:
    fields = {"email": member.email, "password": "a long enough password", "next": "https://evil.example/"}
    assert Client().post("/sign-in", fields)["Location"] == "/"


def test_the_theme_is_kept_without_javascript(as_member: Client) -> None:
    as_member.post("/theme", {"theme": "dark", "next": f"{PROJECT}/review"})
    assert 'data-theme="dark"' in as_member.get(f"{PROJECT}/review").content.decode()


def test_a_one_time_password_is_shown_once(as_owner: Client) -> None:
    fields = {"email": "new@falcon.example", "name": "New", "role": "viewer"}
    answer = as_owner.post("/settings/people", fields)
    assert "One-time password for New" in answer.content.decode()
    assert "One-time password for New" not in as_owner.get("/settings/people").content.decode()


def test_forms_need_their_mark() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/sign-in", {"email": "a@b.example", "password": "x"}).status_code == 403


def test_headers_are_strict_on_every_answer(as_member: Client) -> None:
    answer = as_member.get(f"{PROJECT}/sources")
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Request-Id"]


def test_an_import_report_is_not_told_in_another_project(owner: User, project: Project, other_project: Project) -> None:
    from console.projects.actions import add_member

    add_member(by=owner.actor, project=other_project, user=owner)
    client = signed_in(owner)
    client.post(f"{PROJECT}/sources", {"files": [SimpleUploadedFile("secret-name.txt", b"one")]})
    assert 'id="report"' not in client.get("/p/site-operations/sources").content.decode()
