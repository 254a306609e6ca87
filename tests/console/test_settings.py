"""One table of settings: the reader, the page, the documentation and what may be written all come from it."""

from pathlib import Path

import pytest
from django.test import Client

from console import env
from console.audit.models import AuditEvent
from console.connection.actions import store_settings
from console.connection.models import StoredSetting
from console.connection.settings import declared, read_settings, sealed
from console.management.commands.settingsdoc import page
from console.pages.setting_forms import LABELS, writable
from console.people.models import User
from console.projects.models import Project
from tests.console.conftest import BY, signed_in

PAGE = "/connection/settings"
DOCS = Path(__file__).parents[2] / "docs" / "settings.md"
WRONG = {
    "knowledge_forager_endpoint": "http://10.1.2.3:8790",
    "knowledge_probe_timeout_ms": "1",
    "knowledge_retrieval_timeout_ms": "999999999999",
    "knowledge_ingestion_timeout_ms": "soon",
    "knowledge_top_k": "0",
    "knowledge_max_context_chars": "-3",
    "auto_study": "always",
    "study_interval_hours": "1e9",
    "knowledge_enabled": "perhaps",
}


def fields(**changes: str) -> dict[str, str]:
    """What the page posts when nothing was changed, and the changes."""
    settings = read_settings()
    held = {each.name: settings.values.by_name[each.name].value for each in writable()}
    told = {name: str(value) for name, value in held.items() if not isinstance(value, bool)}
    told |= {name: "on" for name, value in held.items() if value is True}
    return {**told, "knowledge_forager_token": "", **changes}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "anthill.toml"
    monkeypatch.setenv("ANTHILL_CONFIG", str(path))
    return path


def test_the_documentation_is_the_table() -> None:
    assert DOCS.read_text("utf-8").splitlines() == list(page()), "run manage.py settingsdoc > docs/settings.md"


def test_every_setting_that_is_written_here_has_a_label_and_a_wrong_value_is_tested() -> None:
    names = {each.name for each in writable()}
    assert names == set(LABELS)
    assert names == set(WRONG) | {"knowledge_forager_token"}


