"""What is told to whom was second: who ruled and what, or which side now rests on other words."""

from django.utils.translation import gettext

from console.pages.show.conflicts import ruling_view
from console.pages.show.differences import LETTERS
from console.pages.show.text import visible_line
from console.pages.state import Note
from console.wording import gettext_lazy as _
from knowledge.failures import Failed
from knowledge.records import Conflict
from knowledge.vocabulary import ConflictStatus

KEPT = _("your reason is kept below.")


def overtaken(now: Conflict, read: str, failed: Failed) -> Note:
    """``read`` holds ``side=digest`` pairs as the form carried them."""
    ruling = ruling_view(now)
    if ruling is not None and now.status is not ConflictStatus.OPEN:
        words = gettext("{actor} recorded {words} {words_2}, while you were reading.").format(
            actor=ruling.actor, words=ruling.words, words_2=ruling.at.words
        )
        return Note(
            "care",
            "person",
            gettext("Someone ruled before you"),
            gettext("{words} Your ruling was not saved; {kept}").format(words=words, kept=KEPT),
            gettext("Read that ruling; reopen the conflict if you see it differently."),
        )
    changed = changed_sides(now, read)
    if changed:
        return Note(
            "care",
            "bent",
            gettext("What you read has changed"),
            gettext("{changed} Nothing was recorded; {kept}").format(changed=changed, kept=KEPT),
            gettext("Read the sides again, then rule."),
        )
    sentence = gettext("{reason} Your reason is kept below.").format(reason=visible_line(failed.reason))
    return Note("care", "person", gettext("Not recorded"), sentence, gettext("Read the sides again, then rule."))


def changed_sides(now: Conflict, read: str) -> str:
    """Which sides are other than as read; empty when all stand, or when nothing tells what was read."""
    then = dict(part.partition("=")[::2] for part in read.split(",") if part)
    if not then:
        return ""
    told = [
        gettext("Side {letters} rests on other words now.").format(letters=LETTERS[at % 26])
        for at, side in enumerate(now.sides)
        if side.id in then and then[side.id] != side.digest
    ]
    told += [
        gettext("Side {letters} is new.").format(letters=LETTERS[at % 26])
        for at, side in enumerate(now.sides)
        if side.id not in then
    ]
    if len(now.sides) < len(then):
        told.append(gettext("A side is gone."))
    return " ".join(told)
