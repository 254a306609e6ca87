"""The same server over a process's own input and output, for an agent that starts it."""

import anyio
from mcp.server.stdio import stdio_server

from knowledge.mcp.server import WithCaller, make_server


def serve_stdio(with_caller: WithCaller, secret: str, version: str = "1") -> None:
    """Until the input ends. ``secret`` is looked up at every request, so that a revocation holds here, too."""
    anyio.run(_serve, with_caller, secret, version)


async def _serve(with_caller: WithCaller, secret: str, version: str) -> None:
    server = make_server(with_caller, lambda _ctx: secret, version)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
