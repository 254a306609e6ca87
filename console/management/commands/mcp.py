"""``manage.py mcp``: the tools of agents over MCP, on stdio or, with ``--http``, at a port of its own."""

import os
from argparse import ArgumentParser
from collections.abc import Callable

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections

from console import env
from console.agents.callers import caller_of
from console.connection.settings import find_mode
from knowledge.mcp.http import make_app
from knowledge.mcp.server import SignedOut
from knowledge.mcp.stdio import serve_stdio
from knowledge.tools import AgentCaller

TOKEN = "ANTHILL_AGENT_TOKEN"  # noqa: S105 - the name of a variable


def with_caller[T](secret: str, act: Callable[[AgentCaller], T]) -> T:
    """In the thread of one request: connections that went stale are closed before and after."""
    close_old_connections()
    try:
        caller = caller_of(secret)
        if caller is None:
            raise SignedOut
        return act(caller)
    finally:
        close_old_connections()


class Command(BaseCommand):
    help = f"Serve the tools of agents over MCP: on stdio, as the agent whose token is in {TOKEN}, or over HTTP."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--http", action="store_true", help="listen at /mcp on console_host and mcp_port")

    def handle(self, *args: object, **options: bool) -> None:
        find_mode(env.read())
        if options["http"]:
            self._listen(env.read())
            return
        secret = os.environ.get(TOKEN, "")
        if caller_of(secret) is None:
            raise CommandError(f"{TOKEN} holds no usable agent token. An administrator makes one under Agent tokens.")
        serve_stdio(with_caller, secret)

    def _listen(self, values: env.Values) -> None:
        host, port = values.text("console_host"), values.number("mcp_port")
        app = make_app(with_caller, hosts=settings.ALLOWED_HOSTS)
        self.stderr.write(f"Agents reach their tools at http://{host}:{port}/mcp (Ctrl-C stops it)")
        uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
