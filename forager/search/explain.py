"""Why a statement was found, in words, and in which of its fields."""

import re
from collections.abc import Sequence

from forager.model.models import Entity, Statement
from forager.search.query import ParsedQuery


def why(row: Statement, routes: Sequence[str], parsed: ParsedQuery, entities: Sequence[Entity]) -> str:
    """Of the routes that found it: its words, its passage, the entity it speaks of, or a neighbour of that."""
    said = [w for w in dict.fromkeys(parsed.words) if says(row.text, w)]
    names = ", ".join(e.canonical_name for e in entities)
    parts = []
    if said:
        parts.append(f"the word{'s' if len(said) > 1 else ''} {', '.join(said)}")
    elif "text" in routes:
        parts.append("a form of the words asked")
    if "passage" in routes:
        parts.append("words of the passage it stands in")
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
