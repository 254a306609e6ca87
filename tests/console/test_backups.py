"""Backups as a page and as rows: asked for once, made by one process, taken away by administrators, let go."""

import errno
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from console import env
from console.audit.models import AuditEvent
from console.backups import actions
from console.backups.actions import BackupsBusy, ask_backup, fail_silent, folder_of, make_asked
from console.backups.maker import Maker
from console.backups.models import SILENT_AFTER, Backup, BackupState
from console.backups.packing import PARTIAL, BackupRefused, Packed, sha256_of
from console.connection.store_care import KeptStore
from console.projects.models import Project
from tests.console.conftest import BY

PAGE = "/settings/backup"
CONTENT = b"PK a backup"
STORE = KeptStore("fgi_5d0f27", "gen_3", "0.1.0", "2026-11-30T10:00:00+00:00")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "backups"
    monkeypatch.setenv("ANTHILL_BACKUP_DIR", str(path))
    return path


def packed(path: Path, _values: env.Values) -> Packed:
    path.write_bytes(CONTENT)
    return Packed(path, len(CONTENT), sha256_of(path), STORE.made_at, STORE, "")


@pytest.fixture
def made(project: Project, monkeypatch: pytest.MonkeyPatch) -> Backup:
    monkeypatch.setattr(actions, "pack", packed)
    ask_backup(by=BY)
    found = make_asked(env.read())
    assert found is not None
    return found


def shown(client: Client) -> str:
    return client.get(PAGE).content.decode()


def test_asked_for_on_the_page_it_is_made_by_another_process(
    as_owner: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No backup yet" in shown(as_owner)
    answer = as_owner.post(PAGE, follow=True).content.decode()
    assert "Asked for. It appears below" in answer
    assert "Refresh now" in answer
    assert not folder.exists(), "a web worker makes nothing"
    as_owner.post(PAGE)
    assert Backup.objects.count() == 1, "one at a time"
    monkeypatch.setattr(actions, "pack", packed)
    done = make_asked(env.read())
    assert done is not None
    assert make_asked(env.read()) is None
    page = shown(as_owner)
    for words in ("The console and engine fgi_5d0f27.", done.sha256, "11 bytes", done.file, "Mara", "Made"):
        assert words in page
    assert "Refresh now" not in page
    trail = AuditEvent.objects.filter(action__startswith="backup.")
    assert [(each.action, each.actor_name) for each in trail] == [
        ("backup.made", "This console"),
        ("backup.asked", "Mara"),
    ]
    assert [each.name for each in folder.iterdir() if not each.name.startswith(".")] == [done.file]


def test_a_region_stops_asking_once_nothing_is_under_way(as_owner: Client) -> None:
    headers = {"HX-Request": "true", "HX-Target": "made"}
    ask_backup(by=BY)
    assert as_owner.get(PAGE, headers=headers).status_code == 200
    Backup.objects.update(state=BackupState.FAILED, reason="No space left on device.")
    last = as_owner.get(PAGE, headers=headers)
    assert (last.status_code, "No space left on device." in last.content.decode()) == (286, True)


def test_one_that_nobody_takes_up_says_who_would(as_owner: Client) -> None:
    ask_backup(by=BY)
    assert "manage.py colony" not in shown(as_owner)
    Backup.objects.update(asked_at=timezone.now() - timedelta(minutes=2))
    assert "Nobody has taken it up: bin/run or manage.py colony makes it" in shown(as_owner)


def test_the_file_is_an_attachment_that_no_cache_keeps_and_the_trail_says_who_took_it(
    as_owner: Client, made: Backup
) -> None:
    url = f"{PAGE}/{made.key}/file"
    as_owner.head(url)
    assert not AuditEvent.objects.filter(action="backup.downloaded").exists()
    answer = as_owner.get(url)
    assert b"".join(answer.streaming_content) == CONTENT  # type: ignore[attr-defined]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{made.file}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(CONTENT))
    event = AuditEvent.objects.get(action="backup.downloaded")
    assert (event.actor_name, event.target, event.after) == ("Mara", made.key, {"sha256": made.sha256})


def test_who_does_not_manage_the_settings_learns_of_none(as_member: Client, made: Backup) -> None:
    refused = as_member.get(PAGE)
    assert refused.status_code == 403
    assert "Your role does not include it. An administrator can." in refused.content.decode()
    assert as_member.get(f"{PAGE}/{made.key}/file").status_code == 403
    assert as_member.post(f"{PAGE}/{made.key}/let-go").status_code == 403
    assert "/settings/backup" not in as_member.get("/settings/projects").content.decode()


def test_let_go_its_file_is_gone_and_its_row_stays(as_owner: Client, made: Backup, folder: Path) -> None:
    page = as_owner.post(f"{PAGE}/{made.key}/let-go", follow=True).content.decode()
    assert "Its file is gone from this host." in page
    assert not (folder / made.file).exists()
    made.refresh_from_db()
    assert made.state == BackupState.GONE
    assert f"{PAGE}/{made.key}/file" not in page
    again = as_owner.post(f"{PAGE}/{made.key}/let-go", follow=True).content.decode()
    assert "Nothing was changed." in again
    assert AuditEvent.objects.filter(action="backup.let_go").count() == 1


def test_a_file_that_lies_on_another_host_is_said_to(as_owner: Client, made: Backup, folder: Path) -> None:
    Backup.objects.update(host="ant-hill-two")
    (folder / made.file).unlink()
    assert "it was made on ant-hill-two." in shown(as_owner)
    answer = as_owner.get(f"{PAGE}/{made.key}/file", follow=True)
    assert "Its file is not in the folder of backups of this host." in answer.content.decode()


def test_no_row_reaches_a_file_outside_of_the_folder(as_owner: Client, made: Backup, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    for name in ("../secret", str(tmp_path / "secret"), "..", ""):
        Backup.objects.update(file=name)
        assert as_owner.get(f"{PAGE}/{made.key}/file").status_code == 302
        as_owner.post(f"{PAGE}/{made.key}/let-go")
    assert (tmp_path / "secret").exists()


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (BackupRefused("The engine's store was not kept. It is away."), "The engine's store was not kept."),
        (OSError(errno.ENOSPC, "No space left on device"), "Make room there, or name another folder in backup_dir."),
    ],
)
def test_what_went_wrong_is_told_with_what_to_do(
    as_owner: Client, monkeypatch: pytest.MonkeyPatch, raised: Exception, told: str
) -> None:
    def fails(_path: Path, _values: env.Values) -> Packed:
        raise raised

    monkeypatch.setattr(actions, "pack", fails)
    ask_backup(by=BY)
    make_asked(env.read())
    assert Backup.objects.get().state == BackupState.FAILED
    assert told in Backup.objects.get().reason
    assert told.replace("'", "&#x27;") in shown(as_owner)
    assert AuditEvent.objects.filter(action="backup.failed").count() == 1
    ask_backup(by=BY)
    assert Backup.objects.count() == 2, "another can be asked for"


