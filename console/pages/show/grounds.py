"""Why sides are set against each other, in plain words: what they share, how they were compared, what weighs less."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from console.pages.show.labels import subject_words
from console.pages.show.text import plural, visible_line
from knowledge.records import Conflict, Side, Statement

TWINS = "duplicate_source"
HEADINGS = ("heading", "title")
SPEAK = re.compile(r"both speak of (?P<words>.+)")
STATE = re.compile(r"both state (?P<key>.+)")


@dataclass(frozen=True, slots=True)
class Ground:
    name: str
    words: str


def grounds(conflict: Conflict) -> tuple[Ground, ...]:
    """From what they share to what was compared; empty for copies, which say it in one line."""
    if conflict.type == TWINS:
        return (Ground("Compared", "The words of both documents, without marks, spaces and case."),)
    return tuple(Ground(g.name, visible_line(g.words)) for g in _grounds(conflict) if g.words)


def _grounds(conflict: Conflict) -> Iterator[Ground]:
    yield Ground("About one thing", _shared(conflict))
    yield Ground("Compared", _compared(conflict))
    yield Ground("Weighs less", _from_headings(conflict))
    yield Ground("Rests on", _origins(conflict))


def _shared(conflict: Conflict) -> str:
    why = conflict.why.strip()
    if match := STATE.fullmatch(why):
        subject, _, attribute = match["key"].partition(" | ")
        return f"Every side states the same attribute of the same subject: {subject_words(subject, attribute).lower()}."
    if match := SPEAK.fullmatch(why):
        words = [f"“{word.strip().replace('_', ' ')}”" for word in match["words"].split(",") if word.strip()]
        return f"Their sentences share these words, as stems or as one concept: {', '.join(words)}."
    return f"{why[:1].upper()}{why[1:]}{'' if why.endswith('.') or not why else '.'}"


def _compared(conflict: Conflict) -> str:
    if conflict.type == "contradiction":
        sides = " against ".join(f"“{side.value}”" for side in conflict.sides)
        return f"Whether it is so: {sides}. Both were read from the sentences’ own words."
    read = ", ".join(_value(side) for side in conflict.sides)
    return f"The values as understood, as far as both say: {read}. They are not equal."


def _value(side: Side) -> str:
    same = side.value_raw.casefold() == side.value.casefold()
    return f"“{side.value_raw}”" if same else f"“{side.value_raw}” as {side.value}"


def _from_headings(conflict: Conflict) -> str:
    known = {each.id: each for each in conflict.statements}
    named = [side for side in conflict.sides if _only_headings([known[i] for i in side.statement_ids if i in known])]
    if not named:
        return ""
    if len(named) == len(conflict.sides):
        return "No side’s own sentence names its subject: the headings do. That makes a candidate, not a dispute."
    return f"On {plural(len(named), 'side')} the subject comes from a heading, not from the sentence."


def _only_headings(statements: list[Statement]) -> bool:
    return bool(statements) and all(each.subject_origin in HEADINGS for each in statements)


def _origins(conflict: Conflict) -> str:
    documents = len(conflict.source_ids)
    origins = min(sum(side.origins for side in conflict.sides), documents)
    return f"{plural(documents, 'document')}, {plural(origins, 'independent origin')}; a copy adds none."
