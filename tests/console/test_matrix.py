"""The whole table: every route × its methods × who asks, with the answer the policy derives.

Who asks: a visitor, an agent with its token, and each role, once as a member of the project and once as a stranger.
"""

from dataclasses import dataclass
from enum import StrEnum

import pytest
from django.test import Client

from console.people.models import User
from console.policy import Door, Permission, Role, granted
from console.projects.actions import make_project
from console.projects.models import Membership, Project
from console.tokens.actions import make_token
from console.tokens.models import AgentToken
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import Band, Support
from tests.console import falcon
from tests.console.conftest import BY, person, signed_in
from tests.console.fake import FakeProvider
from tests.console.routes import Route, routes

ROUTES = list(routes())
ABSENT = {
    "recovery-codes",
    "session-end",
    "tools-unknown",
    "tool-package",
    "package",
    "package-manifest",
    "gap-dismiss",
    "feed-retry",
    "feed-discard",
    "mission",
    "mission-cancel",
    "proposal-accept",
    "proposal-decline",
    "backup-download",
    "backup-let-go",
}
"""Routes that answer 404 to anyone let in here: there is no such factor, session, tool, package, gap, mission,
proposal or backup."""


NAMED = {"timeline": "?key=falcon%7Claunch_date"}
SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")


NO_SESSION = 10**9


class Answer(StrEnum):
    LET_IN = "let in"
    TO_SIGN_IN = "sent to sign in"
    NO_TOKEN = "asked for an agent's token"
    REFUSED = "told what they lack"
    NOTHING_HERE = "told nothing"


@dataclass(frozen=True)
class Who:
    """``role`` is None for a visitor and for an agent, whom no page knows."""

    name: str
    role: Role | None
    member: bool = False


OUTSIDERS = [Who("visitor", None), Who("agent", None)]
PEOPLE = [Who(f"{role}-{'member' if is_in else 'stranger'}", role, is_in) for role in Role for is_in in (True, False)]


def expected(route: Route, method: str, who: Who) -> Answer:
    access = route.asks[method]
    if access is Door.ANYONE:
        return Answer.LET_IN
    if access is Door.AGENT:
        return (
            (Answer.NOTHING_HERE if route.name in ABSENT else Answer.LET_IN) if who.name == "agent" else Answer.NO_TOKEN
        )
    if who.role is None:
        return Answer.TO_SIGN_IN
    if "project" in route.arguments and not who.member:
        return Answer.NOTHING_HERE
    if not isinstance(access, Permission) or access in granted(who.role, member=True):
        return Answer.NOTHING_HERE if route.name in ABSENT else Answer.LET_IN
    return Answer.REFUSED


def given(route: Route, client: Client, method: str, url: str) -> Answer:
    answer = client.generic(method, url)
    if answer.status_code == 302 and answer.headers["Location"].startswith("/sign-in?next="):
        return Answer.TO_SIGN_IN
    if answer.status_code == 401:
        return Answer.NO_TOKEN
    if answer.status_code == 403:
        return Answer.REFUSED
    if answer.status_code == 404:
        return Answer.NOTHING_HERE
    assert answer.status_code not in (405, 500), (method, url, answer.status_code)
    return Answer.LET_IN


@pytest.fixture
def place(db: None, project: Project, engine: FakeProvider) -> dict[str, Client]:
    """Everybody of the table, signed in; strangers belong to a project of their own."""
    engine.create_export(SCOPE, format="jsonl")
    engine.known_imports = [falcon.package_import()]
    elsewhere = make_project(by=BY, name="Elsewhere")
    clients = {"visitor": Client(), "agent": _agent(project)}
    for who in PEOPLE:
        assert who.role is not None
        user = person(who.role, who.name)
        Membership.objects.create(user=user, project=project if who.member else elsewhere)
        clients[who.name] = signed_in(user)
    return clients


def _agent(project: Project) -> Client:
    made = make_token(
        by=BY,
        project=project,
        name="planner-ant",
        permissions=[Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW, Permission.WORK_MISSIONS],
        band=Band.TENANT,
        min_support=Support.UNVERIFIED_CLAIM,
        per_minute=60,
        expires_at=None,
    )
    return Client(headers={"Authorization": f"Bearer {made.secret}"})


def _pk(route: Route, viewer: User) -> int:
    """The number in an address: the agent's token, a session nobody has, or a person."""
    if route.name.startswith("token"):
        return AgentToken.objects.get().pk
    return NO_SESSION if route.name == "session-end" else viewer.pk


def methods(route: Route) -> list[str]:
    return [method for method in ("GET", "POST") if route.asks.get(method) is not None]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_route_answers_as_the_policy_says(
    place: dict[str, Client], project: Project, viewer: User, route: Route
) -> None:
    url = route.url(project=project.slug, pk=_pk(route, viewer)) + NAMED.get(route.name, "")
    wrong = []
    for method in methods(route):
        for who in OUTSIDERS + PEOPLE:
            if route.name == "sign-out" and who.role is not None:
                continue  # it would end the session the next row needs; what it does is told in test_lifecycle
            told, wanted = given(route, place[who.name], method, url), expected(route, method, who)
            if told is not wanted:
                wrong.append(f"{method} {route.name} as {who.name}: {told}, not {wanted}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("route", [each for each in ROUTES if "project" in each.arguments], ids=lambda each: each.name)
def test_a_foreign_project_looks_like_none(place: dict[str, Client], project: Project, route: Route) -> None:
    """The same bytes but for the address, whatever role one has elsewhere."""
    for method in methods(route):
        for who in PEOPLE:
            if not who.member:
                foreign = place[who.name].generic(method, route.url(project=project.slug))
                unknown = place[who.name].generic(method, route.url(project="no-such-project"))
                assert foreign.status_code == unknown.status_code == 404
                assert project.name not in foreign.content.decode()


@pytest.mark.parametrize("role", list(Role))
def test_the_table_of_roles_only_grows(role: Role) -> None:
    ranked = list(Role)
    for lower in ranked[: ranked.index(role)]:
        assert granted(lower, member=True) < granted(role, member=True)
