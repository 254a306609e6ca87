"""The sides of a conflict in columns of equal weight: value, sentence, excerpt in context, sources; none preferred."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from console.pages.show.conflicts import TWINS, value_words
from console.pages.show.differences import LETTERS, Fragment, differing, in_words, only_in
from console.pages.show.labels import Tag, source_tag, source_type
from console.pages.show.statements import StatementView, statement_view
from console.pages.show.text import short_digest, visible_line
from console.pages.show.times import Moment, day, moment
from console.wording import plural
from knowledge.records import Conflict, Side, Source, Statement
from knowledge.reviewing import Brief, Passage


@dataclass(frozen=True, slots=True)
class SourceLine:
    """``version`` is the digest of the bytes that were read, ``weight`` what the document counts for."""

    name: str
    url: str
    kind: str
    date: str
    date_from: str
    state: Tag
    version: str
    read: Moment
    older: bool
    weight: str


@dataclass(frozen=True, slots=True)
class SideView:
    id: str
    letter: str
    key: str
    value: tuple[Fragment, ...]
    plain_value: str
    statement: StatementView | None
    sentence: tuple[Fragment, ...]
    rests_on: str
    dated: str
    digest: str
    more: tuple[StatementView, ...]
    sources: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """What tells the sides apart, in words."""

    values: str
    sentences: tuple[str, ...]


def side_views(brief: Brief, slug: str) -> tuple[SideView, ...]:
    conflict = brief.conflict
    known = {statement.id: statement for statement in conflict.statements}
    sources = {source.id: source for source in brief.sources}
    passages = {passage.evidence_id: passage for passage in brief.passages}
    values, sentences = _values(conflict), _sentences(conflict, known)
    return tuple(
        SideView(
            id=side.id,
            letter=LETTERS[index % len(LETTERS)],
            key=str(index + 1) if index < 9 else "",
            value=(Fragment(values[index], False),) if conflict.type == TWINS else differing(values, index),
            plain_value=values[index],
            statement=_first_view(side, known, slug, passages),
            sentence=differing(sentences, index),
            rests_on=_rests_on(side, conflict),
            dated=_dated(side, sources),
            digest=short_digest(side.digest),
            more=_more(side, known, slug, passages),
            sources=tuple(_source_line(sources[each], slug) for each in side.source_ids if each in sources),
        )
        for index, side in enumerate(conflict.sides)
    )


def apart(conflict: Conflict) -> Apart:
    if conflict.type == TWINS:
        return Apart(gettext("Both documents hold the same text; only their paths differ."), ())
    known = {statement.id: statement for statement in conflict.statements}
    values = _values(conflict)
    return Apart(in_words(values), only_in(_sentences(conflict, known), values))


def _values(conflict: Conflict) -> list[str]:
    return [value_words(side) for side in conflict.sides]


def _sentences(conflict: Conflict, known: Mapping[str, Statement]) -> list[str]:
    first = [_first(side, known) for side in conflict.sides]
    return [visible_line(each.text) if each else "" for each in first]


def _first(side: Side, known: Mapping[str, Statement]) -> Statement | None:
    return next((known[each] for each in side.statement_ids if each in known), None)


def _first_view(
    side: Side, known: Mapping[str, Statement], slug: str, passages: Mapping[str, Passage]
) -> StatementView | None:
    first = _first(side, known)
    return statement_view(first, slug, passages=passages) if first else None


def _more(
    side: Side, known: Mapping[str, Statement], slug: str, passages: Mapping[str, Passage]
) -> tuple[StatementView, ...]:
    first = _first(side, known)
    rest = [known[each] for each in side.statement_ids if each in known and known[each] is not first]
    return tuple(statement_view(each, slug, passages=passages) for each in rest)


def _rests_on(side: Side, conflict: Conflict) -> str:
    """Copies, forwards and what was written from them count as one origin."""
    documents = plural(len(side.source_ids), "document", "documents")
    return documents if conflict.type == TWINS else f"{documents}, {plural(side.origins, 'origin', 'origins')}"


def _dated(side: Side, sources: Mapping[str, Source]) -> str:
    dates = sorted(sources[each].document_date for each in side.source_ids if each in sources)
    stated = [each for each in dates if each]
    if not stated:
        return gettext("No date stated")
    return (
        day(stated[0])
        if stated[0] == stated[-1]
        else gettext("{stated} to {stated_2}").format(stated=day(stated[0]), stated_2=day(stated[-1]))
    )


def _source_line(source: Source, slug: str) -> SourceLine:
    return SourceLine(
        name=visible_line(source.name),
        url=reverse("source", args=[slug, source.id]),
        kind=source_type(source.type),
        date=day(source.document_date) or gettext("no date stated"),
        date_from=visible_line(source.document_date_from) if source.document_date else "",
        state=source_tag(source.state, source.processing_status),
        version=short_digest(source.content_hash),
        read=moment(source.registered_at),
        older=source.superseded_by is not None,
        weight=_weight(source),
    )


def _weight(source: Source) -> str:
    governs = gettext("Governs what others say") if source.authoritative else gettext("Does not govern")
    return (
        gettext("{governs}; owner {owner}").format(governs=governs, owner=visible_line(source.owner))
        if source.owner
        else governs
    )
