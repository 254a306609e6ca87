"""Three people, a fake engine, and a console that is switched on."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

import console.people.sessions  # noqa: F401 - hears of a sign-in before the first page is asked for
from console.audit.models import Actor
from console.connection.models import KnownEngine
from console.connection.providers import forget_probe
from console.people.actions import add_person
from console.people.models import User
from console.policy import Role
from console.projects.actions import bind_project, make_project
from console.projects.models import Project
from tests.console import fake
from tests.console.fake import FakeProvider

BY = Actor(key="test", name="Test")


@pytest.fixture(autouse=True)
def console_settings(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.KNOWLEDGE_PROVIDER = "tests.console.fake.provide"
    settings.SHOW_COMPONENTS = True
    monkeypatch.delenv("ANTHILL_KNOWLEDGE_MODE", raising=False)  # a command run in this process may have found one
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_ENABLED", "1")
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_FORAGER_TOKEN", "fgr_test")


@pytest.fixture(autouse=True)
def engine() -> Iterator[FakeProvider]:
    forget_probe()
    yield fake.install(FakeProvider())
    forget_probe()


def person(role: Role, name: str) -> User:
    user, _password = add_person(by=BY, email=f"{name.lower()}@falcon.example", name=name, role=role)
    user.must_change_password = False
    user.set_password("a long enough password")
    user.save()
    return user


@pytest.fixture
def owner(db: None) -> User:
    return person(Role.ADMINISTRATOR, "Mara")


@pytest.fixture
def member(db: None) -> User:
    return person(Role.MANAGER, "Tomas")


@pytest.fixture
def viewer(db: None) -> User:
    return person(Role.VIEWER, "Vera")


@pytest.fixture
def stranger(db: None) -> User:
    return person(Role.MANAGER, "Priya")


@pytest.fixture
def project(owner: User, member: User, viewer: User) -> Project:
    made = make_project(by=BY, name="Falcon programme", members=(owner, member, viewer))
    bind_project(by=BY, project=made, base_id="proj_falcon", base_name="falcon-demo")
    KnownEngine.objects.create(instance_id="fgi_5d0f27", generation="gen_3")
    return made


@pytest.fixture
def other_project(stranger: User) -> Project:
    made = make_project(by=BY, name="Site operations", members=(stranger,))
    bind_project(by=BY, project=made, base_id="proj_falcon", base_name="falcon-demo")
    return made


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def as_owner(owner: User, project: Project) -> Client:
    return signed_in(owner)


@pytest.fixture
def as_member(member: User, project: Project) -> Client:
    return signed_in(member)
