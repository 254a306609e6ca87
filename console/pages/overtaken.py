"""What is told to whom was second: who ruled and what, or which side now rests on other words."""

from console.pages.show.conflicts import ruling_view
from console.pages.show.differences import LETTERS
from console.pages.show.text import visible_line
from console.pages.state import Note
from knowledge.failures import Failed
from knowledge.records import Conflict
from knowledge.vocabulary import ConflictStatus

KEPT = "your reason is kept below."


def overtaken(now: Conflict, read: str, failed: Failed) -> Note:
    """``read`` holds ``side=digest`` pairs as the form carried them."""
    ruling = ruling_view(now)
    if ruling is not None and now.status is not ConflictStatus.OPEN:
        words = f"{ruling.actor} recorded {ruling.words} {ruling.at.words}, while you were reading."
        return Note(
            "care",
            "person",
            "Someone ruled before you",
            f"{words} Your ruling was not saved; {KEPT}",
            "Read that ruling; reopen the conflict if you see it differently.",
        )
    changed = changed_sides(now, read)
    if changed:
        return Note(
            "care",
            "bent",
            "What you read has changed",
            f"{changed} Nothing was recorded; {KEPT}",
            "Read the sides again, then rule.",
        )
    sentence = f"{visible_line(failed.reason)} Your reason is kept below."
    return Note("care", "person", "Not recorded", sentence, "Read the sides again, then rule.")


def changed_sides(now: Conflict, read: str) -> str:
    """Which sides are other than as read; empty when all stand, or when nothing tells what was read."""
    then = dict(part.partition("=")[::2] for part in read.split(",") if part)
    if not then:
        return ""
    told = [
        f"Side {LETTERS[at % 26]} rests on other words now."
        for at, side in enumerate(now.sides)
        if side.id in then and then[side.id] != side.digest
    ]
    told += [f"Side {LETTERS[at % 26]} is new." for at, side in enumerate(now.sides) if side.id not in then]
    if len(now.sides) < len(then):
        told.append("A side is gone.")
    return " ".join(told)