def test_a_folder_that_cannot_be_made_fails_the_backup_and_nothing_waits_for_ever(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("ANTHILL_BACKUP_DIR", str(tmp_path / "file"))
    ask_backup(by=BY)
    failed = make_asked(env.read())
    assert failed is not None
    assert (failed.state, "backup_dir" in failed.reason) == (BackupState.FAILED, True)


def test_one_that_is_stopped_midway_says_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_path: Path, _values: env.Values) -> Packed:
        raise SystemExit(143)

    monkeypatch.setattr(actions, "pack", stopped)
    ask_backup(by=BY)
    with pytest.raises(SystemExit):
        make_asked(env.read())
    assert Backup.objects.get().reason == actions.STOPPED


def test_a_maker_that_died_is_noticed_and_one_that_is_heard_is_not(project: Project) -> None:
    now = timezone.now()
    Backup.objects.create(key="bkp_dead", state=BackupState.MAKING, beat_at=now - SILENT_AFTER * 2)
    Backup.objects.create(key="bkp_lives", state=BackupState.MAKING, beat_at=now)
    assert (fail_silent(), fail_silent()) == (1, 0)
    assert Backup.objects.get(key="bkp_dead").reason == actions.MAKER_GONE
    assert Backup.objects.get(key="bkp_lives").state == BackupState.MAKING


@pytest.mark.django_db(transaction=True)
def test_while_it_is_made_it_is_heard_and_no_second_one_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "BEAT_SECONDS", 0.02)
    heard, busy = threading.Event(), []

    def slow(path: Path, values: env.Values) -> Packed:
        first = Backup.objects.get().beat_at
        for _ in range(200):
            if Backup.objects.get().beat_at != first:
                heard.set()
                break
            time.sleep(0.02)
        with pytest.raises(BackupsBusy) as refused:
            make_asked(values)
        busy.append(str(refused.value))
        return packed(path, values)

    monkeypatch.setattr(actions, "pack", slow)
    ask_backup(by=BY)
    made = make_asked(env.read())
    assert made is not None
    assert (made.state, heard.is_set()) == (BackupState.DONE, True)
    assert str(folder) in busy[0]


def test_what_a_maker_left_behind_is_swept(project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / f"{PARTIAL}x").mkdir(parents=True)
    (folder / f"{PARTIAL}x" / "half").write_text("x")
    monkeypatch.setattr(actions, "pack", packed)
    ask_backup(by=BY)
    make_asked(env.read())
    assert not list(folder.glob(f"{PARTIAL}*"))


def test_the_follower_starts_a_maker_only_when_one_is_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Child:
        def __init__(self, command: tuple[str, ...]) -> None:
            started.append(command)
            self.process = self

        def poll(self) -> int | None:
            return 1 if len(started) > 1 else None

    monkeypatch.setattr("console.backups.maker.OwnChild", Child)
    maker = Maker()
    maker.look()
    assert not started
    ask_backup(by=BY)
    maker.look()
    maker.look()
    assert started == [("manage.py", "backup", "--asked")]


def test_without_a_setting_they_lie_in_the_data_folder(tmp_path: Path) -> None:
    values = env.read({"ANTHILL_DATA_DIR": str(tmp_path)}, tmp_path / "none.toml")
    assert folder_of(values) == tmp_path / "backups"
