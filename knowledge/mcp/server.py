"""One MCP server over the table of tools. Who asks is found out anew for every request."""

import uuid
from collections.abc import Callable
from typing import Any, Protocol

from anyio import to_thread
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as ToolShape

from knowledge.failures import Failed, Outcome
from knowledge.mcp.answers import error_from, result_of, words
from knowledge.tools import TABLE, AgentCaller, Answered, Tool, call_tool, tool_named
from knowledge.tools.shapes import ListAnswer
from knowledge.tools.table import LISTING, READING

NAME = "anthill-knowledge"
INSTRUCTIONS = """\
Organisational knowledge with evidence. Call knowledge_retrieve before answering from it; cite every fact by its
knowledge: line. Where sources disagree, say so: nothing is settled until a person ruled. When a call is refused or
abstains, do not fill the gap from memory."""
UNAUTHORIZED = -32001
JSON, TEXT = "application/json", "text/plain"
PACKAGE = "/packages/"

type Context = ServerRequestContext[Any, Any]
type SecretOf = Callable[[Context], str]


class SignedOut(Exception):
    """The secret is of no usable token."""


class WithCaller(Protocol):
    """Runs something as the caller of a secret, in a thread of its own; raises ``SignedOut`` when there is none."""

    def __call__[T](self, secret: str, act: Callable[[AgentCaller], T]) -> T: ...


def make_server(with_caller: WithCaller, secret_of: SecretOf, version: str = "1") -> "Server[Any]":
    """``secret_of`` says which token a request comes with; it is looked at for each, and kept nowhere."""
    served = _Served(with_caller, secret_of)
    return Server(
        NAME,
        version=version,
        title="Anthill knowledge",
        instructions=INSTRUCTIONS,
        on_list_tools=served.list_tools,
        on_call_tool=served.call_tool,
        on_list_resources=served.list_resources,
        on_list_resource_templates=served.list_templates,
        on_read_resource=served.read_resource,
    )


class _Served:
    def __init__(self, with_caller: WithCaller, secret_of: SecretOf) -> None:
        self._with_caller = with_caller
        self._secret_of = secret_of

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        await self._as_caller(ctx, lambda _caller: None)
        return ListToolsResult(tools=[tool_shape(tool) for tool in TABLE])

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tool_named(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "There is no such tool.")
        request_id = new_request_id()
        return result_of(await self._call(ctx, tool, params.arguments or {}, request_id), request_id)

    async def list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        cursor = (params.cursor if params else None) or ""
        answered = await self._answer(ctx, LISTING, {"cursor": cursor})
        assert isinstance(answered.data, ListAnswer)  # noqa: S101 - what the listing answers
        return ListResourcesResult(
            resources=[
                Resource(uri=each.citation, name=each.id, title=each.statement[:200], mime_type=JSON)
                for each in answered.data.items
            ],
            next_cursor=answered.data.next_cursor or None,
        )

    async def list_templates(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        await self._as_caller(ctx, lambda _caller: None)
        template = ResourceTemplate(
            uri_template="knowledge:{project}/{statement}",
            name="statement",
            title="A statement by its citable line",
            description="The statement with its evidence and the conflicts it stands in.",
            mime_type=JSON,
        )
        package = ResourceTemplate(
            uri_template="knowledge:{project}/packages/{package}",
            name="package",
            title="A package by its id",
            description="The same bytes as when it was frozen, while all it quotes may still be read.",
            mime_type=TEXT,
        )
        return ListResourceTemplatesResult(resource_templates=[template, package])

    async def read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        if PACKAGE in params.uri:
            kept = await self._answer(ctx, READING, {"package": params.uri})
            return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=TEXT, text=kept.text)])
        get = tool_named("knowledge_get")
        assert get is not None  # noqa: S101 - it stands in the table
        answered = await self._answer(ctx, get, {"statement": params.uri})
        text = words(answered.data.model_dump(mode="json"))
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=JSON, text=text)])

    async def _answer(self, ctx: Context, tool: Tool, given: dict[str, object]) -> Answered:
        request_id = new_request_id()
        outcome = await self._call(ctx, tool, given, request_id)
        if isinstance(outcome, Failed):
            raise error_from(outcome, request_id)
        return outcome.value

    async def _call(self, ctx: Context, tool: Tool, given: dict[str, object], request_id: str) -> Outcome[Answered]:
        return await self._as_caller(ctx, lambda caller: call_tool(tool, caller, given, request_id=request_id))

    async def _as_caller[T](self, ctx: Context, act: Callable[[AgentCaller], T]) -> T:
        secret = self._secret_of(ctx)
        try:
            return await to_thread.run_sync(lambda: self._with_caller(secret, act))
        except SignedOut:
            raise MCPError(UNAUTHORIZED, "The agent token is unknown, has ended or was revoked.") from None


def tool_shape(tool: Tool) -> ToolShape:
    return ToolShape(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.answer.model_json_schema(mode="serialization"),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def new_request_id() -> str:
    return f"req_{uuid.uuid4().hex[:16]}"
