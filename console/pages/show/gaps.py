"""Gaps as their page shows them."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from console.gaps.models import Gap
from console.pages.show.labels import Tag
from console.pages.show.text import visible_line
from console.pages.show.times import Moment, moment
from knowledge.vocabulary import Band, Support

CODES = {
    "no_match": gettext_lazy("Nothing found"),
    "only_unverified": gettext_lazy("Unverified claims alone"),
}
FLOORS = {
    Support.DIRECT_FACT.value: gettext_lazy("direct facts asked for"),
    Support.SUPPORTED_INFERENCE.value: gettext_lazy("supported inferences and better asked for"),
    Support.UNCERTAIN_INFERENCE.value: gettext_lazy("uncertain inferences and better asked for"),
}


@dataclass(frozen=True, slots=True)
class GapRow:
    """``reach`` says how it was asked where that was less than everything."""

    pk: int
    question: str
    count: str
    first: Moment
    last: Moment
    agent: str
    got: str
    reach: str
    ended: Moment
    answer: str
    answer_url: str
    answer_tag: Tag | None
    dismissed_by: str
    reason: str


def gap_row(row: Gap, slug: str) -> GapRow:
    closed = bool(row.statement_id)
    disputed = Tag("disputed", "neq", gettext("Disputed")) if row.is_contested else None
    return GapRow(
        pk=row.pk,
        question=visible_line(row.question),
        count=f"{row.count:,}",
        first=moment(row.first_at),
        last=moment(row.last_at),
        agent=visible_line(str(row.token)) if row.token else "",
        got=str(CODES.get(row.code, row.code)),
        reach=_reach(row),
        ended=moment(row.ended_at),
        answer=row.statement_id,
        answer_url=reverse("statement", args=[slug, row.statement_id]) if closed else "",
        answer_tag=disputed if closed else None,
        dismissed_by=visible_line(row.dismissed_by),
        reason=visible_line(row.reason),
    )


def _reach(row: Gap) -> str:
    parts = [str(FLOORS[row.floor])] if row.floor in FLOORS else []
    if row.band == Band.GENERAL.value:
        parts.append(gettext("general knowledge alone"))
    return ", ".join(parts)
