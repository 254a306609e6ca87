"""Why a statement was found, in words, and in which of its fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forager.model.models import Entity
from forager.search import words
from forager.search.query import ParsedQuery
from forager.search.rows import StatementRow

NOT_NEAR = 11
"""From this rank on a source adds nothing worth telling."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question with the forms the index knows them by, made once for all its hits."""

    parsed: ParsedQuery
    forms: Mapping[str, frozenset[str]]
    names: str

    def said_in(self, text: str) -> list[str]:
        """Those of its words of which a form stands in the text."""
        there = words.forms(text)
        return [word for word, forms in self.forms.items() if forms <= there]


def asked(parsed: ParsedQuery, entities: Sequence[Entity]) -> Asked:
    forms = {word: words.forms(word) for word in dict.fromkeys(parsed.words)}
    return Asked(parsed, forms, ", ".join(e.canonical_name for e in entities))


def why(said: Sequence[str], routes: Mapping[str, int], asked_for: Asked) -> str:
    """Of the routes that found it (route to rank): its words, its source, the entity it speaks of, a neighbour."""
    parts = []
    if said:
        parts.append(f"the word{'s' if len(said) > 1 else ''} {', '.join(said)}")
    elif "text" in routes:
        parts.append("a form of the words asked")
    if routes.get("source", NOT_NEAR) < NOT_NEAR:
        parts.append(f"its source ranks {routes['source']}. for them")
    if "entity" in routes:
        parts.append(f"the entity {asked_for.names}")
    if "neighbour" in routes:
        parts.append(f"a neighbour of {asked_for.names}")
    if fields := ", ".join(f"{name} {value}" for name, value in asked_for.parsed.fields.items()):
        parts.append(fields)
    return "; ".join(parts)


def matched(row: StatementRow, said: Sequence[str], asked_for: Asked) -> list[str]:
    """The fields that say any of the words; ``said`` are those its sentence says, of which a title is often made."""
    found = ["statement"] if said else []
    own_title = row.text.startswith(row.title)
    if (said and own_title) or (not own_title and asked_for.said_in(row.title)):
        found.append("title")
    return [*found, "subject"] if row.subject and asked_for.said_in(row.subject) else found
