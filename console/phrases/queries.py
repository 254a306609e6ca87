"""The phrases at a person's keys."""

from dataclasses import dataclass

from console.people.models import User
from console.phrases.models import MOST, Phrase
from console.projects.models import Project
from console.wording import gettext_lazy as _

KEYS = "qwrty"
STARTERS = (
    _("The newer source holds."),
    _("The source of authority says so."),
    _("They speak of different things."),
    _("More independent origins say so."),
    _("Both are out of date."),
)
"""Fill the keys a person has not taken yet, so that the first ruling is as quick as the hundredth."""


@dataclass(frozen=True, slots=True)
class KeyedPhrase:
    """``pk`` is None for a phrase that came with the console."""

    key: str
    words: str
    pk: int | None


def phrases_of(user: User, project: Project) -> list[KeyedPhrase]:
    """One phrase a key: the person's own first, then those the console brings."""
    own: list[tuple[str, int | None]] = [
        (each.words, each.pk) for each in Phrase.objects.filter(user=user, project=project)[:MOST]
    ]
    mine = {words for words, _pk in own}
    rest: list[tuple[str, int | None]] = [(str(words), None) for words in STARTERS if words not in mine]
    return [KeyedPhrase(key, words, pk) for key, (words, pk) in zip(KEYS, own + rest, strict=False)]
