"""How the engine read a sentence, in plain words: what of it, where it came from, and which word list entry decided."""

from collections.abc import Iterator
from dataclasses import dataclass

from console.pages.show.labels import Tag, support_label
from console.pages.show.text import visible_line
from console.pages.show.times import day
from knowledge.records import Entry, Frame, Statement

ORIGINS = {
    "sentence": "named by the sentence itself",
    "table": "named by the row of the table",
    "heading": "taken from the heading above it, so it weighs less",
    "title": "taken from the document’s title, so it weighs less",
    "document": "the document itself",
}
BOUNDS = {"min": "at least", "max": "at most", "about": "about"}
MATCHED = {"attribute": "Attribute matched", "value": "Value matched", "side": "Side matched"}
FLAGS = {
    "instruction": Tag("unresolved", "warn", "Instructs its reader"),
    "hidden_characters": Tag("unresolved", "warn", "Hidden characters"),
}
WARNINGS = {
    "instruction": "This sentence tells its reader what to do. It is kept as text, claims nothing, is compared with "
    "nothing and is never handed to an agent. Nothing it asks for was done.",
    "hidden_characters": "This sentence carries characters that cannot be seen, shown here as codes. What it seems to "
    "say may not be what is stored, so it is compared with nothing.",
}


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """``note`` says where the value came from, or which entry of the word lists it is."""

    name: str
    value: str
    note: str = ""


def reading_rows(statement: Statement) -> tuple[ReadingRow, ...]:
    """Only what was read; the last rows say how the sentence stands and why it weighs what it weighs."""
    rows = [*_of_frame(statement), *_of_entries(statement.entries), *_of_standing(statement)]
    return tuple(ReadingRow(r.name, visible_line(r.value), visible_line(r.note)) for r in rows if r.value)


def flag_tags(statement: Statement) -> tuple[Tag, ...]:
    return tuple(FLAGS.get(flag, Tag("unknown", "question", flag)) for flag in statement.flags)


def flag_warnings(statement: Statement) -> tuple[str, ...]:
    return tuple(WARNINGS[flag] for flag in statement.flags if flag in WARNINGS)


def _of_frame(statement: Statement) -> Iterator[ReadingRow]:
    frame = statement.frame
    if frame is None:
        return
    yield ReadingRow("Subject", frame.subject, ORIGINS.get(statement.subject_origin, ""))
    yield ReadingRow("Attribute", frame.attribute, _found_by(frame.rule))
    yield ReadingRow("As written", frame.value_raw)
    yield ReadingRow("Understood as", _understood(frame), _kind(frame))
    yield ReadingRow("Denied", "yes" if frame.polarity == "-" else "", "the sentence says that it is not so")
    yield ReadingRow(
        "Change", "yes" if frame.modality == "changed" else "", "the sentence says that the value was changed"
    )
    yield ReadingRow("Holds for", ", ".join(frame.qualifiers))
    yield ReadingRow("Valid from", day(frame.valid_from))
    yield ReadingRow("Valid to", day(frame.valid_to))
    yield ReadingRow("Said by", frame.speaker)


def _understood(frame: Frame) -> str:
    bound = BOUNDS.get(frame.bound, "")
    ends = frame.value.replace("..", " to ").replace("|", " or ")
    return f"{bound} {ends} {frame.unit}".strip()


def _kind(frame: Frame) -> str:
    ambiguous = ", ambiguous: either reading counts" if "|" in frame.value else ""
    return f"a {frame.value_type}{ambiguous}" if frame.value_type else ""


def _found_by(rule: str) -> str:
    """``copula: is`` → by “is”; ``key: value`` and ``table cell`` are places, not words."""
    kind, _, cue = rule.partition(": ")
    if rule == "key: value":
        return "the line’s key"
    if rule == "table cell":
        return "the head of the column"
    return f"by “{cue}”" if cue and kind else ""


def _of_entries(entries: tuple[Entry, ...]) -> Iterator[ReadingRow]:
    for each in entries:
        origin = "added by this knowledge base" if each.added else "built in"
        yield ReadingRow(MATCHED.get(each.what, each.what), f"“{each.word}”", f"{each.entry}, {origin}")


def _of_standing(statement: Statement) -> Iterator[ReadingRow]:
    label = support_label(statement.support).words
    yield ReadingRow("Support", label, statement.support_reason)
    subject = {"heading": "subject from a heading", "title": "subject from the title", "none": "no attribute read"}
    row = subject.get(
        statement.subject_origin, "subject from its own words" if statement.frame else "no attribute read"
    )
    yield ReadingRow("Confidence", f"{statement.confidence:.2f}", f"the table’s row for: {label.lower()}, {row}")
