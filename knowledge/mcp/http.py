"""Streamable HTTP at ``/mcp``: stateless, JSON answers, and no request past the gate without a usable token."""

from collections.abc import Sequence

from anyio import to_thread
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from knowledge.api.envelope import refusal
from knowledge.mcp.server import Context, SignedOut, WithCaller, make_server, new_request_id

BEARER = "bearer "


def make_app(with_caller: WithCaller, *, hosts: Sequence[str], version: str = "1") -> ASGIApp:
    """``hosts`` are the names it answers to, on any port; a browser of another origin is refused."""
    server = make_server(with_caller, _secret_of_request, version)
    security = TransportSecuritySettings(
        allowed_hosts=[name for host in hosts for name in (host, f"{host}:*")],
        allowed_origins=[
            f"{scheme}://{name}" for host in hosts for scheme in ("http", "https") for name in (host, f"{host}:*")
        ],
    )
    app = server.streamable_http_app(json_response=True, stateless_http=True, transport_security=security)
    return _Gate(app, with_caller)


class _Gate:
    """401 before anything is read of the request. The handlers look the token up again when they act."""

    def __init__(self, app: ASGIApp, with_caller: WithCaller) -> None:
        self._app = app
        self._with_caller = with_caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or await self._admits(scope):
            await self._app(scope, receive, send)
            return
        reply = refusal(401, new_request_id())
        await JSONResponse(reply.body, reply.status, reply.headers)(scope, receive, send)

    async def _admits(self, scope: Scope) -> bool:
        given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        try:
            await to_thread.run_sync(lambda: self._with_caller(_secret(given), lambda _caller: None))
        except SignedOut:
            return False
        return True


def _secret_of_request(ctx: Context) -> str:
    return _secret(ctx.request.headers.get("authorization", "")) if ctx.request is not None else ""


def _secret(header: str) -> str:
    return header[len(BEARER) :].strip() if header.lower().startswith(BEARER) else ""
