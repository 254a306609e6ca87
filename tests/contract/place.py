"""A console with its engine and the agents' door beside it, as processes, for tests that speak to them as agents do."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from knowledge.tools import Tool
from tests.browser.stack import ROOT, Stack

QUESTION = "Why was the Falcon launch date changed?"
MAKE = """
import json, sys
from console.audit.models import Actor
from console.policy import Permission
from console.projects.actions import bind_project, make_project
from console.projects.models import Binding, Project
from console.tokens.actions import make_token
from knowledge.vocabulary import Band, Support
by = Actor(key="test", name="Test")
known = Binding.objects.get(base_name="falcon-demo")
other = make_project(by=by, name="Elsewhere")
from console.connection.providers import provider_for
from console.connection.settings import read_settings
base = provider_for(read_settings()).create_base(name="elsewhere", description="").value
bind_project(by=by, project=other, base_id=base.id, base_name="elsewhere")
EVERY = [Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW, Permission.WORK_MISSIONS]
def token(project, band=Band.TENANT, permissions=EVERY):
    return make_token(by=by, project=project, name="agent", permissions=permissions, band=band,
        min_support=Support.UNVERIFIED_CLAIM, per_minute=100_000, expires_at=None).secret
own = known.project
print(json.dumps({"slug": own.slug, "own": token(own), "general": token(own, Band.GENERAL),
    "foreign": token(other), "short": [token(own) for _ in range(3)],
    "worker": token(own), "reader": token(own, permissions=[Permission.READ_KNOWLEDGE])}))
"""
QUEUE = """
import sys
from console.audit.models import Actor
from console.connection.models import KnownEngine
from console.missions.actions import Wanted, asked_of, queue_mission
from console.missions.models import Action
from console.projects.models import Binding
from knowledge.tools.working import Amount
binding = Binding.objects.get(base_name="falcon-demo")
questions = {questions!r}
wanted = Wanted("Falcon", Action.ANSWER, asked_of(1, questions), tuple(questions), budget=Amount(500, 9000, 90_000_000))
made = queue_mission(by=Actor(key="test", name="Test"), project=binding.project,
    instance_id=KnownEngine.objects.get().instance_id, base_id=binding.base_id, wanted=wanted)
print(made.mission.key)
"""


@dataclass(frozen=True)
class Place:
    """A console with its engine that has read the Falcon documents, and the agents' door beside it."""

    stack: Stack
    mcp_url: str
    slug: str
    own: str
    general: str
    foreign: str
    short: list[str]
    worker: str
    reader: str

    def queue(self, *questions: str) -> str:
        """The id of a mission that asks these."""
        return self.manage(QUEUE.format(questions=list(questions))).strip()

    def manage(self, script: str) -> str:
        return manage(self.stack, script)

    def ask(self, secret: str, path: str, body: dict[str, object]) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx2.post(f"{self.stack.url}/knowledge/{path}", json=body, headers=headers, trust_env=False)

    def as_json(self, secret: str, tool: Tool, given: dict[str, object]) -> httpx2.Response:
        """By the address and the method of the table."""
        body = {name: value for name, value in given.items() if name != tool.in_address}
        path = tool.at.format(package=given.get("package"))
        if tool.by_body:
            return self.ask(secret, path, body)
        headers = {"Authorization": f"Bearer {secret}"}
        asked = {name: str(value) for name, value in body.items()}
        return httpx2.get(f"{self.stack.url}/knowledge/{path}", params=asked, headers=headers, trust_env=False)

    @asynccontextmanager
    async def over_http(self, secret: str, mode: Any = "auto") -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, trust_env=False) as http,
            Client(streamable_http_client(self.mcp_url, http_client=http), mode=mode, cache=None) as client,
        ):
            yield client

    @asynccontextmanager
    async def over_stdio(self, secret: str, mode: Any = "auto") -> Any:
        """As a client starts it: told the data folder alone, not the port that the engine was given."""
        environment = {**self.stack.environment, "ANTHILL_AGENT_TOKEN": secret}
        del environment["ANTHILL_ENGINE_PORT"]
        command = StdioServerParameters(
            command=sys.executable, args=[str(ROOT / "manage.py"), "mcp"], env=environment, cwd=ROOT
        )
        async with Client(command, mode=mode, cache=None) as client:
            yield client


def manage(stack: Stack, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", script],
        cwd=ROOT,
        env={**stack.environment, "ANTHILL_KNOWLEDGE_MODE": "managed"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    stack = Stack(tmp_path_factory.mktemp("agents"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    stack.environment["ANTHILL_MCP_PORT"] = str(port)
    stack.set_up()
    stack.start()
    door = None
    try:
        known = json.loads(manage(stack, MAKE))
        door = subprocess.Popen(
            [sys.executable, "manage.py", "mcp", "--http"],
            cwd=ROOT,
            env=stack.environment,
        )
        found = Place(stack, f"http://127.0.0.1:{port}/mcp", **known)
        wait(lambda: bool(found.ask(found.own, "search", {"query": QUESTION}).json()["data"]["hits"]))
        wait(lambda: answers(found.mcp_url))
        yield found
    finally:
        if door is not None:
            door.terminate()
            door.wait(20)
        stack.stop()


def wait(is_so: Callable[[], bool], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.2)


def answers(url: str) -> bool:
    try:
        return httpx2.post(url, trust_env=False).status_code == 401
    except httpx2.HTTPError:
        return False


type Opened = Callable[[Place, str, str], AbstractAsyncContextManager[Client]]


def http(place: Place, secret: str, mode: str = "auto") -> AbstractAsyncContextManager[Client]:
    return place.over_http(secret, mode)


def stdio(place: Place, secret: str, mode: str = "auto") -> AbstractAsyncContextManager[Client]:
    return place.over_stdio(secret, mode)


BOTH = pytest.mark.parametrize("transport", [http, stdio], ids=["http", "stdio"])


def run(act: Callable[[], Awaitable[None]]) -> None:
    anyio.run(act)


def text_of(result: CallToolResult) -> str:
    block, *_receipt = result.content
    assert isinstance(block, TextContent)
    return block.text
