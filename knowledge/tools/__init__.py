"""What agents may ask, defined once: name, arguments, answer, permission, and the function that answers.

The JSON API, its OpenAPI document, the MCP server and the docs are all made from ``TABLE``.
"""

from knowledge.tools.calling import call_tool
from knowledge.tools.seat import AgentCaller, Answered, Limits
from knowledge.tools.table import TABLE, Tool, tool_named

__all__ = ["TABLE", "AgentCaller", "Answered", "Limits", "Tool", "call_tool", "tool_named"]
