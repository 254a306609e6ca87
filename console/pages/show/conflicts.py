"""Conflicts as a page shows them: sides in columns, what differs marked, nothing preferred."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.labels import Tag, conflict_kind, conflict_tag, subject_words
from console.pages.show.text import visible_line
from console.pages.show.times import Moment, moment
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.records import Conflict, Ruling, Side
from knowledge.reviewing import ReviewEvent, StoredDecision
from knowledge.vocabulary import ConflictStatus

POLARITY = {"+": _("affirmed"), "-": _("denied")}
TWINS = "duplicate_source"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

ACTION_WORDS = {
    "choose_side": _("One side holds"),
    "both": _("Both hold"),
    "neither": _("Neither holds"),
    "merge": _("Same thing, merged"),
    "not_a_conflict": _("Not a conflict"),
    "needs_evidence": _("Needs evidence"),
    "reopen": _("Reopened"),
    "reopened": _("Reopened"),
    "keep_apart": _("Two entities, kept apart"),
    "unmerge": _("A name taken out"),
    "first_look": _("First look, kept unseen"),
    "looks_parted": _("Two looks that differ"),
}


@dataclass(frozen=True, slots=True)
class ConflictRow:
    id: str
    url: str
    title: str
    kind: str
    twins: bool
    maybe: bool
    values: tuple[str, ...]
    rests_on: str
    found: Moment
    tag: Tag
    assignee: str
    ruling: str
    pick: str
    """Id and digest: what a bulk form sends of this row."""


@dataclass(frozen=True, slots=True)
class RulingView:
    words: str
    side: str
    actor: str
    notes: str
    at: Moment
    told_apart: str


@dataclass(frozen=True, slots=True)
class EventRow:
    action: str
    target: str
    url: str
    before: str
    after: str
    actor: str
    notes: str
    at: Moment


@dataclass(frozen=True, slots=True)
class DecisionRow:
    action: str
    about: str
    actor: str
    notes: str
    at: Moment


def conflict_row(conflict: Conflict, slug: str) -> ConflictRow:
    return ConflictRow(
        id=conflict.id,
        url=reverse("conflict", args=[slug, conflict.id]),
        title=conflict_title(conflict),
        kind=conflict_kind(conflict.type),
        twins=conflict.type == TWINS,
        maybe=conflict.certainty == "candidate",
        values=tuple(value_words(side) for side in conflict.sides if value_words(side)),
        rests_on=_rests_on(conflict),
        found=moment(conflict.detected_at),
        tag=_tag(conflict),
        assignee=visible_line(conflict.assignee),
        ruling=_ruling_words(conflict),
        pick=f"{conflict.id}={conflict.digest}",
    )


def _tag(conflict: Conflict) -> Tag:
    if conflict.certainty == "candidate" and conflict.status is ConflictStatus.OPEN and not conflict.assignee:
        return Tag("proposed", "dotted", gettext("Maybe"))
    return conflict_tag(conflict.status, conflict.assignee)


def conflict_title(conflict: Conflict) -> str:
    if conflict.type == TWINS:
        return visible_line(
            f"{conflict.subject}, {_times(len(conflict.sides))}" if conflict.subject else gettext("Same content")
        )
    return visible_line(subject_words(conflict.subject, conflict.attribute_key))


def ruling_view(conflict: Conflict) -> RulingView | None:
    ruling = conflict.ruling
    if ruling is None:
        return None
    apart = f"{ruling.discriminator_kind}: {ruling.discriminator_value}" if ruling.discriminator_kind else ""
    return RulingView(
        words=_ruling_words(conflict),
        side=_letter(conflict, ruling.winner_id),
        actor=visible_line(ruling.actor),
        notes=visible_line(ruling.notes),
        at=moment(ruling.decided_at),
        told_apart=visible_line(apart),
    )


def event_row(event: ReviewEvent, slug: str) -> EventRow:
    return EventRow(
        action=ACTION_WORDS.get(event.action, event.action.replace("_", " ").capitalize()),
        target=event.target_id,
        url=_target_url(event.target_id, slug),
        before=visible_line(event.before),
        after=visible_line(event.after),
        actor=visible_line(event.actor),
        notes=visible_line(event.notes),
        at=moment(event.at),
    )


def decision_row(decision: StoredDecision) -> DecisionRow:
    return DecisionRow(
        action=ACTION_WORDS.get(decision.action, decision.action.replace("_", " ").capitalize()),
        about=visible_line(gettext(" and ").join(decision.about)),
        actor=visible_line(decision.actor),
        notes=visible_line(decision.notes),
        at=moment(decision.at),
    )


def _target_url(target: str, slug: str) -> str:
    names = {"cf_": "conflict", "ki_": "statement", "src_": "source", "ent_": "entity", "mc_": "candidate"}
    name = next((name for prefix, name in names.items() if target.startswith(prefix)), "")
    return reverse(name, args=[slug, target]) if name else ""


def conflict_lead(conflict: Conflict) -> str:
    """What is wrong, in one line; the attribute itself is shown beside it."""
    if conflict.type == "attribute_mismatch":
        limit = gettext("Both cannot hold.") if len(conflict.sides) == 2 else gettext("At most one can hold.")
        return gettext("{count} were stated. {limit}").format(
            count=plural(len(conflict.sides), "value", "values"), limit=limit
        )
    if conflict.type == "contradiction":
        values = " – ".join(f"“{value_words(side)}”" for side in conflict.sides)
        return gettext("The documents say opposite things: {values}. They cannot both hold.").format(values=values)
    return visible_line(conflict.description or conflict.why).rstrip(".") + "."


def _times(number: int) -> str:
    return gettext("twice") if number == 2 else gettext("{number} times").format(number=number)


def value_words(side: Side) -> str:
    """The value as understood; a bare polarity in words."""
    value = side.value or side.value_raw
    return POLARITY.get(value, visible_line(value))


def _rests_on(conflict: Conflict) -> str:
    documents = plural(len(conflict.source_ids), "document", "documents")
    if conflict.type == TWINS:
        return gettext("{documents}, one origin").format(documents=documents)
    origins = min(sum(side.origins for side in conflict.sides), len(conflict.source_ids))
    return f"{documents}, {plural(origins, 'origin', 'origins')}"


def _letter(conflict: Conflict, side_id: str | None) -> str:
    return next((LETTERS[i % 26] for i, side in enumerate(conflict.sides) if side.id == side_id), "")


def _ruling_words(conflict: Conflict) -> str:
    ruling: Ruling | None = conflict.ruling
    if ruling is None:
        return ""
    if ruling.action == "choose_side" and (letter := _letter(conflict, ruling.winner_id)):
        return gettext("{letter} holds").format(letter=letter)
    return ACTION_WORDS.get(ruling.action, ruling.action.replace("_", " ").capitalize())
