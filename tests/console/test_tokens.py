"""Agent tokens: shown once, kept as digests, refused from the moment they are revoked or have ended."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from console.audit.models import AuditEvent
from console.policy import Permission
from console.projects.models import Project
from console.tokens.actions import MARK, NotUsable, make_token, revoke_token, rotate_token
from console.tokens.models import AgentToken, TokenState
from console.tokens.queries import token_of
from knowledge.vocabulary import Band, Support
from tests.console.conftest import BY

SECRET = re.compile(MARK + r"[\w-]{43}")


def given(project: Project, days: int = 30) -> tuple[AgentToken, str]:
    made = make_token(
        by=BY,
        project=project,
        name="research agent",
        permissions=[Permission.READ_KNOWLEDGE, Permission.MANAGE_KNOWLEDGE],
        band=Band.GENERAL,
        min_support=Support.SUPPORTED_INFERENCE,
        per_minute=60,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    return made.token, made.secret


def form(project: Project, changes: dict[str, object] | None = None) -> dict[str, object]:
    asked = {
        "name": "research agent",
        "project": project.pk,
        "permissions": ["read_knowledge", "propose_review"],
        "band": "general",
        "min_support": "direct_fact",
        "life": "30",
        "per_minute": "60",
    }
    return asked | (changes or {})


def test_a_secret_is_shown_on_one_answer_and_kept_nowhere(as_owner: Client, project: Project) -> None:
    answer = as_owner.post(reverse("tokens"), form(project))
    (secret,) = set(SECRET.findall(answer.content.decode()))
    assert answer.headers["Cache-Control"] == "no-store"
    assert secret not in as_owner.get(reverse("tokens")).content.decode()
    token = token_of(secret)
    assert token is not None
    assert (token.project, token.granted) == (project, {Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW})
    assert all(secret not in str(vars(row)) for row in (*AgentToken.objects.all(), *AuditEvent.objects.all()))
    assert AuditEvent.objects.get(action="token.made").after["may"] == "read_knowledge, propose_review"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": ""}, "Give the token a name"),
        ({"project": ""}, "Choose the one project"),
        ({"band": ""}, "Choose whether it may see"),
        ({"permissions": []}, "Choose at least one thing"),
        ({"permissions": ["manage_knowledge"]}, "Select a valid choice"),
        ({"per_minute": "0"}, "At least one call a minute"),
        ({"band": "secret"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_made_is_told_where_it_was_typed(
    as_owner: Client, project: Project, changes: dict[str, object], words: str
) -> None:
    answer = as_owner.post(reverse("tokens"), form(project, changes))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert words in page
    assert "name" in changes or 'value="research agent"' in page
    assert not AgentToken.objects.exists()


def test_a_permission_no_token_may_hold_is_never_granted(project: Project) -> None:
    token, _ = given(project)
    assert token.permissions == ["read_knowledge"]
    AgentToken.objects.update(permissions=["read_knowledge", "review_knowledge", "manage_settings"])
    assert AgentToken.objects.get().granted == {Permission.READ_KNOWLEDGE}


def test_a_token_works_until_its_end_and_not_a_moment_longer(project: Project) -> None:
    token, secret = given(project, days=1)
    assert token.expires_at is not None
    with time_machine.travel(token.expires_at - timedelta(seconds=1), tick=False):
        assert token_of(secret) is not None
    with time_machine.travel(token.expires_at, tick=False):
        assert token_of(secret) is None
        assert token.state is TokenState.EXPIRED


def test_a_revoked_token_stops_at_once(as_owner: Client, project: Project) -> None:
    token, secret = given(project)
    assert token_of(secret) is not None
    answer = as_owner.post(reverse("token-revoke", args=[token.pk]), follow=True)
    assert "Its next call is refused" in answer.content.decode()
    assert token_of(secret) is None
    assert "This token does not work any more" in as_owner.get(reverse("token", args=[token.pk])).content.decode()


def test_a_rotated_token_and_its_successor_both_work_for_the_overlap(as_owner: Client, project: Project) -> None:
    token, old = given(project)
    answer = as_owner.post(reverse("token-rotate", args=[token.pk]), {"overlap": "1"})
    (new,) = set(SECRET.findall(answer.content.decode()))
    successor = token_of(new)
    assert token_of(old) is not None
    assert successor is not None
    assert (successor.granted, successor.band, successor.min_support) == (token.granted, token.band, token.min_support)
    token = AgentToken.objects.get(pk=token.pk)
    assert token.state is TokenState.ENDING
    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        assert token_of(old) is None
        assert token_of(new) is not None


def test_a_rotation_never_lengthens_a_life_and_happens_once(project: Project) -> None:
    token, _ = given(project, days=1)
    end = token.expires_at
    rotate_token(by=BY, token=token, overlap=timedelta(days=7))
    token.refresh_from_db()
    assert token.expires_at == end
    with pytest.raises(NotUsable):
        rotate_token(by=BY, token=token, overlap=timedelta())


def test_a_revoked_token_cannot_be_rotated(as_owner: Client, project: Project) -> None:
    token, _ = given(project)
    revoke_token(by=BY, token=token)
    answer = as_owner.post(reverse("token-rotate", args=[token.pk]), {"overlap": "1"})
    assert answer.status_code == 409
    assert "Make a new one" in answer.content.decode()
    assert AgentToken.objects.count() == 1


@pytest.mark.parametrize("secret", ["", "ant_", "ant_unknown", "fgr_of_the_engine", "ant_" + "x" * 500])
def test_an_unknown_secret_is_no_token(project: Project, secret: str) -> None:
    given(project)
    assert token_of(secret) is None


def test_the_last_use_is_kept_to_the_minute(project: Project) -> None:
    token, secret = given(project)
    with time_machine.travel("2030-05-04 09:00Z", tick=False):
        AgentToken.objects.update(expires_at=None)
        token_of(secret)
    with time_machine.travel("2030-05-04 09:00:30Z", tick=False):
        token_of(secret)
    token.refresh_from_db()
    assert str(token.last_used_at) == "2030-05-04 09:00:00+00:00"


def test_a_new_token_says_how_to_connect_with_it(as_owner: Client, project: Project) -> None:
    page = as_owner.post(reverse("tokens"), form(project)).content.decode()
    secret = page.partition('class="secret">')[2].partition("<")[0]
    assert secret.startswith("ant_")
    assert f'curl -H "Authorization: Bearer {secret}" "http://testserver/knowledge/search?query=launch"' in page
    assert '"url": "http://testserver:8791/mcp"' in page
    assert "<code>.venv/bin/python manage.py mcp --http</code>" in page
    assert "Connect the agent" not in as_owner.get("/settings/tokens").content.decode()


def test_in_production_the_door_over_mcp_is_where_the_proxy_serves_it(
    as_owner: Client, project: Project, settings: Any
) -> None:
    settings.PRODUCTION, settings.ALLOWED_HOSTS = True, ["anthill.example"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    through = {"host": "anthill.example", "x-forwarded-proto": "https"}
    page = as_owner.post(reverse("tokens"), form(project), headers=through).content.decode()
    assert '"https://anthill.example/knowledge/search?query=launch"' in page
    assert '"url": "https://anthill.example/mcp"' in page
    assert ":8791" not in page
