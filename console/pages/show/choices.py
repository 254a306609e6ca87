"""What a reviewer can choose: each with its key, its consequence, and what else it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from console.pages.show.differences import LETTERS
from console.pages.show.sides import SideView
from console.wording import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Choice:
    """``asks`` is what must be named with it: ``apart``, ``person`` or nothing."""

    value: str
    words: str
    consequence: str
    key: str
    checked: bool = False
    asks: str = ""


BOTH = ("both", _("Both hold"), _("Told apart by time, unit, place or entity, which you must name."), "b", "apart")
NEITHER = ("neither", _("Neither holds"), _("No side is told as true any more."), "0", "")
DISMISS = ("not_a_conflict", _("Not a conflict"), _("This pair is not raised again."), "d", "")
EVIDENCE = ("needs_evidence", _("Needs evidence"), _("Stays open and goes to a person you name."), "e", "person")
OTHERS = (BOTH, NEITHER, DISMISS, EVIDENCE)
COPIES = _("The others count as its copies and add no origin.")
HISTORY = _("What the others say becomes Superseded and stays readable as history.")


def ruling_choices(sides: Sequence[SideView], chosen: str, *, twins: bool) -> list[Choice]:
    """``chosen`` is what was posted; a fresh form chooses nothing."""
    holds = [
        (
            f"side:{side.id}",
            gettext("{letter} holds").format(letter=side.letter),
            f"{side.plain_value}. {COPIES if twins else HISTORY}",
            side.key,
            "",
        )
        for side in sides
    ]
    return _choices([*holds, *OTHERS], chosen)


def bulk_choices(letters: int, chosen: str) -> list[Choice]:
    """A letter means the side each listed conflict shows under it."""
    holds = [
        (
            f"letter:{LETTERS[at]}",
            gettext("{letters} holds").format(letters=LETTERS[at]),
            gettext("In each of them, the side listed as {letters}.").format(letters=LETTERS[at]),
            str(at + 1),
            "",
        )
        for at in range(min(letters, 9))
    ]
    return _choices([*holds, *OTHERS], chosen)


def candidate_choices(chosen: str) -> list[Choice]:
    one = gettext("Their statements stand under one entity; either name finds it. It can be taken back exactly.")
    return _choices(
        [
            ("one", gettext("One and the same"), one, "1", ""),
            (
                "two",
                gettext("Not the same"),
                gettext("This pair is not proposed again, and no rule joins it."),
                "d",
                "",
            ),
        ],
        chosen,
    )


def _choices(rows: Sequence[tuple[str, str, str, str, str]], chosen: str) -> list[Choice]:
    return [
        Choice(value, words, consequence, key, value == chosen, asks) for value, words, consequence, key, asks in rows
    ]
