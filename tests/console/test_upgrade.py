"""A data folder of an earlier commit: migrated with nothing lost, and back to the tables it had, and forwards again."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests import earlier, postgres
from tests.browser.stack import Stack

CONSOLE, ENGINE = "console.sqlite3", "engine/engine.sqlite3"
CONSOLE_TABLES = (
    *("people_user", "projects_project", "projects_binding", "projects_membership", "audit_auditevent"),
    *("tokens_agenttoken", "tokens_toolcall", "packages_package", "gaps_gap", "searches_savedsearch"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    earlier.unpack(tmp_path)
    return tmp_path


def applied(database: Path) -> dict[str, str]:
    """The last migration of each app."""
    with closing(sqlite3.connect(database)) as file:
        return dict(file.execute("SELECT app, max(name) FROM django_migrations GROUP BY app"))


def tables(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table with its columns, in whatever order they were added."""
    with closing(sqlite3.connect(database)) as file:
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(row[1:4] for row in file.execute(f"PRAGMA table_info('{name}')")) for name in sorted(names)
        }


def told(database: Path, of: Path) -> dict[str, list[tuple[object, ...]]]:
    """What stands in the columns that the tables of ``of`` had."""
    found = {}
    with closing(sqlite3.connect(database)) as file:
        for table in CONSOLE_TABLES:
            named = ", ".join(f'"{column[0]}"' for column in tables(of)[table])
            found[table] = sorted(file.execute(f"SELECT {named} FROM {table}"), key=str)  # noqa: S608 - names of ours
    return found


def counts(database: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(database)) as file:
        (statements,) = file.execute("SELECT count(*) FROM forager_statement").fetchone()
        (documents,) = file.execute("SELECT count(*) FROM forager_document").fetchone()
    return statements, documents


@pytest.fixture
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("earlier")
    earlier.unpack(path)
    return path


@pytest.fixture
def stack(folder: Path) -> Iterator[Stack]:
    stack = Stack(folder)
    yield stack
    if stack.process is not None and stack.process.poll() is None:
        assert stack.stop() == 0, stack.log()


@pytest.mark.sqlite
def test_it_is_migrated_and_everything_is_there_and_works(folder: Path, untouched: Path, stack: Stack) -> None:
    earlier.migrate(folder)
    assert earlier.engine(folder, "verify").splitlines()[-1].partition(": ")[2].startswith("0 findings in ")
    assert told(folder / CONSOLE, untouched / CONSOLE) == told(untouched / CONSOLE, untouched / CONSOLE)
    assert counts(folder / ENGINE) == (earlier.STATEMENTS, earlier.DOCUMENTS)
    earlier.manage(folder, "collectstatic", "--noinput", "-v0")
    stack.start()
    _look(stack)
    assert "Loading the Falcon example" not in stack.log()


@pytest.mark.sqlite
def test_back_to_the_tables_it_had_nothing_of_them_is_lost(folder: Path, untouched: Path, tmp_path: Path) -> None:
    earlier.migrate(folder)
    before = told(folder / CONSOLE, untouched / CONSOLE)
    then = checkout_of(untouched, tmp_path / "checkout")
    assert "is no checkout" in earlier.run(folder, "manage.py", "migrate-back", str(tmp_path)).stderr
    said = earlier.manage(folder, "migrate-back", str(then))
    assert "taken back: missions.0001_initial" in said
    for database in (CONSOLE, ENGINE):
        assert tables(folder / database) == tables(untouched / database)
        assert applied(folder / database) == applied(untouched / database)
    assert told(folder / CONSOLE, untouched / CONSOLE) == before
    assert counts(folder / ENGINE) == (earlier.STATEMENTS, earlier.DOCUMENTS)
    earlier.migrate(folder)
    assert told(folder / CONSOLE, untouched / CONSOLE) == before
    assert earlier.engine(folder, "verify").splitlines()[-1].partition(": ")[2].startswith("0 findings in ")
    assert "launch" in earlier.engine(folder, "search", "--base", "falcon-demo", "launch date").casefold()


@pytest.mark.postgres
def test_on_postgresql_it_goes_back_and_forwards_too(untouched: Path, tmp_path: Path) -> None:
    """The earlier commit knew SQLite alone: here a database of now goes back to its tables."""
    then, folder = checkout_of(untouched, tmp_path / "checkout"), tmp_path / "home"
    urls = {
        "ANTHILL_DATABASE_URL": postgres.database("console_back"),
        "ANTHILL_ENGINE_DATABASE_URL": postgres.database("engine_back"),
        "ANTHILL_KNOWLEDGE_MODE": "managed",
    }
    earlier.migrate(folder, **urls)
    earlier.manage(folder, "createfirstadmin", **urls)
    assert "taken back: missions.0001_initial" in earlier.manage(folder, "migrate-back", str(then), **urls)
    with psycopg.connect(urls["ANTHILL_DATABASE_URL"]) as database:
        assert database.execute("SELECT to_regclass('missions_mission')").fetchone() == (None,)
        assert database.execute("SELECT count(*) FROM people_user").fetchone() == (1,)
    earlier.migrate(folder, **urls)
    with psycopg.connect(urls["ANTHILL_DATABASE_URL"]) as database:
        assert database.execute("SELECT count(*) FROM missions_mission").fetchone() == (0,)
        assert database.execute("SELECT email FROM people_user").fetchone() == (earlier.EMAIL,)


def checkout_of(untouched: Path, folder: Path) -> Path:
    """A folder with the migrations that the code of then had, and no others."""
    names = {"console": CONSOLE, "forager": ENGINE}
    for package, database in names.items():
        with closing(sqlite3.connect(untouched / database)) as file:
            known = set(file.execute("SELECT app, name FROM django_migrations"))
        for path in (earlier.ROOT / package).glob("*/migrations/0*.py"):
            app = "forager" if package == "forager" else path.parts[-3]
            if (app, path.stem) in known:
                place = folder / path.relative_to(earlier.ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
    (folder / "manage.py").touch()
    return folder


def _look(stack: Stack) -> None:
    """A person signs in, finds, reads the ruling; an agent's token of then still asks."""
    with httpx2.Client(base_url=stack.url, follow_redirects=True, timeout=30) as visitor:
        page = visitor.get("/sign-in")
        mark = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page.text)
        assert mark
        fields = {"email": earlier.EMAIL, "password": earlier.PASSWORD, "csrfmiddlewaretoken": mark.group(1)}
        assert "Falcon programme" in visitor.post("/sign-in", data=fields).text
        assert "Engine ready" in visitor.get("/connection").text
        assert "March 3, 2026" in visitor.get("/p/falcon-programme/knowledge?q=falcon+launch+date").text
        assert earlier.REASON in visitor.get(f"/p/falcon-programme/review/{earlier.RULED}").text
        assert "Launch" in visitor.get("/p/falcon-programme/knowledge/searches").text
        assert visitor.get("/p/falcon-programme/colony/missions").status_code == 200
    with httpx2.Client(base_url=stack.url, timeout=30, headers={"Authorization": f"Bearer {earlier.SECRET}"}) as agent:
        answer = agent.post("/knowledge/retrieve", json={"query": "When is the Falcon launch date?"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["data"]["package"].startswith("pkg_")
