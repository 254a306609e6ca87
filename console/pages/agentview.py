"""What an agent would see: the exact bytes of the rendered context for a question."""

import hashlib

from django.http import HttpResponse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.show.context import context_lines
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from console.wording import gettext_lazy as _
from knowledge.context import KnowledgeContext, build_context, render
from knowledge.failures import Failed
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Support

PAGE = "pages/knowledge/agent.html"
EXAMPLE = _("Why was the Falcon launch date changed?")
FLOORS = [
    (Support.UNVERIFIED_CLAIM.value, _("Everything, even unverified claims")),
    (Support.UNCERTAIN_INFERENCE.value, _("Uncertain inference and better")),
    (Support.SUPPORTED_INFERENCE.value, _("Supported inference and better")),
    (Support.DIRECT_FACT.value, _("Direct facts only")),
]


@door(get=Permission.READ_KNOWLEDGE)
def agent_view(desk: Desk) -> HttpResponse:
    link = desk.link
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("What an agent would see"), place="knowledge")
    query = desk.request.GET.get("q", "")[:500]
    asked = desk.request.GET.get("min_support", "")
    floor = asked if asked in dict(FLOORS) else Support.UNVERIFIED_CLAIM.value
    context: dict[str, object] = {"query": query, "floor": floor, "floors": FLOORS, "tab": "agent"}
    if query.strip():
        rendered = _rendered(desk, link.scope, query, floor)
        if isinstance(rendered, Failed):
            return failed_page(desk, gettext("What an agent would see"), rendered, place="knowledge")
        context |= rendered
    return desk.answer(PAGE, context, regions={"context": f"{PAGE}#context"})


def _rendered(desk: Desk, scope: KnowledgeScope, query: str, floor: str) -> dict[str, object] | Failed:
    settings = desk.link.settings
    built = build_context(
        desk.link.provider,
        scope,
        query,
        top_k=settings.top_k,
        max_chars=settings.max_context_chars,
        min_support=Support(floor),
    )
    if isinstance(built, Failed):
        return built
    text = render(built.value)
    return {
        "lines": context_lines(text),
        "size": gettext("{text:,} bytes").format(text=len(text.encode())),
        "digest": hashlib.sha256(text.encode()).hexdigest(),
        "facts": _facts(built.value, settings.max_context_chars, len(text)),
    }


def _facts(context: KnowledgeContext, budget: int, used: int) -> list[tuple[str, str]]:
    return [
        (gettext("Facts"), f"{len(context.facts):,}"),
        (gettext("Conflicts"), f"{len(context.conflicts):,}"),
        (gettext("Evidence"), f"{len(context.evidence):,}"),
        (gettext("Entities"), f"{len(context.entities):,}"),
        (gettext("Characters"), gettext("{used:,} of {budget:,}").format(used=used, budget=budget)),
    ]
