"""The one table of tools."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knowledge.failures import Outcome
from knowledge.tools import (
    admitting,
    arguments,
    finding,
    missioning,
    opening,
    packaging,
    proposing,
    shapes,
    tasks,
    wandering,
)
from knowledge.tools.arguments import Arguments
from knowledge.tools.seat import Answered, Ask

READ = "read_knowledge"
WORK = "work_missions"
PROPOSE = "propose_review"


@dataclass(frozen=True, slots=True)
class Tool:
    """``path`` names it; ``address`` is its place under ``/knowledge/`` where that is another, ``{package}`` in it.

    ``permission`` is what the token must hold. ``by_query``: its arguments are few and flat enough for the query
    string of a GET. ``by_body``: they may stand in the body of a POST. ``is_charged``: a call of it counts against the
    budget of the mission its caller works on.
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
    by_body: bool = True
    address: str = ""
    is_charged: bool = True

    @property
    def name(self) -> str:
        return f"knowledge_{self.path}"

    @property
    def at(self) -> str:
        return self.address or self.path

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(name for name, is_taken in (("GET", self.by_query), ("POST", self.by_body)) if is_taken)

    @property
    def in_address(self) -> str:
        """The argument that stands in the address, empty when none does."""
        return "package" if "{package}" in self.address else ""


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
        "Whether statements held from earlier, or all of a package, still stand: holds, contested, superseded or "
        "unavailable. Ask before relying on an older context.",
        arguments.CheckArguments,
        shapes.CheckAnswer,
        opening.check,
        by_query=False,
    ),
    Tool(
        "history",
        "History of a statement",
        "Every version of a statement this caller may read, oldest first, and why each ended.",
        arguments.HistoryArguments,
        shapes.HistoryAnswer,
        opening.history,
    ),
    Tool(
        "open",
        "Open a reference",
        "The exact words a whole reference points to, checked against the source as it stands now. The passage around "
        "them comes only where it is asked for, whole or not at all.",
        arguments.OpenArguments,
        shapes.OpenAnswer,
        admitting.open_span,
        by_query=False,
    ),
    Tool(
        "admit",
        "Admit a packet",
        "What of a packet may be given to a consumer now, as the exact prompt within its budgets, and what may not and "
        "why. The packet comes from knowledge_retrieve with with_packet.",
        arguments.AdmitArguments,
        shapes.AdmissionAnswer,
        admitting.admit_packet,
        by_query=False,
    ),
    Tool(
        "cite",
        "Check citations",
        "Holds an answer to the package it was given: ids never given, quotes, numbers, days and names that differ, "
        "support raised, one side of a dispute alone. No model judges it.",
        arguments.CiteArguments,
        shapes.CitationAnswer,
        packaging.cite,
        by_query=False,
    ),
    Tool(
        "package",
        "Read a package again",
        "A package of this caller with the same bytes as when it was frozen, while all it quotes may still be read.",
        arguments.PackageArguments,
        shapes.PackageAnswer,
        packaging.package,
        by_body=False,
        address="packages/{package}",
    ),
    Tool(
        "outcome",
        "Tell an outcome",
        "What became of a package at its consumer, with what that said. It changes nothing of the package.",
        arguments.OutcomeArguments,
        shapes.OutcomeAnswer,
        packaging.outcome,
        read_only=False,
        by_query=False,
        address="packages/{package}/outcome",
    ),
    Tool(
        "corrections",
        "Corrections",
        "Statements of this caller's packages that were overturned since the cursor, each exactly once.",
        arguments.CorrectionsArguments,
        shapes.CorrectionsAnswer,
        packaging.corrections,
        by_body=False,
    ),
    Tool(
        "missions",
        "Missions",
        "Work of this project that may be claimed now, oldest first, with what each may spend.",
        tasks.MissionsArguments,
        tasks.MissionsAnswer,
        missioning.missions,
        permission=WORK,
        by_body=False,
        is_charged=False,
    ),
    Tool(
        "claim",
        "Claim a mission",
        "Takes a mission for a limited time. From then on every call of this token counts against the mission's "
        "budget, until it is finished or the time is over. A token works on one mission at a time.",
        tasks.ClaimArguments,
        tasks.ClaimAnswer,
        missioning.claim,
        permission=WORK,
        read_only=False,
        idempotent=False,
        by_query=False,
        is_charged=False,
    ),
    Tool(
        "renew",
        "Keep a mission",
        "Tells that the work goes on, so that the mission is not given to another.",
        tasks.RenewArguments,
        tasks.ClaimAnswer,
        missioning.renew,
        permission=WORK,
        read_only=False,
        by_query=False,
        is_charged=False,
    ),
    Tool(
        "finish",
        "Finish a mission",
        "Hands in the result with the packages it rests on; its citations are checked and kept with it. Once only, and "
        "never by a worker whose mission was given to another.",
        tasks.FinishArguments,
        tasks.FinishAnswer,
        missioning.finish,
        permission=WORK,
        read_only=False,
        by_query=False,
        is_charged=False,
    ),
    Tool(
        "review",
        "Propose a ruling",
        "Proposes to people how a conflict of one of this caller's packages should be ruled, with the reason. It "
        "applies nothing: the base stays as it is until a person accepts.",
        tasks.ReviewArguments,
        tasks.ReviewAnswer,
        proposing.review,
        permission=PROPOSE,
        read_only=False,
        by_query=False,
        is_charged=False,
    ),
)
READING = Tool(
    "package",
    "Read a package again",
    "The bytes of a package, as a resource.",
    arguments.PackageArguments,
    shapes.PackageAnswer,
    packaging.read_again,
)
"""How a package is read as a resource over MCP: the bytes or an error, nothing between."""
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
