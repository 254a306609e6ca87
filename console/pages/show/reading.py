"""How the engine read a sentence, in plain words: what of it, where it came from, and which word list entry decided."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from console.pages.show.labels import Tag, support_label
from console.pages.show.text import visible_line
from console.pages.show.times import day
from console.wording import gettext_lazy as _
from knowledge.records import Entry, Frame, Statement

ORIGINS = {
    "sentence": _("named by the sentence itself"),
    "table": _("named by the row of the table"),
    "heading": _("taken from the heading above it, so it weighs less"),
    "title": _("taken from the document’s title, so it weighs less"),
    "document": _("the document itself"),
}
BOUNDS = {"min": _("at least"), "max": _("at most"), "about": _("about")}
MATCHED = {"attribute": _("Attribute matched"), "value": _("Value matched"), "side": _("Side matched")}
FLAGS = {
    "instruction": Tag("unresolved", "warn", _("Instructs its reader")),
    "hidden_characters": Tag("unresolved", "warn", _("Hidden characters")),
}
WARNINGS = {
    "instruction": _(
        "This sentence tells its reader what to do. It is kept as text, claims nothing, is compared with "
        "nothing and is never handed to an agent. Nothing it asks for was done."
    ),
    "hidden_characters": _(
        "This sentence carries characters that cannot be seen, shown here as codes. What it seems to "
        "say may not be what is stored, so it is compared with nothing."
    ),
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
    yield ReadingRow(gettext("Subject"), frame.subject, ORIGINS.get(statement.subject_origin, ""))
    yield ReadingRow(gettext("Attribute"), frame.attribute, _found_by(frame.rule))
    yield ReadingRow(gettext("As written"), frame.value_raw)
    yield ReadingRow(gettext("Understood as"), _understood(frame), _kind(frame))
    yield ReadingRow(
        gettext("Denied"),
        gettext("yes") if frame.polarity == "-" else "",
        gettext("the sentence says that it is not so"),
    )
    yield ReadingRow(
        gettext("Change"),
        gettext("yes") if frame.modality == "changed" else "",
        gettext("the sentence says that the value was changed"),
    )
    yield ReadingRow(gettext("Holds for"), ", ".join(frame.qualifiers))
    yield ReadingRow(gettext("Valid from"), day(frame.valid_from))
    yield ReadingRow(gettext("Valid to"), day(frame.valid_to))
    yield ReadingRow(gettext("Said by"), frame.speaker)


def _understood(frame: Frame) -> str:
    bound = BOUNDS.get(frame.bound, "")
    ends = frame.value.replace("..", gettext(" to ")).replace("|", gettext(" or "))
    return f"{bound} {ends} {frame.unit}".strip()


def _kind(frame: Frame) -> str:
    ambiguous = gettext(", ambiguous: either reading counts") if "|" in frame.value else ""
    return (
        gettext("a {value_type}{ambiguous}").format(value_type=frame.value_type, ambiguous=ambiguous)
        if frame.value_type
        else ""
    )


def _found_by(rule: str) -> str:
    """``copula: is`` → by “is”; ``key: value`` and ``table cell`` are places, not words."""
    kind, _, cue = rule.partition(": ")
    if rule == "key: value":
        return gettext("the line’s key")
    if rule == "table cell":
        return gettext("the head of the column")
    return gettext("by “{cue}”").format(cue=cue) if cue and kind else ""


def _of_entries(entries: tuple[Entry, ...]) -> Iterator[ReadingRow]:
    for each in entries:
        origin = gettext("added by this knowledge base") if each.added else gettext("built in")
        yield ReadingRow(MATCHED.get(each.what, each.what), f"“{each.word}”", f"{each.entry}, {origin}")


def _of_standing(statement: Statement) -> Iterator[ReadingRow]:
    label = support_label(statement.support).words
    yield ReadingRow(gettext("Support"), label, statement.support_reason)
    subject = {
        "heading": gettext("subject from a heading"),
        "title": gettext("subject from the title"),
        "none": gettext("no attribute read"),
    }
    row = subject.get(
        statement.subject_origin,
        gettext("subject from its own words") if statement.frame else gettext("no attribute read"),
    )
    yield ReadingRow(
        gettext("Confidence"),
        f"{statement.confidence:.2f}",
        gettext("the table’s row for: {label}, {row}").format(label=label.lower(), row=row),
    )