def test_the_page_tells_every_setting_and_where_it_comes_from(
    as_owner: Client, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    file.write_text("knowledge_max_context_chars = 4321\n")
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_TOP_K", "17")
    store_settings(by=BY, changes={"study_interval_hours": "9"})
    shown = as_owner.get(PAGE).content.decode()
    for each in env.TABLE:
        assert f"<code>{each.name}</code>" in shown
    assert "pinned by ANTHILL_KNOWLEDGE_TOP_K" in shown
    assert "pinned by the configuration file" in shown
    for value in ("17", "4321", "9"):
        assert f"<code>{value}</code>" in shown
    assert "fgr_test" not in shown
    for pinned in ("knowledge_top_k", "knowledge_max_context_chars", "knowledge_forager_token"):
        control = shown.partition(f'name="{pinned}"')[2].partition(">")[0]
        assert "disabled" in control, pinned


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_refused_write_says_why_at_its_field_and_changes_nothing(as_owner: Client, name: str) -> None:
    before = dict(StoredSetting.objects.values_list("name", "value"))
    why = store_settings(by=BY, changes={"auto_study": "on", name: WRONG[name]})
    assert why[name]
    assert AuditEvent.objects.filter(action="connection.settings_refused").exists()
    if name != "knowledge_enabled":  # pinned in these tests, and a box has no wrong value
        answer = as_owner.post(PAGE, fields(**{name: WRONG[name]}))
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in answer.content.decode()
        assert WRONG[name] in answer.content.decode(), "what was typed is kept"
    assert dict(StoredSetting.objects.values_list("name", "value")) == before


@pytest.mark.parametrize("name", ["data_dir", "knowledge_forager_allow_remote", "knowledge_mode", "no_such_setting"])
def test_what_only_the_file_may_say_is_written_by_nobody_here(db: None, name: str) -> None:
    assert store_settings(by=BY, changes={name: "1"})[name]
    assert not StoredSetting.objects.exists()


def test_a_pinned_setting_is_withheld_from_the_page_and_from_every_caller(
    as_owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_TOP_K", "17")
    assert as_owner.post(PAGE, fields(knowledge_top_k="3")).status_code == 302
    assert read_settings().top_k == 17
    refused = store_settings(by=BY, changes={"knowledge_top_k": "3"})
    assert refused == {"knowledge_top_k": "Pinned by ANTHILL_KNOWLEDGE_TOP_K."}
    monkeypatch.setenv("ANTHILL_AUTO_STUDY", "off")
    answer = as_owner.post("/p/falcon-programme/colony/findings/mode", {"mode": "on"}, follow=True)
    assert "Pinned by ANTHILL_AUTO_STUDY." in answer.content.decode()


def test_each_source_holds_from_the_next_request_and_goes_before_the_one_below(
    as_owner: Client, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    assert read_settings().top_k == 8
    assert as_owner.post(PAGE, fields(knowledge_top_k="12")).status_code == 302
    assert read_settings().top_k == 12
    file.write_text("knowledge_top_k = 13\n")
    assert read_settings().top_k == 13
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_TOP_K", "14")
    assert read_settings().top_k == 14
    monkeypatch.delenv("ANTHILL_KNOWLEDGE_TOP_K")
    file.unlink()
    assert read_settings().top_k == 12, "what was written here was kept all the while"
    answer = as_owner.post(PAGE, {"forget": "knowledge_top_k"}, follow=True)
    assert "has its default again" in answer.content.decode()
    assert read_settings().top_k == 8
    answer = as_owner.post(PAGE, {"forget": "knowledge_top_k"}, follow=True)
    assert "Nothing was changed" in answer.content.decode()


@pytest.mark.parametrize("broken", ["knowledge_top_k = ", "knowledge_top_k = 'many'", "no_such = 1", "\x00"])
def test_a_file_that_cannot_be_read_changes_nothing_and_is_told(as_owner: Client, file: Path, broken: str) -> None:
    file.write_text("knowledge_top_k = 21\n")
    assert read_settings().top_k == 21
    file.write_text(broken)
    shown = as_owner.get(PAGE)
    assert shown.status_code == 200
    assert "The configuration cannot be read" in shown.content.decode()
    assert read_settings().top_k == 21
    file.write_text("knowledge_top_k = 22\n")
    assert read_settings().top_k == 22
    assert declared.problem == ""
    assert "cannot be read" not in as_owner.get(PAGE).content.decode()


def test_what_another_version_wrote_is_as_if_it_was_never_written(db: None) -> None:
    StoredSetting.objects.create(name="knowledge_top_k", value="many")
    StoredSetting.objects.create(name="auto_study", value="weekly")
    StoredSetting.objects.create(name="of_another_version", value="1")
    assert (read_settings().top_k, read_settings().auto_study) == (8, "off")


def test_a_secret_is_never_told_again(as_owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHILL_KNOWLEDGE_FORAGER_TOKEN")
    assert as_owner.post(PAGE, fields(knowledge_forager_token="fgr_planted")).status_code == 302
    assert read_settings().token == "fgr_planted"
    assert "planted" not in as_owner.get(PAGE).content.decode()
    assert "planted" not in "".join(StoredSetting.objects.values_list("value", flat=True))
    assert sealed("x") != "x"
    assert "fgr_planted" not in str(list(AuditEvent.objects.values_list("before", "after")))
    assert as_owner.post(PAGE, fields()).status_code == 302
    assert read_settings().token == "fgr_planted", "an empty field keeps the one that is set"


def test_the_password_of_a_database_is_on_no_page(as_owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHILL_DATABASE_URL", "ANTHILL_ENGINE_DATABASE_URL"):
        monkeypatch.setenv(name, "postgresql://anthill:planted@db/anthill")
    page = as_owner.get(PAGE).content.decode()
    assert "ANTHILL_ENGINE_DATABASE_URL" in page
    assert "planted" not in page
    assert "planted" not in as_owner.get("/connection").content.decode()


def test_only_an_administrator_sees_or_writes_settings(member: User, project: Project) -> None:
    client = signed_in(member)
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, fields(knowledge_top_k="3")).status_code == 403
    assert PAGE not in client.get("/connection").content.decode()


def test_a_secret_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    held, none = tmp_path / "url", tmp_path / "none.toml"
    held.write_text("postgresql://anthill:s3cret@db/console\n")
    read = env.read({"ANTHILL_DATABASE_URL_FILE": str(held)}, none)
    assert read.text("database_url") == "postgresql://anthill:s3cret@db/console"
    assert read.origin("database_url") is env.Origin.ENVIRONMENT
    both = {"ANTHILL_DATABASE_URL_FILE": str(held), "ANTHILL_DATABASE_URL": ""}
    assert env.read(both, none).text("database_url") == "", "the variable itself wins"
    with pytest.raises(env.SettingError, match="ANTHILL_METRICS_TOKEN_FILE names a file that cannot be read"):
        env.read({"ANTHILL_METRICS_TOKEN_FILE": str(tmp_path / "nowhere")}, none)
    assert env.read({"ANTHILL_TIME_ZONE_FILE": str(held)}, none).text("time_zone") == "UTC", "of secrets alone"
