"""What is deployed: every service, unit, command and variable of it exists, and only the console can be reached."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from console import env

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name in SERVICES if name != "database"]
UNITS = sorted([*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")])
RUNNING = [path for path in UNITS if path.suffix == ".service"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
GUIDE = (ROOT / "docs" / "deploy.md").read_text("utf-8")
ENGINE_DOC = (ROOT / "docs" / "engine-api.md").read_text("utf-8")
OWN = {variable for each in env.TABLE for variable in (each.variable, each.file_variable) if variable}
OWN |= {"ANTHILL_CONFIG", "ANTHILL_AGENT_TOKEN", "ANTHILL_PYTHON", "ANTHILL_HOST"}
"""``ANTHILL_HOST`` is the one name that compose.yaml itself takes from whoever starts it."""
HARDENED = (
    *("NoNewPrivileges=yes", "PrivateTmp=yes", "ProtectSystem=strict", "ProtectHome=yes", "CapabilityBoundingSet=\n"),
    *("RestrictNamespaces=yes", "ProtectKernelModules=yes", "RestrictSUIDSGID=yes", "UMask=0077"),
)


def profiles(service: str) -> list[str]:
    return list(SERVICES[service].get("profiles", []))


@cache
def exists(*command: str) -> bool:
    """Whether it is a command of ours: asked for its own help."""
    asked = [sys.executable, *command, "--help"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, check=False).returncode == 0


def command_exists(words: list[str]) -> bool:
    """``python manage.py X``, ``python -m forager X`` or gunicorn over our application."""
    told = [word for word in words if not word.endswith("python")]
    if told[0] == "manage.py":
        return exists("manage.py", told[1])
    if told[:2] == ["-m", "forager"]:
        return exists("-m", "forager", told[2])
    return "console.site.wsgi" in told and (told[0] == "gunicorn" or told[:2] == ["-m", "gunicorn"])


def commands_of(service: str) -> list[list[str]]:
    told = SERVICES[service].get("command")
    if told is None:
        return [re.findall(r'"([^"]+)"', DOCKERFILE.rpartition("CMD ")[2])]
    return [each.split() for each in told[2].split(" && ")] if told[0] == "sh" else [list(told)]


def test_without_a_profile_there_are_the_console_and_its_database_alone() -> None:
    assert [name for name in SERVICES if not profiles(name)] == ["database", "set-up", "console"]
    assert {name for name in SERVICES if profiles(name) == ["knowledge"]} == {
        *("colony", "mcp", "engine", "engine-worker"),
    }
    assert SERVICES["set-up"]["restart"] == "no"


def test_nothing_of_the_default_waits_for_what_only_the_profile_starts() -> None:
    for name in ("database", "set-up", "console"):
        assert not [each for each in SERVICES[name].get("depends_on", {}) if profiles(each)]


def test_only_the_two_doors_are_published_and_only_to_the_proxy_of_this_host() -> None:
    published = {name: SERVICES[name]["ports"] for name in SERVICES if "ports" in SERVICES[name]}
    assert published == {"console": ["127.0.0.1:8000:8000"], "mcp": ["127.0.0.1:8791:8791"]}
    for name in ("engine", "engine-worker", "database", "colony"):
        assert all(COMPOSE["networks"][each]["internal"] for each in SERVICES[name]["networks"]), name
    assert "knowledge" not in SERVICES["database"]["networks"]


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_ours_is_confined_and_runs_what_there_is(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "user" not in service, "the image's own user is no root"
    for words in commands_of(name):
        assert command_exists(words), words


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_a_setting_and_no_secret_is_written_down(name: str) -> None:
    for variable, value in SERVICES[name]["environment"].items():
        known = variable in OWN if variable.startswith("ANTHILL_") else f"`{variable}`" in ENGINE_DOC
        assert known, variable
        setting = next((each for each in env.TABLE if each.variable == variable), None)
        assert setting is None or not setting.secret, f"{variable} belongs in a file"
        if str(value).startswith("/run/secrets/"):
            assert Path(value).name in SERVICES[name]["secrets"], (variable, value)
    values = {each.variable: each for each in env.TABLE}
    for variable, value in SERVICES[name]["environment"].items():
        if variable in values:
            env.parse(values[variable], re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value)))


def test_every_secret_volume_and_network_is_declared_and_made(tmp_path: Path) -> None:
    made = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run([DEPLOY / "make-secrets", made], check=True, capture_output=True)
        kept = {path.name: path.read_text() for path in made.iterdir()}
    assert set(kept) == set(COMPOSE["secrets"])
    assert made.stat().st_mode & 0o777 == 0o700
    assert kept["database_password"].strip() in kept["engine_database_url"]
    assert len(kept["engine_key"].strip()) == 64
    again = {path.name: path.read_text() for path in made.iterdir()}
    assert again == kept, "what is there stays"
    for name, service in SERVICES.items():
        assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        named = [each.partition(":")[0] for each in service["volumes"] if not each.startswith(("/", "./"))]
        assert set(named) <= set(COMPOSE["volumes"]), name
    assert {each["file"] for each in COMPOSE["secrets"].values()} == {f"./secrets/{name}" for name in kept}
    assert "/deploy/secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_whoever_answers_is_asked_for_its_health() -> None:
    asked = {name: " ".join(each["healthcheck"]["test"]) for name, each in SERVICES.items() if "healthcheck" in each}
    assert set(asked) == {"database", "console", "mcp", "engine"}
    assert "/readyz" in asked["console"]
    assert "/api/ready" in asked["engine"]
    assert SERVICES["engine-worker"]["depends_on"]["engine"]["condition"] == "service_healthy"


def test_the_image_is_made_in_two_stages_and_runs_as_nobody_special() -> None:
    assert DOCKERFILE.count("\nFROM ") + DOCKERFILE.startswith("FROM") == 2
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER anthill$", last, re.MULTILINE)
    assert "uv sync --locked --no-dev" in DOCKERFILE
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for line in re.findall(r"^COPY (?!--)(.+)$", DOCKERFILE, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert source in allowed, f"{source} is kept from the builder by .dockerignore"
    client, server = re.findall(r"postgresql-client-(\d+)", DOCKERFILE), SERVICES["database"]["image"]
    assert server == f"postgres:{client[0]}", "pg_dump must not be older than its server"


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.name)
def test_a_unit_is_hardened_and_runs_what_there_is(path: Path) -> None:
    text = path.read_text("utf-8")
    for line in HARDENED:
        assert line in text, line
    user = re.search(r"^User=(.+)$", text, re.MULTILINE)
    assert user
    assert user.group(1) in ("anthill", "anthill-engine")
    for told in re.findall(r"^Exec\w+=(.+)$", text, re.MULTILINE):
        assert told.startswith("/opt/anthill/.venv/bin/python ")
        assert command_exists(told.split()), told
    for variable in re.findall(r"\b((?:ANTHILL|FORAGER)_[A-Z_]+)=", text):
        assert variable in OWN or f"`{variable}`" in ENGINE_DOC, variable


def test_every_place_has_its_unit_and_the_guide_names_all() -> None:
    names = {path.name for path in UNITS}
    wanted = ("", "-console", "-colony", "-mcp", "-engine", "-engine-worker@", "-backup", "-gaps")
    assert {f"anthill{each}.service" for each in wanted} <= names
    for name in names:
        assert name in GUIDE, f"docs/deploy.md does not name {name}"
    for path in UNITS:
        if path.suffix == ".timer":
            assert path.with_suffix(".service").name in names


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here; the units are read above")
def test_the_units_are_what_systemd_takes(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text("utf-8").replace("/opt/anthill/.venv/bin/python", sys.executable)
        name = path.name.replace("@.", "@1.")
        (tmp_path / name).write_text(text.replace("WorkingDirectory=/opt/anthill", f"WorkingDirectory={ROOT}"))
    command = ["systemd-analyze", "verify", "--man=no", *sorted(map(str, tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "anthill" in line]
    assert (done.returncode, said) == (0, [])


def test_the_guide_names_settings_that_exist() -> None:
    for variable in set(re.findall(r"\bANTHILL_[A-Z_]+\b", GUIDE)):
        assert variable in OWN, variable
    for variable in set(re.findall(r"\bFORAGER_[A-Z_]+\b", GUIDE)):
        assert f"`{variable}`" in ENGINE_DOC, variable
