"""The figures beside a disagreement: its risk as a sum, and what each ruling would change, from stored rows alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from console.audit.queries import Measured
from console.pages.show.conflicts import ACTION_WORDS
from console.pages.show.differences import LETTERS
from console.pages.show.text import visible_line
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.records import Conflict
from knowledge.reviewing import Preview, Reach, Record, Weight

TURNS = {"superseded": _("Superseded"), "archived": _("Archived"), "active": _("Current"), "disputed": _("Disputed")}


@dataclass(frozen=True, slots=True)
class WeightView:
    """``sum`` is the arithmetic behind ``risk``, ``words`` the same for a reader."""

    risk: str
    sum: str
    words: str


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """``choice`` is the value of the form's radio this belongs to."""

    choice: str
    words: str
    changes: str


@dataclass(frozen=True, slots=True)
class Figure:
    number: str
    words: str
    detail: str


@dataclass(frozen=True, slots=True)
class RecordLine:
    name: str
    words: str


def weight_view(weight: Weight) -> WeightView:
    uncertain = f"{weight.uncertainty / 100:.2f}"
    return WeightView(
        risk=f"{weight.risk / 100:,.1f}",
        sum=f"{1 + weight.served:,} × {uncertain} × {weight.days:,}",
        words=(
            gettext("One and {count} served, times uncertainty {uncertain}, times {count_2} open").format(
                count=plural(weight.served, "time", "times"),
                uncertain=uncertain,
                count_2=plural(weight.days, "day", "days"),
            )
        ),
    )


def preview_rows(previews: Sequence[Preview], conflict: Conflict) -> tuple[PreviewRow, ...]:
    if len(previews) > 1 and not any(items for each in previews for _status, items in each.changes):
        return (PreviewRow("", gettext("Any of them"), gettext("No statement changes its state.")),)
    letters = {side.id: LETTERS[at % 26] for at, side in enumerate(conflict.sides)}
    return tuple(PreviewRow(_choice(each), _words(each, letters), changes_words(each)) for each in previews)


def changes_words(preview: Preview) -> str:
    """``1 becomes Superseded, 1 Current``; rulings that turn nothing say so."""
    told = [(len(items), TURNS.get(status, status)) for status, items in preview.changes if items]
    if not told:
        return gettext("No statement changes its state.")
    number, turn = told[0]
    first = ngettext("{number:,} statement becomes {turn}", "{number:,} statements become {turn}", number)
    first = first.format(number=number, turn=turn)
    return ", ".join([first, *(f"{number:,} {turn}" for number, turn in told[1:])]) + "."


def reach_figures(reach: Reach, packages: int) -> tuple[Figure, ...]:
    """``packages`` are those frozen here; a search that only listed a side made none, and yet an agent read it."""
    agents = ", ".join(visible_line(each) for each in reach.agents[:4])
    return (
        Figure(f"{packages:,}", gettext("packages served"), gettext("with a side of this, in the last 30 days")),
        Figure(f"{len(reach.agents):,}", gettext("agents read it"), agents or gettext("none was served a side")),
        Figure(f"{reach.exports:,}", gettext("exports hold a side"), gettext("of those still kept")),
    )


def record_lines(record: Record, measured: Measured) -> tuple[RecordLine, ...]:
    """What people did lately, and what a ruling took them where that is known."""
    undone = f"{record.undone:,} ({record.undone / record.rulings:.0%})" if record.rulings else gettext("none")
    agreed = (
        gettext("{as_suggested:,} of {with_suggestion:,}").format(
            as_suggested=record.as_suggested, with_suggestion=record.with_suggestion
        )
        if record.with_suggestion
        else gettext("none suggested")
    )
    return (
        RecordLine(gettext("Rulings"), f"{record.rulings:,}"),
        RecordLine(gettext("Taken back"), undone),
        RecordLine(gettext("As suggested"), agreed),
        RecordLine(gettext("Time a ruling"), _median(_duration(measured.seconds or 0), measured.timed)),
        RecordLine(gettext("Keys and clicks"), _median(f"{measured.presses or 0:g}", measured.counted)),
    )


def _median(words: str, known: int) -> str:
    return (
        gettext("{words}, median of {known:,}").format(words=words, known=known) if known else gettext("not known yet")
    )


def _duration(seconds: float) -> str:
    """``42 s``, ``3 min 5 s``."""
    whole = round(seconds)
    return (
        gettext("{whole} s").format(whole=whole)
        if whole < 90
        else gettext("{whole:,} min {whole_2} s").format(whole=whole // 60, whole_2=whole % 60)
    )


def _choice(preview: Preview) -> str:
    return f"side:{preview.side_id}" if preview.action == "choose_side" else preview.action


def _words(preview: Preview, letters: Mapping[str, str]) -> str:
    if preview.action == "choose_side":
        return gettext("{side_id} holds").format(side_id=letters.get(preview.side_id, "?"))
    return gettext("Reopen") if preview.action == "reopen" else ACTION_WORDS.get(preview.action, preview.action)
