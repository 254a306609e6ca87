"""The palette finds what one may open, and of knowledge only the picked project's."""

from django.test import Client

from console.people.models import User
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider

FIND = "/p/falcon-programme/find"


def found(client: Client, query: str, address: str = FIND) -> str:
    region = {"HX-Request": "true", "HX-Target": "palette-found"}
    return client.get(address, {"q": query}, headers=region).content.decode()


def test_pages_projects_sources_and_statements_are_found(as_member: Client, engine: FakeProvider) -> None:
    assert "/p/falcon-programme/review" in found(as_member, "revi")
    assert "Falcon programme" in found(as_member, "falcon pro")
    assert "/p/falcon-programme/sources/src_mail" in found(as_member, "schedule")
    assert "/p/falcon-programme/knowledge/ki_135" in found(as_member, "budget")
    engine.calls.clear()
    found(as_member, "budget")
    assert len(engine.calls) <= 4  # who it is (remembered for seconds), the base, and one question each


def test_nothing_typed_lists_pages_and_asks_the_engine_for_no_text(as_member: Client, engine: FakeProvider) -> None:
    page = found(as_member, "")
    assert "What an agent would see" in page
    assert not {"search", "sources"} & set(engine.calls)


def test_another_project_is_never_found(as_member: Client, other_project: Project, engine: FakeProvider) -> None:
    page = found(as_member, "site")
    assert "Site operations" not in page
    assert as_member.get("/p/site-operations/find", {"q": "site"}).status_code == 404


def test_without_a_project_only_pages_and_projects_are_found(stranger: User, engine: FakeProvider) -> None:
    client = signed_in(stranger)
    page = found(client, "project", "/find")
    assert "/settings/projects" in page
    assert not {"search", "sources"} & set(engine.calls)


def test_what_cannot_be_looked_up_is_said(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["search"] = Failed(Failure.TIMEOUT, "No answer within 5000 ms.")
    page = found(as_member, "schedule")
    assert "No answer within 5000 ms." in page
    assert "src_mail" in page


def test_nothing_found_is_no_blank(as_member: Client) -> None:
    assert "Nothing found for “zzzz”" in found(as_member, "zzzz")


def test_density_is_kept_beside_the_theme(as_member: Client) -> None:
    as_member.post("/theme", {"theme": "dark", "next": FIND})
    as_member.post("/theme", {"density": "compact", "next": FIND})
    page = as_member.get(FIND).content.decode()
    assert 'data-theme="dark" data-density="compact"' in page
    as_member.post("/theme", {"density": "roomy", "next": FIND})
    assert "data-density" not in as_member.get(FIND).content.decode().partition("<head>")[0]
