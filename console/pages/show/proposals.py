"""Proposals as their page shows them: what is proposed, by whom and why, beside the sides it speaks of."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.conflicts import conflict_lead, conflict_title
from console.pages.show.labels import Tag
from console.pages.show.sides import SideView, side_views
from console.pages.show.text import short_id, visible_line
from console.pages.show.times import Moment, moment
from console.proposals.models import Proposal, ProposalState
from console.wording import gettext_lazy as _
from knowledge.reviewing import Brief

RULINGS = {
    "choose_side": _("One side holds"),
    "both": _("Both hold"),
    "neither": _("Neither holds"),
    "not_a_conflict": _("Not a conflict"),
}
STATES = {
    ProposalState.OPEN: ("proposed", "dotted", _("Proposed")),
    ProposalState.APPLYING: ("running", "turning", _("Being applied")),
    ProposalState.APPLIED: ("done", "tick", _("Applied")),
    ProposalState.DECLINED: ("historical", "stop", _("Declined")),
    ProposalState.OVERTAKEN: ("historical", "clock", _("Ruled before")),
}


@dataclass(frozen=True, slots=True)
class ProposalCard:
    """``is_own``: the reader made its token and may not accept it; ``in_doubt``: the engine's word is awaited."""

    key: str
    title: str
    lead: str
    conflict_url: str
    tag: Tag
    words: str
    reason: str
    agent: str
    made: Moment
    package: str
    package_url: str
    sides: tuple[SideView, ...]
    cause: str
    is_own: bool
    in_doubt: bool
    decided_by: str

    @property
    def pair(self) -> bool:
        return len(self.sides) == 2


@dataclass(frozen=True, slots=True)
class DecidedRow:
    key: str
    conflict: str
    conflict_url: str
    words: str
    agent: str
    tag: Tag
    decided_by: str
    at: Moment
    why: str


def proposal_card(row: Proposal, brief: Brief, slug: str, *, is_own: bool) -> ProposalCard:
    sides = side_views(brief, slug)
    return ProposalCard(
        key=row.key,
        title=conflict_title(brief.conflict),
        lead=conflict_lead(brief.conflict),
        conflict_url=reverse("conflict", args=[slug, row.conflict_id]),
        tag=_tag(row),
        words=_words(row, sides),
        reason=visible_line(row.reason),
        agent=visible_line(str(row.token)),
        made=moment(row.made_at),
        package=short_id(row.package, 14),
        package_url=reverse("package", args=[slug, row.package]),
        sides=sides,
        cause=visible_line(row.cause),
        is_own=is_own,
        in_doubt=row.state == ProposalState.APPLYING,
        decided_by=visible_line(row.decided_by),
    )


def decided_row(row: Proposal, slug: str) -> DecidedRow:
    return DecidedRow(
        key=row.key,
        conflict=short_id(row.conflict_id, 14),
        conflict_url=reverse("conflict", args=[slug, row.conflict_id]),
        words=_words(row, ()),
        agent=visible_line(str(row.token)),
        tag=_tag(row),
        decided_by=visible_line(row.decided_by),
        at=moment(row.decided_at),
        why=visible_line(row.decline_reason or row.cause or row.reason),
    )


def _tag(row: Proposal) -> Tag:
    key, icon, words = STATES[ProposalState(row.state)]
    return Tag(key, icon, str(words))


def _words(row: Proposal, sides: tuple[SideView, ...]) -> str:
    side = next((each for each in sides if each.id == row.side_id), None)
    if side is not None:
        return gettext("{letter} holds: {value}").format(letter=side.letter, value=side.plain_value)
    words = str(RULINGS.get(row.ruling, row.ruling))
    if row.told_apart:
        apart = visible_line(f"{row.told_apart_by}: {row.told_apart}")
        return gettext("{words}, told apart by {apart}").format(words=words, apart=apart)
    return words
