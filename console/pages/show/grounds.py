"""Why sides are set against each other, in plain words: what they share, how they were compared, what weighs less."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from console.pages.show.labels import subject_words
from console.pages.show.text import visible_line
from console.wording import plural
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
        return (Ground(gettext("Compared"), gettext("The words of both documents, without marks, spaces and case.")),)
    return tuple(Ground(g.name, visible_line(g.words)) for g in _grounds(conflict) if g.words)


def _grounds(conflict: Conflict) -> Iterator[Ground]:
    yield Ground(gettext("About one thing"), _shared(conflict))
    yield Ground(gettext("Compared"), _compared(conflict))
    yield Ground(gettext("Weighs less"), _from_headings(conflict))
    yield Ground(gettext("Rests on"), _origins(conflict))


def _shared(conflict: Conflict) -> str:
    why = conflict.why.strip()
    if match := STATE.fullmatch(why):
        subject, _, attribute = match["key"].partition(" | ")
        return gettext("Every side states the same attribute of the same subject: {subject}.").format(
            subject=subject_words(subject, attribute).lower()
        )
    if match := SPEAK.fullmatch(why):
        words = [f"“{word.strip().replace('_', ' ')}”" for word in match["words"].split(",") if word.strip()]
        return gettext("Their sentences share these words, as stems or as one concept: {words}.").format(
            words=", ".join(words)
        )
    return f"{why[:1].upper()}{why[1:]}{'' if why.endswith('.') or not why else '.'}"


def _compared(conflict: Conflict) -> str:
    if conflict.type == "contradiction":
        sides = " against ".join(f"“{side.value}”" for side in conflict.sides)
        return gettext("Whether it is so: {sides}. Both were read from the sentences’ own words.").format(sides=sides)
    read = ", ".join(_value(side) for side in conflict.sides)
    return gettext("The values as understood, as far as both say: {read}. They are not equal.").format(read=read)


def _value(side: Side) -> str:
    same = side.value_raw.casefold() == side.value.casefold()
    return (
        f"“{side.value_raw}”"
        if same
        else gettext("“{value_raw}” as {value}").format(value_raw=side.value_raw, value=side.value)
    )


def _from_headings(conflict: Conflict) -> str:
    known = {each.id: each for each in conflict.statements}
    named = [side for side in conflict.sides if _only_headings([known[i] for i in side.statement_ids if i in known])]
    if not named:
        return ""
    if len(named) == len(conflict.sides):
        return gettext(
            "No side’s own sentence names its subject: the headings do. That makes a candidate, not a dispute."
        )
    return gettext("On {count} the subject comes from a heading, not from the sentence.").format(
        count=plural(len(named), "side", "sides")
    )


def _only_headings(statements: list[Statement]) -> bool:
    return bool(statements) and all(each.subject_origin in HEADINGS for each in statements)


def _origins(conflict: Conflict) -> str:
    documents = len(conflict.source_ids)
    origins = min(sum(side.origins for side in conflict.sides), documents)
    return gettext("{count}, {count_2}; a copy adds none.").format(
        count=plural(documents, "document", "documents"),
        count_2=plural(origins, "independent origin", "independent origins"),
    )
