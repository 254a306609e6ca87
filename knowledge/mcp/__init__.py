"""The tools over MCP, with the official SDK: a server made from the table, over streamable HTTP or stdio.

Loading the SDK takes over a second: no page and no JSON route imports this.
"""
