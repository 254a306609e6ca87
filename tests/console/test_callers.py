"""Agents as callers: scope, ceiling and floor from the token, the rate, and the ledger."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from console.agents.callers import TokenCaller, caller_of
from console.policy import Permission
from console.projects.actions import bind_project
from console.projects.models import Binding, Project
from console.tokens.actions import make_token, revoke_token
from console.tokens.models import AgentToken, CallWindow, ToolCall
from knowledge.failures import Failed, Failure, Ok
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.tools import call_tool, tool_named
from knowledge.vocabulary import Band, Support
from tests.console.conftest import BY
from tests.console.fake import FakeProvider

QUESTION = "When is the Falcon launch date?"


def given_secret(
    project: Project, *, band: Band = Band.TENANT, per_minute: int = 60, reads: bool = True, works: bool = False
) -> str:
    """``works``: it may claim missions and propose rulings, too."""
    more = [Permission.WORK_MISSIONS, Permission.PROPOSE_REVIEW] if works else []
    return make_token(
        by=BY,
        project=project,
        name="research agent",
        permissions=[Permission.READ_KNOWLEDGE, *more] if reads else [Permission.WORK_MISSIONS],
        band=band,
        min_support=Support.SUPPORTED_INFERENCE,
        per_minute=per_minute,
        expires_at=timezone.now() + timedelta(days=1),
    ).secret


def caller(secret: str) -> TokenCaller:
    found = caller_of(secret)
    assert found is not None
    return found


def search(who: TokenCaller) -> object:
    tool = tool_named("knowledge_search")
    assert tool is not None
    return call_tool(tool, who, {"query": QUESTION}, request_id="req_test")


def test_everything_comes_from_the_token(project: Project) -> None:
    who = caller(given_secret(project, band=Band.GENERAL))
    scope = who.scope
    assert isinstance(scope, KnowledgeScope)
    assert (scope.base_id, scope.slug, scope.ceiling) == ("proj_falcon", project.slug, Band.GENERAL)
    assert not scope.allows(Band.TENANT)
    assert who.permissions == {"read_knowledge"}
    assert who.min_support is Support.SUPPORTED_INFERENCE


def test_the_binding_is_read_at_every_use(project: Project) -> None:
    who = caller(given_secret(project))
    bind_project(by=BY, project=project, base_id="proj_new", base_name="new")
    assert isinstance(who.scope, KnowledgeScope)
    assert who.scope.base_id == "proj_new"
    Binding.objects.all().delete()
    assert isinstance(who.scope, Unresolved)
    found = search(who)
    assert isinstance(found, Failed)
    assert found.failure is Failure.SCOPE_UNRESOLVED


def test_a_revoked_token_is_nobody_from_the_next_call_on(project: Project) -> None:
    secret = given_secret(project)
    assert isinstance(search(caller(secret)), Ok)
    revoke_token(by=BY, token=AgentToken.objects.get())
    assert caller_of(secret) is None


def test_a_call_is_recorded_without_a_word_of_it_and_the_engine_is_told(project: Project, engine: FakeProvider) -> None:
    found = search(caller(given_secret(project)))
    assert isinstance(found, Ok)
    row = ToolCall.objects.get()
    assert (row.tool, row.failure, row.request_id) == ("knowledge_search", "", "req_test")
    assert row.served_ids
    assert len(row.query_digest) == 64
    assert "Falcon" not in str(vars(row))
    assert row.abstained == "contested"
    ((agent, served),) = engine.served.values()
    assert agent.startswith("research agent (ant_")
    assert list(served) == row.served_ids


def test_a_refusal_is_recorded_and_serves_nothing(project: Project, engine: FakeProvider) -> None:
    assert isinstance(search(caller(given_secret(project, reads=False))), Failed)
    assert ToolCall.objects.get().failure == "forbidden"
    assert not engine.served


def test_an_engine_that_cannot_be_told_stops_no_answer(project: Project, engine: FakeProvider) -> None:
    engine.failures["note_served"] = Failed(Failure.TIMEOUT, "x")
    assert isinstance(search(caller(given_secret(project))), Ok)
    assert ToolCall.objects.get().served_ids


def test_an_engine_that_is_not_ours_is_not_read(project: Project, engine: FakeProvider) -> None:
    from console.connection.models import KnownEngine

    KnownEngine.objects.update(instance_id="fgi_other")
    found = search(caller(given_secret(project)))
    assert isinstance(found, Failed)
    assert found.failure is Failure.INCOMPATIBLE
    assert "search" not in engine.calls


def test_knowledge_that_is_off_refuses(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHILL_KNOWLEDGE_ENABLED", "0")
    found = search(caller(given_secret(project)))
    assert isinstance(found, Failed)
    assert found.failure is Failure.DISABLED


def test_the_rate_holds_for_a_minute_and_across_processes(project: Project) -> None:
    secret = given_secret(project, per_minute=3)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert [caller(secret).wait_seconds() for _ in range(3)] == [0, 0, 0]
        clock.shift(timedelta(seconds=20))
        assert caller(secret).wait_seconds() == 40
        clock.shift(timedelta(seconds=39))
        assert caller(secret).wait_seconds() == 1
        clock.shift(timedelta(seconds=1))
        assert caller(secret).wait_seconds() == 0
        assert CallWindow.objects.get().calls == 1


def test_of_the_calls_beyond_the_rate_one_a_minute_is_written(project: Project) -> None:
    secret = given_secret(project, per_minute=1)
    with time_machine.travel(timezone.now(), tick=False):
        outcomes = [search(caller(secret)) for _ in range(4)]
    assert [isinstance(each, Ok) for each in outcomes] == [True, False, False, False]
    assert list(ToolCall.objects.values_list("failure", flat=True)) == ["rate_limited", ""]
    assert CallWindow.objects.get().refused == 3


def test_one_token_never_uses_up_another(project: Project) -> None:
    first, second = given_secret(project, per_minute=1), given_secret(project, per_minute=1)
    assert caller(first).wait_seconds() == 0
    assert caller(first).wait_seconds() > 0
    assert caller(second).wait_seconds() == 0
