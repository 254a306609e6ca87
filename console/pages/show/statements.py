"""Statements and their evidence as a page shows them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.labels import SupportLabel, Tag, status_tag, subject_words, support_label
from console.pages.show.reading import flag_tags
from console.pages.show.text import short_digest, visible, visible_line
from console.pages.show.times import Moment, day, moment
from console.wording import plural
from knowledge.records import Evidence, Hit, Statement
from knowledge.reviewing import Passage
from knowledge.vocabulary import Status

NO_PASSAGES: Mapping[str, Passage] = {}


@dataclass(frozen=True, slots=True)
class HashCheck:
    """``ok`` is None when the stored text was not at hand to compare with."""

    ok: bool | None
    words: str
    digest: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    id: str
    source_name: str
    url: str
    location: str
    before: str
    excerpt: str
    after: str
    missing: bool
    check: HashCheck


@dataclass(frozen=True, slots=True)
class Link:
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class StatementView:
    id: str
    url: str
    text: str
    kind: str
    support: SupportLabel
    support_reason: str
    status: Tag
    status_key: str
    confidence: str
    effective: str
    says: str
    excerpts: str
    evidence: tuple[EvidenceView, ...]
    entities: tuple[Link, ...]
    conflicts: tuple[Link, ...]
    successor: Link | None
    recorded: Moment
    extractor: str
    flags: tuple[Tag, ...] = ()
    why: str = ""

    @property
    def first(self) -> EvidenceView | None:
        return self.evidence[0] if self.evidence else None


@dataclass(frozen=True, slots=True)
class ContestedLine:
    """What the found statements disagree on, and the values found for it."""

    url: str
    about: str
    values: str


def statement_view(
    statement: Statement,
    slug: str,
    *,
    passages: Mapping[str, Passage] = NO_PASSAGES,
    why: str = "",
) -> StatementView:
    """``passages``, by evidence id, give the excerpts their context; without one an excerpt stands alone."""
    return StatementView(
        id=statement.id,
        url=reverse("statement", args=[slug, statement.id]),
        text=visible_line(statement.text),
        kind=statement.type.replace("_", " ").capitalize(),
        support=support_label(statement.support),
        support_reason=visible_line(statement.support_reason),
        status=status_tag(statement.status),
        status_key=statement.status.value,
        confidence=f"{statement.confidence:.2f}",
        effective=day(statement.effective_date),
        says=_says(statement),
        excerpts=_excerpts(statement),
        evidence=tuple(
            passage_view(each, slug, passages[each.id]) if each.id in passages else evidence_view(each, slug)
            for each in statement.evidence
        ),
        entities=tuple(
            Link(visible_line(each.name), reverse("entity", args=[slug, each.id])) for each in statement.entities
        ),
        conflicts=tuple(Link(each, reverse("conflict", args=[slug, each])) for each in statement.conflict_ids),
        successor=_successor(statement, slug),
        recorded=moment(statement.recorded_at),
        extractor=statement.extractor,
        flags=flag_tags(statement),
        why=visible_line(why),
    )


def hit_views(hits: tuple[Hit, ...], whole: Mapping[str, Statement], slug: str) -> tuple[StatementView, ...]:
    """Search hits in the engine's order, each with the whole statement of the batch read where it came."""
    return tuple(statement_view(whole.get(hit.statement.id, hit.statement), slug, why=hit.why) for hit in hits)


def contested_lines(statements: Sequence[Statement], slug: str) -> list[ContestedLine]:
    """One line a conflict that touches the statements; an open one makes them disputed."""
    touched: dict[str, list[Statement]] = {}
    for one in statements:
        for conflict_id in one.conflict_ids if one.status is Status.DISPUTED else ():
            touched.setdefault(conflict_id, []).append(one)
    return [
        ContestedLine(
            reverse("conflict", args=[slug, conflict_id]),
            visible_line(_about(ones[0])),
            visible_line(_stated({one.attribute_value for one in ones if one.attribute_value})),
        )
        for conflict_id, ones in touched.items()
    ]


def _about(one: Statement) -> str:
    words = subject_words(one.subject, one.attribute_key)
    return f"{words[:1].lower()}{words[1:]}" if one.attribute_key else gettext("this")


def _stated(values: set[str]) -> str:
    if len(values) < 2:
        return ""
    *first, last = sorted(values)
    both = gettext("{first} and {last} are both stated.") if len(values) == 2 else ""
    return (both or gettext("{first} and {last} are all stated.")).format(first=", ".join(first), last=last)


def passage_view(evidence: Evidence, slug: str, passage: Passage) -> EvidenceView:
    """An excerpt in the surroundings the engine read just now; its digest is computed here all the same."""
    check = hash_check(evidence)
    if check.ok is None and passage.state == "whole":
        check = HashCheck(True, gettext("Excerpt matches the stored text"), check.digest)
    elif check.ok is None and passage.state == "moved":
        check = HashCheck(False, gettext("The excerpt no longer matches the stored text"), check.digest)
    return _view(evidence, slug, (visible(passage.before), visible(passage.after)), check)


def evidence_view(evidence: Evidence, slug: str) -> EvidenceView:
    return _view(evidence, slug, ("", ""), hash_check(evidence))


def _view(evidence: Evidence, slug: str, around: tuple[str, str], check: HashCheck) -> EvidenceView:
    before, after = around
    return EvidenceView(
        id=evidence.id,
        source_name=visible_line(evidence.source_name or evidence.source_path),
        url=evidence_url(evidence, slug),
        location=visible_line(evidence.location),
        before=before,
        excerpt=visible(evidence.excerpt),
        after=after,
        missing=evidence.missing,
        check=check,
    )


def evidence_url(evidence: Evidence, slug: str) -> str:
    """The excerpt in its place: the page of the source that holds it, marked and scrolled to."""
    source = reverse("source", args=[slug, evidence.source_id])
    return f"{source}?at={evidence.start}&e={evidence.id}#e-{evidence.id}"


def hash_check(evidence: Evidence) -> HashCheck:
    """Whether the excerpt still has the digest recorded with it."""
    digest = hashlib.sha256(evidence.excerpt.encode()).hexdigest()
    short = short_digest(digest)
    if evidence.missing:
        return HashCheck(False, gettext("The excerpt could not be located in the stored text"), short)
    if evidence.excerpt_hash and evidence.excerpt_hash.rpartition(":")[2] != digest:
        return HashCheck(False, gettext("The excerpt does not match its recorded digest"), short)
    return HashCheck(None, gettext("The excerpt matches its recorded digest"), short)


def _says(statement: Statement) -> str:
    if not statement.attribute_key:
        return ""
    return visible_line(f"{statement.attribute_key.replace('|', ' | ')} = {statement.attribute_value}")


def _excerpts(statement: Statement) -> str:
    words = plural(statement.evidence_count or len(statement.evidence), "excerpt", "excerpts")
    return f"{words}, {plural(statement.origins, 'origin', 'origins')}" if statement.origins > 1 else words


def _successor(statement: Statement, slug: str) -> Link | None:
    if not statement.superseded_by:
        return None
    return Link(statement.superseded_by, reverse("statement", args=[slug, statement.superseded_by]))
