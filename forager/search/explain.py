"""Why a statement was found, in words, and in which of its fields."""

import re
from collections.abc import Mapping, Sequence

from forager.model.models import Entity, Statement
from forager.search.query import ParsedQuery

NOT_NEAR = 11
"""From this rank on a source adds nothing worth telling."""


def why(row: Statement, routes: Mapping[str, int], parsed: ParsedQuery, entities: Sequence[Entity]) -> str:
    """Of the routes that found it (route to rank): its words, its source, the entity it speaks of, a neighbour."""
    said = [w for w in dict.fromkeys(parsed.words) if says(row.text, w)]
    names = ", ".join(e.canonical_name for e in entities)
    parts = []
    if said:
        parts.append(f"the word{'s' if len(said) > 1 else ''} {', '.join(said)}")
    elif "text" in routes:
        parts.append("a form of the words asked")
    if routes.get("source", NOT_NEAR) < NOT_NEAR:
        parts.append(f"its source ranks {routes['source']}. for them")
    if "entity" in routes:
        parts.append(f"the entity {names}")
    if "neighbour" in routes:
        parts.append(f"a neighbour of {names}")
    if fields := ", ".join(f"{name} {value}" for name, value in parsed.fields.items()):
        parts.append(fields)
    return "; ".join(parts)


def matched(row: Statement, parsed: ParsedQuery) -> list[str]:
    fields = {"statement": row.text, "title": row.title, "subject": row.subject}
    return [name for name, text in fields.items() if any(says(text, w) for w in parsed.words)]


def says(text: str, word: str) -> bool:
    """Whether a form of the word stands in the text."""
    return re.search(rf"(?<!\w){re.escape(word[: max(4, len(word) - 2)])}", text, re.IGNORECASE) is not None
