"""The door beyond the table of test_matrix: methods, unknown objects, sessions, one-time passwords."""

import pytest
from django.test import Client

from console.people.models import User
from console.policy import BY_ROLE, Door, Permission, Role, granted
from console.projects.models import Project
from knowledge.tools import TABLE
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.console.routes import Route, routes

ROUTES = list(routes())
FOR_AGENTS = [route for route in ROUTES if Door.AGENT in route.asks.values()]
IN_PROJECT = [route for route in ROUTES if "project" in route.arguments]


def _methods(route: Route) -> list[str]:
    return [method for method in ("GET", "POST") if route.asks.get(method) is not None]


def _ask(client: Client, method: str, url: str) -> int:
    return int(client.generic(method, url).status_code)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_route_declares_what_it_asks_for(route: Route) -> None:
    assert route.name
    assert _methods(route), f"{route.name} declares nothing"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_a_visitor_reaches_only_the_open_doors(db: None, route: Route) -> None:
    url = route.url(project="falcon-programme")
    for method in _methods(route):
        status = _ask(Client(), method, url)
        is_open = route.asks[method] is Door.ANYONE
        if route.name == "sign-in-code":  # a second step without a first leads back to it
            is_open = False
        if route.asks[method] is Door.AGENT:
            assert status == 401, (method, url, status)
            continue
        assert (status in (200, 422)) if is_open else status == 302, (method, url, status)


@pytest.mark.parametrize("route", FOR_AGENTS, ids=lambda route: route.name)
def test_a_session_opens_no_door_of_the_agents(as_owner: Client, route: Route) -> None:
    for method in _methods(route):
        assert _ask(as_owner, method, route.url(project="falcon-programme")) == 401, (method, route.name)


def test_every_tool_has_its_address_and_nothing_else_is_there() -> None:
    assert {route.name for route in FOR_AGENTS} == {f"tool-{tool.path}" for tool in TABLE} | {"tools-unknown"}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_an_undeclared_method_is_refused(as_owner: Client, route: Route) -> None:
    url = route.url(project="falcon-programme", pk=1)
    for method in {"GET", "POST", "PUT", "DELETE"} - {each for each in route.asks if route.asks[each] is not None}:
        assert _ask(as_owner, method, url) == 405, (method, url)


@pytest.mark.parametrize("route", IN_PROJECT, ids=lambda route: route.name)
def test_a_stranger_gets_404_on_every_route_of_a_foreign_project(
    stranger: User, project: Project, other_project: Project, route: Route
) -> None:
    client = signed_in(stranger)
    for method in _methods(route):
        assert _ask(client, method, route.url(project=project.slug)) == 404, (method, route.name)
        assert _ask(client, method, route.url(project="no-such-project")) == 404


@pytest.mark.parametrize("route", IN_PROJECT, ids=lambda route: route.name)
def test_a_viewer_only_reads(viewer: User, project: Project, route: Route) -> None:
    client = signed_in(viewer)
    for method in _methods(route):
        access = route.asks[method]
        allowed = access in BY_ROLE[Role.VIEWER]
        status = _ask(client, method, route.url(project=project.slug))
        assert (status != 403) if allowed else status == 403, (method, route.name, status)


@pytest.mark.parametrize("route", [each for each in ROUTES if each not in IN_PROJECT], ids=lambda route: route.name)
def test_only_an_administrator_reaches_the_settings(member: User, project: Project, route: Route) -> None:
    client = signed_in(member)
    for method in _methods(route):
        if route.asks[method] is Permission.MANAGE_SETTINGS:
            assert _ask(client, method, route.url(project=project.slug, pk=member.pk)) in (403, 404)


def test_an_object_the_base_does_not_have_is_404(as_member: Client) -> None:
    foreign = dict.fromkeys(
        ("source_id", "statement_id", "entity_id", "conflict_id", "export_id", "import_id"), "zz_foreign"
    )
    for route in IN_PROJECT:
        if route.asks.get("GET") and set(route.arguments) & set(foreign):
            url = route.url(project="falcon-programme", objects=foreign)
            assert _ask(as_member, "GET", url) == 404, url


def test_a_person_who_may_not_sign_in_any_more_is_out_at_once(member: User, project: Project) -> None:
    client = signed_in(member)
    member.is_active = False
    member.save()
    assert client.get("/p/falcon-programme/sources").status_code == 302


def test_a_one_time_password_opens_only_the_password_page(member: User, project: Project) -> None:
    member.must_change_password = True
    member.save()
    answer = signed_in(member).get("/p/falcon-programme/sources")
    assert answer.status_code == 302
    assert answer["Location"] == "/settings/password"


@pytest.mark.parametrize("role", list(Role))
def test_a_role_counts_only_inside_a_project_one_belongs_to(role: Role) -> None:
    outside = granted(role, member=False)
    assert outside == (BY_ROLE[role] & {Permission.MANAGE_SETTINGS})
    assert granted(role, member=True) == BY_ROLE[role]


def test_writing_is_off_while_another_engine_answers(as_member: Client, project: Project, engine: FakeProvider) -> None:
    from console.connection.models import KnownEngine

    KnownEngine.objects.update(instance_id="fgi_other")
    as_member.post("/p/falcon-programme/review/cf_date", {"ruling": "neither", "notes": "x", "digest": "x"})
    as_member.post("/p/falcon-programme/jobs")
    assert not {"resolve", "process", "upload"} & set(engine.calls)


def test_a_region_that_outlived_its_session_leaves_for_sign_in(project: Project) -> None:
    answer = Client().get("/p/falcon-programme/sources", headers={"HX-Request": "true", "HX-Target": "jobs"})
    assert answer["HX-Redirect"] == "/sign-in"
    assert not answer.content
