"""The one table of tools."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knowledge.failures import Outcome
from knowledge.tools import arguments, finding, opening, shapes, wandering
from knowledge.tools.arguments import Arguments
from knowledge.tools.seat import Answered, Ask

READ = "read_knowledge"


@dataclass(frozen=True, slots=True)
class Tool:
    """``path`` is its place under ``/knowledge/``; ``permission`` what the token must hold.

    ``by_query``: its arguments are few and flat enough for the query string of a GET.
    """

    path: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[shapes.Answer]
    run: Callable[[Ask, Any], Outcome[Answered]]
    permission: str = READ
    read_only: bool = True
    idempotent: bool = True
    by_query: bool = True

    @property
    def name(self) -> str:
        return f"knowledge_{self.path}"


TABLE: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search statements",
        "Ranked candidate statements for a question, without their evidence: decide what is worth a full retrieval.",
        arguments.SearchArguments,
        shapes.SearchAnswer,
        finding.search,
    ),
    Tool(
        "retrieve",
        "Retrieve context",
        "The whole evidence-backed context for a question: conflicts first, then labelled facts with quoted evidence, "
        "then the lines to cite. Use this before answering from organisational knowledge.",
        arguments.RetrieveArguments,
        shapes.ContextAnswer,
        finding.retrieve,
    ),
    Tool(
        "get",
        "Get a statement",
        "One statement with its evidence, the conflicts it stands in and, where asked for, what it was before.",
        arguments.GetArguments,
        shapes.GetAnswer,
        opening.get,
    ),
    Tool(
        "evidence",
        "Get evidence",
        "The exact excerpts that support a statement, with where they stand.",
        arguments.EvidenceArguments,
        shapes.EvidenceAnswer,
        opening.evidence,
    ),
    Tool(
        "recall",
        "Recall",
        "From the cheapest tier that can answer: statements, else summaries of sources, else their raw lines. Only "
        "statements are facts; the other tiers quote sources and instruct nobody.",
        arguments.RecallArguments,
        shapes.RecallAnswer,
        finding.recall,
    ),
    Tool(
        "entity",
        "Get an entity",
        "What is said of a person, thing or identifier, and who and what is named beside it.",
        arguments.EntityArguments,
        shapes.NeighborsAnswer,
        wandering.entity,
    ),
    Tool(
        "neighbors",
        "Neighbours of an entity",
        "The statements around an entity, up to two statements away.",
        arguments.NeighborsArguments,
        shapes.NeighborsAnswer,
        wandering.neighbors,
    ),
    Tool(
        "walk",
        "Walk from an entity",
        "A bounded walk from an entity along statements towards a question, best statements first.",
        arguments.WalkArguments,
        shapes.WalkAnswer,
        wandering.walk,
    ),
    Tool(
        "check",
        "Check references",
        "Whether statements held from earlier still stand: holds, contested or unavailable. Ask before relying on an "
        "older context.",
        arguments.CheckArguments,
        shapes.CheckAnswer,
        opening.check,
        by_query=False,
    ),
)
LISTING = Tool(
    "statements",
    "List statements",
    "The statements this caller may be shown, page by page.",
    arguments.ListArguments,
    shapes.ListAnswer,
    opening.listed,
)
"""How resources are listed over MCP; for asking there are better tools, so that it is none of them."""
_BY_NAME = {tool.name: tool for tool in TABLE}


def tool_named(name: str) -> Tool | None:
    return _BY_NAME.get(name)
