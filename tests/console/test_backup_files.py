"""The file of a backup: what is in it, and that it is made again whole or not at all. By commands over real folders."""

import hashlib
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from console import database
from console.backups.packing import ENGINE, FORMAT, MANIFEST, sha256_of
from tests import earlier, postgres

CONSOLE = database.COPY_NAMES["sqlite"]
type Parts = dict[str, bytes]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console and engine of an earlier commit, migrated; somebody is signed in."""
    folder = tmp_path_factory.mktemp("home")
    earlier.unpack(folder)
    earlier.migrate(folder)
    with closing(sqlite3.connect(folder / "console.sqlite3")) as file, file:
        file.execute("INSERT INTO django_session VALUES ('keyofsession', 'x', '2099-01-01')")
        file.execute("UPDATE people_personsession SET browser = 'Firefox on Linux'")
    return folder


@pytest.fixture(scope="module")
def kept(home: Path) -> Path:
    path = home.with_name("kept.anthill")
    said = earlier.manage(home, "backup", str(path))
    assert "the console and its engine." in said
    assert sha256_of(path) in said
    return path


def parts(path: Path) -> Parts:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repacked(content: Parts, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return path


def refused(folder: Path, path: Path, **more: str) -> str:
    done = earlier.run(folder, "manage.py", "restore", str(path), **more)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr


def is_untouched(folder: Path) -> bool:
    """Neither a database nor a store nor anything half."""
    left = {each.name for each in folder.iterdir()} - {".supervisor.lock", "console-secret-key"}
    return left <= {"engine-host-credential"}


@pytest.mark.sqlite
def test_it_is_its_owners_alone_and_says_what_is_in_it(kept: Path, home: Path) -> None:
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not list(home.parent.glob(".backup-*"))
    content = parts(kept)
    assert set(content) == {MANIFEST, CONSOLE, ENGINE}
    told = json.loads(content[MANIFEST])
    assert (told["format"], told["format_version"], told["engine"]["instance_id"]) == (FORMAT, 1, earlier.INSTANCE)
    assert told["console"]["bytes"] == len(content[CONSOLE])
    assert ["backups", "0001_initial"] in told["console"]["migrations"]


@pytest.mark.sqlite
def test_nobody_who_is_signed_in_and_no_key_goes_along(kept: Path, home: Path, tmp_path: Path) -> None:
    content = parts(kept)
    for name in ("console-secret-key", "engine-host-credential"):
        assert not any((home / name).read_bytes().strip() in part for part in content.values())
    assert b"keyofsession" not in content[CONSOLE]
    (tmp_path / "copy").write_bytes(content[CONSOLE])
    with closing(sqlite3.connect(tmp_path / "copy")) as file:
        assert file.execute("SELECT count(*) FROM django_session").fetchone() == (0,)
        assert file.execute("SELECT count(*) FROM people_personsession").fetchone() == (0,)
        assert file.execute("SELECT count(*) FROM people_user WHERE password <> ''").fetchone() == (2,)
    with closing(sqlite3.connect(home / "console.sqlite3")) as file:
        assert file.execute("SELECT count(*) FROM django_session").fetchone() == (1,), "those here stay signed in"


@pytest.mark.sqlite
def test_what_is_there_is_never_written_over(kept: Path, home: Path, tmp_path: Path) -> None:
    before = sha256_of(home / "console.sqlite3")
    assert "has tables: nothing is written over" in refused(home, kept)
    assert sha256_of(home / "console.sqlite3") == before
    done = earlier.run(home, "manage.py", "backup", str(kept))
    assert (done.returncode, "is there already" in done.stderr) == (1, True)
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "engine.sqlite3").write_text("x")
    assert "holds an engine's store: nothing is written over" in refused(tmp_path, kept)
    assert (tmp_path / "engine" / "engine.sqlite3").read_text() == "x"
    nowhere = earlier.run(home, "manage.py", "backup", "/proc/nowhere/x.anthill")
    assert (nowhere.returncode, "could not be written" in nowhere.stderr) == (1, True)


@pytest.mark.parametrize("command", [["backup", "out.anthill"], ["colony", "--once"], ["gaps"], ["mcp"]])
@pytest.mark.sqlite
def test_where_no_console_is_a_command_says_so_and_makes_none(command: list[str], tmp_path: Path) -> None:
    nobody = tmp_path / "nobody"
    done = earlier.run(nobody, "manage.py", *command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"There is no console in {nobody}. Set ANTHILL_DATA_DIR.\n"
    assert not nobody.exists()
    nobody.mkdir()
    sqlite3.connect(nobody / "console.sqlite3").close()
    assert earlier.run(nobody, "manage.py", *command).stderr == done.stderr, "an empty database is no console"
    assert [each.name for each in nobody.iterdir()] == ["console.sqlite3"]


@pytest.mark.sqlite
def test_a_folder_that_is_not_there_is_not_taken_for_a_file(home: Path, tmp_path: Path) -> None:
    done = earlier.run(home, "manage.py", "backup", f"{tmp_path}/nightly/")
    assert done.returncode != 0
    assert f"There is no folder {tmp_path}/nightly/ to write into. Make it, or name a file." in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("nightly*"))


def flip(name: str) -> Callable[[Parts], None]:
    def spoil(content: Parts) -> None:
        at = len(content[name]) // 2
        content[name] = content[name][:at] + bytes([content[name][at] ^ 1]) + content[name][at + 1 :]

    return spoil


def lacking(content: Parts) -> None:
    del content[ENGINE]


def crowded(content: Parts) -> None:
    content["../escaped"] = b"x"


def told(**changes: Any) -> Callable[[Parts], None]:
    def spoil(content: Parts) -> None:
        content[MANIFEST] = json.dumps({**json.loads(content[MANIFEST]), **changes}).encode()

    return spoil


def newer(content: Parts) -> None:
    manifest = json.loads(content[MANIFEST])
    manifest["console"]["migrations"].append(["backups", "9999_later"])
    content[MANIFEST] = json.dumps(manifest).encode()


def of_postgres(content: Parts) -> None:
    manifest = json.loads(content[MANIFEST])
    manifest["console"]["database"] = "postgresql"
    content[MANIFEST] = json.dumps(manifest).encode()


def with_a_torn_store(content: Parts) -> None:
    """The outer digest fits, the engine's own check is what finds it."""
    content[ENGINE] = content[ENGINE][:-40]
    manifest = json.loads(content[MANIFEST])

    manifest["engine"]["sha256"] = hashlib.sha256(content[ENGINE]).hexdigest()
    content[MANIFEST] = json.dumps(manifest).encode()


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (flip(CONSOLE), "console.sqlite3 in spoiled.anthill is damaged"),
        (flip(ENGINE), "engine.backup in spoiled.anthill is damaged"),
        (lacking, "lacks a part, or holds one"),
        (crowded, "lacks a part, or holds one"),
        (newer, "made by a newer console"),
        (of_postgres, "is of postgresql: set database_url"),
        (told(format_version=2), "this console reads anthill-backup 1"),
        (told(console=None), "no backup of a console"),
        (with_a_torn_store, "The engine's part was refused. engine.backup cannot be read"),
    ],
    ids=["console", "engine", "lacking", "crowded", "newer", "other", "form", "bare", "torn"],
)
def test_what_is_damaged_or_does_not_fit_is_refused_whole(
    kept: Path, tmp_path: Path, spoil: Callable[[Parts], None], says: str
) -> None:
    content = parts(kept)
    spoil(content)
    folder = tmp_path / "new"
    assert says in refused(folder, repacked(content, tmp_path / "spoiled.anthill"))
    assert is_untouched(folder)
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.sqlite
def test_any_flipped_byte_of_the_file_itself_is_found(kept: Path, tmp_path: Path) -> None:
    whole = kept.read_bytes()
    for at in (0, len(whole) // 3, len(whole) // 2, len(whole) - 3000, len(whole) - 5):
        (tmp_path / "flipped.anthill").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        folder = tmp_path / f"new-{at}"
        said = refused(folder, tmp_path / "flipped.anthill")
        assert any(words in said for words in ("damaged", "cannot be read", "lacks", "no backup"))
        assert is_untouched(folder)


@pytest.mark.sqlite
def test_no_backup_and_no_file_are_told_plainly(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    for name in ("notes.txt", "nowhere"):
        assert "cannot be read" in refused(tmp_path / "new", tmp_path / name)


@pytest.mark.sqlite
def test_an_attached_engine_is_left_to_whoever_runs_it(home: Path, kept: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.anthill"
    said = earlier.manage(home, "backup", str(alone), ANTHILL_KNOWLEDGE_MODE="attached")
    assert "the console alone. The engine is attached: whoever runs it keeps it." in said
    assert set(parts(alone)) == {MANIFEST, CONSOLE}
    folder = tmp_path / "new"
    assert "Everybody signs in again" in earlier.manage(folder, "restore", str(alone))
    assert not (folder / "engine").exists()
    other = tmp_path / "other"
    assert "knowledge_mode is attached" in refused(other, kept, ANTHILL_KNOWLEDGE_MODE="attached")
    assert is_untouched(other)


@pytest.mark.sqlite
def test_a_restore_that_was_ended_hard_is_begun_anew(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    (folder / ".restoring" / "engine").mkdir(parents=True)
    (folder / ".restoring" / "engine.backup").write_text("half")
    earlier.manage(folder, "restore", str(kept))
    assert not (folder / ".restoring").exists()
    assert earlier.engine(folder, "verify").splitlines()[-1].startswith(f"{folder / 'engine'}: 0 findings in ")


@pytest.mark.sqlite
def test_without_a_place_it_joins_the_list_of_the_page_and_the_engine_must_answer_for_its_store(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(home, folder)
    earlier.manage(folder, "backup")
    (made,) = (folder / "backups").glob("anthill-*.anthill")
    with closing(sqlite3.connect(folder / "console.sqlite3")) as file:
        row = file.execute("SELECT state, file, sha256 FROM backups_backup").fetchone()
    assert row == ("done", made.name, sha256_of(made))
    (folder / "engine" / "engine.sqlite3").write_bytes(b"no database" * 100)
    done = earlier.run(folder, "manage.py", "backup")
    assert (done.returncode, "The engine's store was not kept." in done.stderr) == (1, True)
    assert [each.name for each in (folder / "backups").glob("[!.]*")] == [made.name]


@pytest.mark.postgres
def test_a_console_on_postgresql_is_kept_and_made_again(tmp_path: Path) -> None:
    """Its engine is attached; who is signed in stays behind here, too."""
    home, new = tmp_path / "home", tmp_path / "new"
    urls = {each: postgres.database(f"console_kept_{each}") for each in ("home", "new")}
    own, other = ({"ANTHILL_DATABASE_URL": urls[each]} for each in ("home", "new"))
    earlier.manage(home, "migrate", "-v0", **own)
    earlier.manage(home, "createfirstadmin", **own)
    fill = (
        "from django.contrib.sessions.models import Session; from django.utils import timezone;"
        "Session.objects.create(session_key='keyofsession', session_data='x', expire_date=timezone.now())"
    )
    earlier.manage(home, "shell", "-v0", "-c", fill, **own)
    path = tmp_path / "kept.anthill"
    assert "the console alone." in earlier.manage(home, "backup", str(path), **own)
    assert b"keyofsession" not in path.read_bytes()
    assert set(parts(path)) == {MANIFEST, database.COPY_NAMES["postgresql"]}
    assert "is of postgresql: set database_url" in refused(tmp_path / "wrong", path)
    assert "has tables: nothing is written over" in refused(home, path, **own)
    earlier.manage(new, "restore", str(path), **other)
    tell = (
        "from console.people.models import User; from django.contrib.sessions.models import Session;"
        "from console.audit.models import AuditEvent as A;"
        "print(User.objects.get().email, Session.objects.count(), A.objects.first().action)"
    )
    said = earlier.manage(new, "shell", "-v0", "-c", tell, **other)
    assert said.split() == ["admin@anthill.local", "0", "backup.restored"]
