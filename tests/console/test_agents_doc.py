"""What the docs tell agents is what there is."""

from pathlib import Path

from django.test import Client

from console.people.models import User
from console.projects.models import Project
from knowledge.api.envelope import CODES, REFUSALS
from knowledge.tools import TABLE
from knowledge.tools.abstaining import SENTENCES
from knowledge.tools.arguments import Held, Place

ROOT = Path(__file__).resolve().parents[2]
TOLD = (ROOT / "docs" / "agents.md").read_text("utf-8")


def test_every_tool_is_told_with_every_argument() -> None:
    rows = {line.split("|")[1].strip(" `"): line for line in TOLD.splitlines() if line.startswith("| `knowledge_")}
    assert set(rows) == {tool.name for tool in TABLE}
    for tool in TABLE:
        assert f"`/knowledge/{tool.at}`" in rows[tool.name]
        for name in tool.arguments.model_fields:
            assert f"`{name}`" in rows[tool.name], (tool.name, name)
    for name in Held.model_fields:
        assert name in rows["knowledge_check"]
    for name in Place.model_fields:
        assert name in rows["knowledge_open"]


def test_every_refusal_is_told_with_its_status() -> None:
    for status, code in [*CODES.values(), *((status, code) for status, (code, _) in REFUSALS.items())]:
        assert f"| {status} | `{code}` |" in TOLD


def test_every_abstention_is_told() -> None:
    for code in SENTENCES:
        assert f"| `{code}` |" in TOLD


def test_the_page_tells_every_tool_argument_and_refusal(member: User, project: Project) -> None:
    client = Client()
    client.get("/livez")  # the middleware stands before anybody signs in
    client.force_login(member, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get("/settings/tokens/tools")
    assert answer.status_code == 200, answer.headers
    page = answer.content.decode()
    for tool in TABLE:
        assert f'<h2 id="{tool.name}">' in page
        for name in tool.arguments.model_fields:
            assert f"<code>{name}</code>" in page
    for _status, code in CODES.values():
        assert f"<code>{code}</code>" in page
    assert "at least 1, at most 50" in page
    assert "None" not in page
