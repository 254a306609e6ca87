"""What a page tells where documents that govern what others say disagree: whose they are, and what a ruling is then."""

from django.core import signing
from django.utils.translation import gettext

from console.bases.authorities import Authority, contradictory, owners_of
from console.pages.show.differences import LETTERS
from console.pages.show.text import visible_line
from console.pages.state import Note
from knowledge.records import Conflict
from knowledge.reviewing import Brief
from knowledge.vocabulary import ConflictStatus

SALT = "console.ruling.authorities"


def authorities_read(brief: Brief) -> str:
    """What the form carries along, signed and bound to what was read, so that the ruling need not read it again."""
    found = [[each.side_id, each.name, each.owner] for each in contradictory(brief)]
    return signing.dumps([brief.conflict.id, brief.conflict.digest, found], salt=SALT)


def authorities_told(told: str, conflict_id: str, digest: str) -> tuple[Authority, ...] | None:
    """None when the form does not say, or says it of something else."""
    try:
        about, read, found = signing.loads(told, salt=SALT)
        known = tuple(Authority(*each) for each in found)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return known if (about, read) == (conflict_id, digest) else None


def authorities_note(brief: Brief) -> Note | None:
    found = contradictory(brief)
    if not found:
        return None
    told = "; ".join(_whose(brief.conflict, each) for each in found)
    if brief.conflict.status is ConflictStatus.OPEN:
        owners = owners_of(found)
        step = (
            gettext("Ask an owner: choose “Needs evidence” and name them. A ruling by anyone is kept as an exception.")
            if owners
            else gettext("Name owners on the pages of the sources, or rule: that is kept as an exception.")
        )
    else:
        step = gettext("The ruling is kept in the audit as an exception, with the names of the owners.")
    return Note("care", "warn", gettext("Documents that govern disagree"), f"{told}.", step)


def _whose(conflict: Conflict, each: Authority) -> str:
    at = next(at for at, side in enumerate(conflict.sides) if side.id == each.side_id)
    letter, name = LETTERS[at % len(LETTERS)], visible_line(each.name)
    if not each.owner:
        return gettext("{letter}: {name}, without an owner").format(letter=letter, name=name)
    return gettext("{letter}: {name}, owner {owner}").format(letter=letter, name=name, owner=visible_line(each.owner))
