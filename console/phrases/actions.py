"""Keeping and dropping phrases. The audit names the phrase by its number, never its words."""

from django.db import transaction

from console.audit.actions import record
from console.people.models import User
from console.phrases.models import MOST, Phrase
from console.projects.models import Project


class TooManyPhrases(Exception):
    """Each phrase has a key, and there are no more keys."""


@transaction.atomic
def keep_phrase(*, user: User, project: Project, words: str) -> Phrase:
    """Keep a reason for the keyboard; one that is kept already stays as it is."""
    mine = Phrase.objects.filter(user=user, project=project)
    known = mine.filter(words=words).first()
    if known is not None:
        return known
    if mine.count() >= MOST:
        raise TooManyPhrases
    made = Phrase.objects.create(user=user, project=project, words=words)
    record(by=user.actor, action="phrase.kept", target=str(made.pk), project=project.slug)
    return made


@transaction.atomic
def drop_phrase(*, user: User, project: Project, pk: int) -> bool:
    """Whether there was such a phrase of this person here."""
    gone, _all = Phrase.objects.filter(user=user, project=project, pk=pk).delete()
    if gone:
        record(by=user.actor, action="phrase.dropped", target=str(pk), project=project.slug)
    return bool(gone)
