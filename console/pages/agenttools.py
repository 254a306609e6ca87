"""The tools of agents, told on a page from the same document that programs read."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.policy import Door
from console.wording import gettext_lazy as _
from knowledge.api.envelope import CODES, REFUSALS
from knowledge.api.openapi import document
from knowledge.tools import TABLE
from knowledge.tools.abstaining import SENTENCES

LIMITS = (("minimum", _("at least")), ("maximum", _("at most")), ("maxLength", _("characters at most")))


@door(get=Door.SIGNED_IN)
def agent_tools(desk: Desk) -> HttpResponse:
    schemas = document()["components"]["schemas"]
    tools = [
        {
            "name": tool.name,
            "title": tool.title,
            "address": f"/knowledge/{tool.at}",
            "methods": gettext(" or ").join(tool.methods),
            "description": tool.description,
            "arguments": list(_arguments(schemas[tool.arguments.__name__], schemas)),
        }
        for tool in TABLE
    ]
    refusals = sorted({*CODES.values(), *((status, code) for status, (code, _) in REFUSALS.items())})
    return desk.answer(
        "pages/tokens/tools.html", {"tools": tools, "refusals": refusals, "abstentions": list(SENTENCES.items())}
    )


def _arguments(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    required = schema.get("required", ())
    for name, told in sorted(schema["properties"].items(), key=lambda one: one[0] not in required):
        whole = {**_resolved(told, schemas), **told}
        yield {
            "name": name,
            "kind": _kind(whole),
            "default": _default(name, whole, schema),
            "description": str(whole.get("description", "")),
        }


def _resolved(told: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = schemas.get(str(told.get("$ref", "")).rpartition("/")[2], {})
    return found


def _kind(whole: Mapping[str, Any]) -> str:
    if "enum" in whole:
        return ", ".join(each for each in whole["enum"] if each)
    bounds = [f"{words} {whole[name]:,}" for name, words in LIMITS[:2] if name in whole]
    bounds += [f"{whole[name]:,} {words}" for name, words in LIMITS[2:] if name in whole]
    return ", ".join([str(whole.get("type", "object")), *bounds])


def _default(name: str, whole: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if name in schema.get("required", ()):
        return gettext("required")
    default = whole.get("default")
    if default is False:
        return gettext("no")
    return gettext("any") if default == "" else gettext("none") if default == [] else str(default)
