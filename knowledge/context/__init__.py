"""From a question to context an agent can be held to: evidence first, conflicts before facts, nothing settled."""

from knowledge.context.assemble import build_context, normalise
from knowledge.context.model import KnowledgeContext
from knowledge.context.render import render

__all__ = ["KnowledgeContext", "build_context", "normalise", "render"]
