"""Bindings: one function decides what is read; nothing reads another base, and a shared one is read and not changed."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from console.audit.models import AuditEvent
from console.missions.models import Attempt
from console.people.models import User
from console.policy import Door, Permission
from console.projects.actions import (
    bind_project,
    bind_shared,
    make_project,
    unbind_project,
    unbind_shared,
)
from console.projects.models import Project, SharedBinding
from console.projects.scopes import (
    MOVED,
    UNBOUND,
    Bound,
    Configured,
    MissionBase,
    Reading,
    bases_read,
    readers_of,
    reading_of,
    resolve,
)
from knowledge.scope import KnowledgeScope, Level
from knowledge.tools import TABLE
from knowledge.vocabulary import Band
from tests.console import fake, falcon
from tests.console.conftest import BY, signed_in
from tests.console.fake import FakeProvider
from tests.console.routes import routes
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret
from tests.console.working import QUESTION, done, queued

PAGE = "/connection/bindings"
OWN, SPACE, ALL = Bound("proj_own", "own"), Bound("proj_space", "space"), Bound("proj_all", "all")
T, G = Band.TENANT, Band.GENERAL

OUTCOMES: dict[tuple[bool, bool, bool], tuple[Level, str, str] | None] = {
    (True, True, True): (Level.PROJECT, "proj_own", "falcon"),
    (True, True, False): (Level.PROJECT, "proj_own", "falcon"),
    (True, False, True): (Level.PROJECT, "proj_own", "falcon"),
    (True, False, False): (Level.PROJECT, "proj_own", "falcon"),
    (False, True, True): (Level.WORKSPACE, "proj_space", "workspace"),
    (False, True, False): (Level.WORKSPACE, "proj_space", "workspace"),
    (False, False, True): (Level.GLOBAL, "proj_all", "global"),
    (False, False, False): None,
}


def configured(own: bool, space: bool, everywhere: bool) -> Configured:
    return Configured(OWN if own else None, SPACE if space else None, ALL if everywhere else None)


@pytest.mark.parametrize("which", list(product([True, False], repeat=3)))
def test_the_table_of_outcomes(which: tuple[bool, bool, bool]) -> None:
    expected, found = OUTCOMES[which], resolve("falcon", configured(*which))
    if expected is None:
        assert found is UNBOUND
        return
    assert isinstance(found, Reading)
    assert (found.scope.level, found.scope.base_id, found.scope.slug) == expected
    assert found.is_shared is (expected[0] is not Level.PROJECT)
    assert found.scope.allows(Band.TENANT) is (expected[0] is not Level.GLOBAL)
    for base_id in ("proj_own", "proj_space", "proj_all", "proj_other"):
        within = resolve("falcon", configured(*which), mission=MissionBase(base_id, T))
        if base_id != expected[1]:
            assert within is MOVED, "a mission reads what it was made over, or nothing"
            continue
        assert isinstance(within, Reading)
        assert (within.scope.level, within.scope.base_id) == (Level.MISSION, base_id)
        assert within.scope.allows(Band.TENANT) is found.scope.allows(Band.TENANT)


BOUNDS = st.none() | st.sampled_from([Bound(f"proj_{at}", f"base {at}") for at in range(4)])
BANDS = st.sampled_from([T, G])


@given(
    own=BOUNDS,
    space=BOUNDS,
    everywhere=BOUNDS,
    ceiling=BANDS,
    mission=st.none() | st.builds(MissionBase, st.sampled_from([f"proj_{at}" for at in range(5)]), BANDS),
)
def test_nothing_is_read_that_was_not_bound_and_nothing_widens(
    own: Bound | None, space: Bound | None, everywhere: Bound | None, ceiling: Band, mission: MissionBase | None
) -> None:
    bound = [each for each in (own, space, everywhere) if each is not None]
    found = resolve("falcon", Configured(own, space, everywhere), ceiling=ceiling, mission=mission)
    if not isinstance(found, Reading):
        assert not bound or (mission is not None and mission.base_id != bound[0].base_id)
        return
    assert found.scope.base_id == bound[0].base_id
    assert mission is None or mission.base_id == found.scope.base_id
    if found.scope.allows(Band.TENANT):
        assert ceiling is T
        assert own is not None or space is not None, "a global binding gives general knowledge alone"
        assert mission is None or mission.band is T
    plain = resolve("falcon", Configured(own, space, everywhere), ceiling=ceiling)
    assert isinstance(plain, Reading)
    assert plain.scope.allows(Band.TENANT) or not found.scope.allows(Band.TENANT)


class Watched:
    """The fake engine, and every base it was asked about."""

    def __init__(self, engine: FakeProvider) -> None:
        self._engine = engine
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if not callable(found) or name.startswith("_"):
            return found

        def told(*given: Any, **named: Any) -> Any:
            self.read.update(each.base_id for each in [*given, *named.values()] if isinstance(each, KnowledgeScope))
            return found(*given, **named)

        return told


@pytest.fixture
def watched(engine: FakeProvider) -> Iterator[Watched]:
    for name in ("proj_other", "proj_shared"):
        engine.known_bases[name] = falcon.base(name, name, filled=True)
    watching = Watched(engine)
    fake.install(watching)  # type: ignore[arg-type]
    yield watching


@pytest.fixture
def neighbour(other_project: Project) -> Project:
    """Another project with a base of its own, as a temptation."""
    bind_project(by=BY, project=other_project, base_id="proj_other", base_name="other")
    return other_project


def pages(project: Project, pk: int) -> list[tuple[str, str, Any]]:
    found = [route for route in routes() if Door.AGENT not in route.asks.values()]
    return [
        (method, route.url(project=project.slug, pk=pk), route.asks[method])
        for route in found
        for method in ("GET", "POST")
        if route.asks.get(method) is not None and route.name != "sign-out"
    ]


ARGUMENTS: dict[str, dict[str, object]] = {
    "knowledge_search": {"query": QUESTION},
    "knowledge_retrieve": {"query": QUESTION},
    "knowledge_recall": {"query": QUESTION},
    "knowledge_get": {"statement": "ki_10"},
    "knowledge_evidence": {"statement": "ki_10"},
    "knowledge_history": {"statement": "ki_10"},
    "knowledge_entity": {"entity": "ent_falcon"},
    "knowledge_neighbors": {"entity": "ent_falcon"},
    "knowledge_walk": {"entity": "ent_falcon", "query": QUESTION},
    "knowledge_check": {"package": "pkg_" + "0" * 32},
    "knowledge_cite": {"package": "pkg_" + "0" * 32, "answer": "None."},
    "knowledge_outcome": {"package": "pkg_" + "0" * 32, "outcome": "answered"},
    "knowledge_claim": {},
    "knowledge_renew": {"mission": "msn_" + "0" * 32, "fence": 1},
    "knowledge_finish": {"mission": "msn_" + "0" * 32, "fence": 1, "outcome": "done", "result": "x"},
    "knowledge_open": {"reference": {"evidence_id": "ev_10_mail"}},
}


def every_tool(secret: str) -> dict[str, tuple[int, str]]:
    """By tool, the status and code of its answer."""
    answers = {}
    for tool in TABLE:
        body = ARGUMENTS.get(tool.name, {})
        path = tool.at.replace("{package}", "pkg_" + "0" * 32)
        status, found, _ = asked(secret, path, body if tool.by_body else None, **({} if tool.by_body else body))
        answers[tool.name] = (status, (found.get("error") or {}).get("code", ""))
    return answers


def test_no_page_of_an_unbound_project_reads_any_base_and_each_says_where_to_go(
    owner: User, project: Project, neighbour: Project, watched: Watched
) -> None:
    unbind_project(by=BY, project=project)
    client = signed_in(owner)
    for method, url, _asks in pages(project, owner.pk):
        if url.startswith(f"/p/{project.slug}/") or method == "GET":
            client.generic(method, url)
    assert watched.read == set()
    for place in ("sources", "knowledge", "review", "export", "colony"):
        page = client.get(f"/p/{project.slug}/{place}").content.decode()
        assert "This project reads no knowledge base" in page, place
        assert PAGE in page, place


def test_no_tool_of_an_unbound_project_reads_any_base(project: Project, neighbour: Project, watched: Watched) -> None:
    secret = given_secret(project, per_minute=1000, works=True)
    unbind_project(by=BY, project=project)
    answers = every_tool(secret)
    assert set(answers.values()) <= {(409, "scope_unresolved"), (400, "validation_error")}, answers
    assert sum(code == "scope_unresolved" for _status, code in answers.values()) > len(TABLE) - 5
    assert watched.read == set()


def test_every_page_and_tool_of_a_project_without_its_own_reads_the_shared_base_alone_and_changes_nothing(
    owner: User, project: Project, neighbour: Project, engine: FakeProvider, watched: Watched
) -> None:
    secret = given_secret(project, per_minute=1000, works=True)
    unbind_project(by=BY, project=project)
    bind_shared(by=BY, level=Level.WORKSPACE, base_id="proj_falcon", base_name="handbook")
    client = signed_in(owner)
    for method, url, asks in pages(project, owner.pk):
        if not url.startswith(f"/p/{project.slug}/") or url.split("?")[0].endswith(("/base", "/base/new")):
            continue
        status = client.generic(method, url).status_code
        reads = asks in (Permission.READ_KNOWLEDGE, Permission.MANAGE_SETTINGS)
        assert (status == 403) is not reads, (method, url, status)
    assert watched.read == {"proj_falcon"}
    page = client.get(f"/p/{project.slug}/sources").content.decode()
    assert "bound for the workspace" in page
    answers = every_tool(secret)
    assert watched.read == {"proj_falcon"}
    forbidden = {name for name, (_status, code) in answers.items() if code == "forbidden"}
    assert forbidden == {tool.name for tool in TABLE if tool.permission != "read_knowledge"}
    found = asked(secret, "search", None, query=QUESTION)[1]
    assert "knowledge:workspace/" in str(found)
    writes = {"upload", "process", "resolve", "change_state", "create_export", "edit_document", "resolve_each"}
    assert not writes & set(engine.calls)


def test_a_global_binding_gives_general_knowledge_alone(project: Project, watched: Watched) -> None:
    unbind_project(by=BY, project=project)
    bind_shared(by=BY, level=Level.GLOBAL, base_id="proj_shared", base_name="handbook")
    reading = reading_of(project)
    assert isinstance(reading, Reading)
    assert not reading.scope.allows(Band.TENANT)
    bind_shared(by=BY, level=Level.WORKSPACE, base_id="proj_other", base_name="ours")
    again = reading_of(project)
    assert isinstance(again, Reading)
    assert (again.level, again.scope.base_id) == (Level.WORKSPACE, "proj_other")


def test_a_global_binding_tells_no_number_of_what_it_does_not_give(
    as_owner: Client, project: Project, engine: FakeProvider
) -> None:
    unbind_project(by=BY, project=project)
    full = replace(falcon.base("proj_shared", "handbook", filled=True), statement_count=7013, source_count=7019)
    engine.known_bases["proj_shared"] = replace(full, open_conflict_count=7027, entity_count=7039)
    for level, tells in ((Level.GLOBAL, False), (Level.WORKSPACE, True)):
        bind_shared(by=BY, level=level, base_id="proj_shared", base_name="handbook")
        for place in ("knowledge", "knowledge?q=zanzibar", "sources", "review"):
            page = as_owner.get(f"/p/{project.slug}/{place}").content.decode()
            assert ("7,0" in page) is tells, (level, place)


def test_a_mission_holds_its_agent_to_the_base_it_was_made_over(project: Project, engine: FakeProvider) -> None:
    secret = given_secret(project, per_minute=1000, works=True)
    queued(project, band=Band.TENANT)
    done(secret, "claim", {})
    assert asked(secret, "search", None, query=QUESTION)[0] == 200
    bind_project(by=BY, project=project, base_id="proj_other", base_name="other")
    engine.known_bases["proj_other"] = falcon.base("proj_other", "other", filled=True)
    status, found, _ = asked(secret, "search", None, query=QUESTION)
    assert (status, found["error"]["code"]) == (409, "scope_unresolved")
    Attempt.objects.update(lease_until=Attempt.objects.get().claimed_at)
    assert asked(secret, "search", None, query=QUESTION)[0] == 200, "the claim ran out: the project's own base again"


def test_a_general_mission_narrows_an_agent_of_all_bands(project: Project) -> None:
    from console.agents.callers import caller_of

    secret = given_secret(project, per_minute=1000, works=True)
    queued(project, band=Band.GENERAL)
    done(secret, "claim", {})
    who = caller_of(secret)
    assert who is not None
    assert isinstance(who.scope, KnowledgeScope)
    assert who.scope.level is Level.MISSION
    assert not who.scope.allows(Band.TENANT)


def test_an_administrator_binds_and_unbinds_every_level(owner: User, project: Project, watched: Watched) -> None:
    client = signed_in(owner)
    page = client.get(PAGE).content.decode()
    assert page.count("Reads none") == 2
    for what in ("workspace", "global", f"project:{project.slug}"):
        assert client.post(PAGE, {"what": what, "base": "proj_shared"}).status_code == 302
    assert {each.level for each in SharedBinding.objects.all()} == {"workspace", "global"}
    assert bases_read() == ["proj_shared"]
    for what in ("workspace", "global", f"project:{project.slug}"):
        assert "Unbound." in client.post(PAGE, {"unbind": what}, follow=True).content.decode()
    assert bases_read() == []
    assert "was not bound" in client.post(PAGE, {"unbind": "workspace"}, follow=True).content.decode()
    told = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"binding.shared", "binding.unshared", "project.bound", "project.unbound"} <= told
    wrong = client.post(PAGE, {"what": "project:none", "base": "proj_none"})
    assert wrong.status_code == 422
    assert "There is no such project or level" in wrong.content.decode()


def test_others_see_their_own_projects_and_change_no_binding(
    viewer: User, project: Project, neighbour: Project
) -> None:
    client = signed_in(viewer)
    page = client.get(PAGE).content.decode()
    assert project.name in page
    assert neighbour.name not in page
    assert "proj_other" not in page
    assert client.post(PAGE, {"what": "workspace", "base": "proj_falcon"}).status_code == 403


def test_a_manager_may_not_take_a_shared_base_as_their_own(member: User, project: Project, watched: Watched) -> None:
    bind_shared(by=BY, level=Level.WORKSPACE, base_id="proj_shared", base_name="handbook")
    client = signed_in(member)
    assert client.post(f"/p/{project.slug}/base", {"base": "proj_shared"}).status_code == 422
    unbind_project(by=BY, project=project)
    assert client.get(f"/p/{project.slug}/base").status_code == 200, "a base of its own may still be bound"
    assert "Bind or make a knowledge base" in client.get(f"/p/{project.slug}/sources").content.decode()


def test_readers_of_a_base_are_those_that_resolve_to_it(project: Project, neighbour: Project) -> None:
    loose = make_project(by=BY, name="Loose")
    assert list(readers_of("proj_shared")) == []
    bind_shared(by=BY, level=Level.WORKSPACE, base_id="proj_falcon", base_name="falcon-demo")
    assert [(each.slug, scope.level) for each, scope in readers_of("proj_falcon")] == [
        (project.slug, Level.PROJECT),
        (loose.slug, Level.WORKSPACE),
    ]
    unbind_shared(by=BY, level=Level.WORKSPACE)
    assert [each.slug for each, _scope in readers_of("proj_falcon")] == [project.slug]


def test_no_project_takes_the_name_of_a_level(db: None) -> None:
    assert make_project(by=BY, name="Global").slug == "global-2"
