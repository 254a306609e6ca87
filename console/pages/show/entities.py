"""Entities as a page shows them, and what may be one of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.labels import Tag
from console.pages.show.statements import StatementView, statement_view
from console.pages.show.text import short_digest, visible_line
from console.pages.show.times import Moment, moment
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.records import CandidateSide, Entity, MergeCandidate
from knowledge.reviewing import Passage

_TAGS = {
    "open": Tag("proposed", "dotted", _("Maybe one")),
    "accepted": Tag("done", "tick", _("Joined")),
    "rejected": Tag("historical", "slash", _("Kept apart")),
}


@dataclass(frozen=True, slots=True)
class AliasView:
    """``raw`` is the name as the engine knows it, for the form that takes it out."""

    name: str
    why: str
    separable: bool
    raw: str


@dataclass(frozen=True, slots=True)
class EntityRow:
    id: str
    name: str
    url: str
    kind: str
    aliases: tuple[AliasView, ...]
    mentions: str
    statements: str


@dataclass(frozen=True, slots=True)
class CandidateRow:
    url: str
    names: tuple[str, ...]
    why: str
    tag: Tag
    found: Moment


@dataclass(frozen=True, slots=True)
class CandidateSideView:
    letter: str
    entity: EntityRow
    rests_on: str
    statements: tuple[StatementView, ...]


@dataclass(frozen=True, slots=True)
class CandidateView:
    id: str
    title: str
    why: str
    tag: Tag
    sides: tuple[CandidateSideView, ...]
    digest: str
    decided: str
    decided_at: Moment
    notes: str


def entity_row(entity: Entity, slug: str) -> EntityRow:
    return EntityRow(
        id=entity.id,
        name=visible_line(entity.name),
        url=reverse("entity", args=[slug, entity.id]),
        kind=entity.type.replace("_", " ").capitalize(),
        aliases=tuple(
            AliasView(
                visible_line(each.alias),
                visible_line(each.reason or each.kind.replace("_", " ")),
                each.separable,
                each.alias,
            )
            for each in entity.aliases
        ),
        mentions=f"{entity.mention_count:,}",
        statements=f"{entity.statement_count:,}",
    )


def candidate_row(found: MergeCandidate, slug: str, *, walked: str = "") -> CandidateRow:
    """``walked`` is the list its page goes on through."""
    return CandidateRow(
        url=reverse("candidate", args=[slug, found.id]) + (f"?show={walked}" if walked else ""),
        names=tuple(visible_line(side.entity.name) for side in found.sides),
        why=visible_line(found.reason),
        tag=_TAGS.get(found.status, Tag("unknown", "question", found.status)),
        found=moment(found.detected_at),
    )


def candidate_view(found: MergeCandidate, slug: str, passages: Mapping[str, Passage]) -> CandidateView:
    row = candidate_row(found, slug)
    said = gettext("Joined") if found.status == "accepted" else gettext("Kept apart")
    return CandidateView(
        id=found.id,
        title=gettext(" and ").join(row.names),
        why=row.why,
        tag=row.tag,
        sides=tuple(_side(at, side, slug, passages) for at, side in enumerate(found.sides)),
        digest=short_digest(found.digest),
        decided=gettext("{said} by {decided_by}").format(said=said, decided_by=visible_line(found.decided_by))
        if found.decided_by
        else "",
        decided_at=moment(found.decided_at),
        notes=visible_line(found.decided_notes),
    )


def _side(at: int, side: CandidateSide, slug: str, passages: Mapping[str, Passage]) -> CandidateSideView:
    return CandidateSideView(
        letter="AB"[at],
        entity=entity_row(side.entity, slug),
        rests_on=", ".join(
            (
                plural(side.entity.statement_count, "statement", "statements"),
                plural(side.entity.mention_count, "mention", "mentions"),
            )
        ),
        statements=tuple(statement_view(each, slug, passages=passages) for each in side.statements),
    )
