"""A document's lifecycle, its versions and what changed between them, as a page shows them."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.labels import Tag, source_tag
from console.pages.show.text import visible_line
from console.pages.show.times import Moment, moment
from console.wording import gettext_lazy as _
from knowledge.records import Changes, Document, Step
from knowledge.vocabulary import Band

STEP_WORDS = {
    "approved": _("Approve"),
    "active": _("Make active again"),
    "degraded": _("Mark as degraded"),
    "suspended": _("Suspend"),
    "revoked": _("Revoke"),
    "retiring": _("Retire"),
    "deleted": _("Delete for good"),
}
EFFECTS = {
    "suspended": _("Withheld from every answer at once, until it is active again."),
    "revoked": _("Withheld from every answer at once. It does not come back."),
    "retiring": _("Read as history alone, then deleted."),
    "degraded": _("Still read, marked as stale."),
    "deleted": _("Bytes, texts and excerpts are gone for good; a digest and this entry stay."),
}
_READERS = {
    "proposed": _("In no answer until it is approved"),
    "suspended": _("Withheld from every answer until it is active again"),
    "revoked": _("Withheld from every answer"),
    "deleted": _("Nobody can read it any more"),
}


@dataclass(frozen=True, slots=True)
class VersionView:
    number: int
    url: str
    is_this: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class DocumentView:
    id: str
    state_key: str
    state: Tag
    why: str
    by: str
    at: Moment
    owner: str
    readers: str
    authoritative: bool
    versions: tuple[VersionView, ...]
    steps: tuple[tuple[str, str], ...]

    @property
    def is_deleted(self) -> bool:
        return self.state_key == "deleted"

    @property
    def may_be_deleted(self) -> bool:
        return any(value.startswith("deleted|") for value, _words in self.steps)


@dataclass(frozen=True, slots=True)
class ChangeView:
    kind: str
    before: str
    after: str
    place: str


def document_card(document: Document, source_id: str, slug: str) -> DocumentView:
    versions = tuple(
        VersionView(at, reverse("source", args=[slug, each]), each == source_id, each == document.current_source_id)
        for at, each in enumerate(document.versions, start=1)
    )
    return DocumentView(
        id=document.id,
        state_key=document.state,
        state=source_tag(document.state, ""),
        why=visible_line(_reason(document)),
        by=visible_line(document.state_by),
        at=moment(document.state_at),
        owner=visible_line(document.owner),
        readers=_readers(document),
        authoritative=document.authoritative,
        versions=versions,
        steps=step_choices(document.steps),
    )


def step_choices(steps: tuple[Step, ...]) -> tuple[tuple[str, str], ...]:
    """``state|reason code`` with its words, one entry a reason."""
    return tuple(
        (f"{step.state}|{code}", f"{STEP_WORDS.get(step.state, step.state)}: {code.replace('_', ' ')}")
        for step in steps
        for code in step.reason_codes
    )


def change_rows(changes: Changes) -> tuple[ChangeView, ...]:
    return tuple(
        ChangeView(part.kind, visible_line(part.before), visible_line(part.after), visible_line(part.location))
        for part in changes.parts
    )


def _readers(document: Document) -> str:
    """Who reads it as it stands: the band says who would, the state whether anyone does."""
    if document.state in _READERS:
        return str(_READERS[document.state])
    band = gettext("Everyone") if document.band is Band.GENERAL else gettext("This tenant")
    words = (
        gettext("{band} may read it, as history alone")
        if document.state == "retiring"
        else gettext("{band} may read it")
    )
    return words.format(band=band)


def _reason(document: Document) -> str:
    code = document.state_code.replace("_", " ")
    return ": ".join(part for part in (code, document.state_reason) if part)
