"""The feed, its dead letters and findings, as the Colony page shows them."""

from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from console.feed.applying import EXPORTED, PUBLISHED, STATE_CHANGED
from console.feed.models import Receipt
from console.feed.queries import Standing
from console.pages.show.labels import Tag
from console.pages.show.text import visible_line
from console.pages.show.times import Moment, moment
from console.study.models import Finding, Kind
from console.wording import gettext_lazy as _

KINDS = {
    PUBLISHED: _("A revision was published"),
    STATE_CHANGED: _("Something changed its standing"),
    EXPORTED: _("An export was made"),
}
MINUTE, HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class EventRow:
    pk: int
    number: str
    words: str
    outcome: str
    at: Moment
    tag: Tag | None


@dataclass(frozen=True, slots=True)
class DeadRow:
    """``readable`` ones can be acted on again by this build."""

    pk: int
    title: str
    cause: str
    at: Moment
    digest: str
    tries: str
    readable: bool


@dataclass(frozen=True, slots=True)
class FindingRow:
    pk: int
    path: str
    url: str
    detail: str
    tag: Tag
    found: Moment
    decided: str


def event_row(row: Receipt) -> EventRow:
    states = {
        Receipt.State.WAITING: Tag("waiting", "clock", gettext("Waiting")),
        Receipt.State.DEAD: Tag("failed", "warn", gettext("Set aside")),
        Receipt.State.DISCARDED: Tag("historical", "stop", gettext("Discarded")),
    }
    return EventRow(
        pk=row.pk,
        number=f"{row.sequence:,}" if row.type else "–",
        words=str(KINDS.get(row.type, gettext("An entry of a kind this build does not know"))),
        outcome=visible_line(row.outcome or row.cause),
        at=moment(row.occurred_at or row.received_at),
        tag=_held(row) or states.get(Receipt.State(row.state)),
    )


def _held(row: Receipt) -> Tag | None:
    """Waiting not for its turn, but for a base that cannot be asked about."""
    is_held = row.held_since is not None and row.state == Receipt.State.WAITING
    return Tag("stale", "clock", _since(row)) if is_held else None


def _since(row: Receipt) -> str:
    return gettext("held since {moment}").format(moment=moment(row.held_since).words)


def dead_row(row: Receipt) -> DeadRow:
    tried = ngettext("set aside after %(n)s try", "set aside after %(n)s tries", row.tries) % {"n": row.tries}
    return DeadRow(
        pk=row.pk,
        title=f"{row.sequence:,} {row.type}" if row.type else gettext("An entry that cannot be read"),
        cause=visible_line(row.cause),
        at=moment(row.received_at),
        digest=f"{row.digest[:6]}…{row.digest[-4:]}",
        tries=_since(row) if row.held_since else tried if row.tries else gettext("set aside at once"),
        readable=bool(row.type),
    )


def finding_row(row: Finding, slug: str) -> FindingRow:
    changed = row.kind == Kind.CHANGED
    count = ngettext("%(n)s statement", "%(n)s statements", row.statements) % {"n": f"{row.statements:,}"}
    return FindingRow(
        pk=row.pk,
        path=visible_line(row.path),
        url=reverse("source", args=[slug, row.source_id]),
        detail=count,
        tag=Tag("", "bent", gettext("Changed")) if changed else Tag("", "turning", gettext("New")),
        found=moment(row.found_at),
        decided=visible_line(row.decided_by),
    )


def lag_words(found: Standing | None) -> str:
    """How far behind the feed is known to be, in one glance."""
    if found is None or found.quiet is None:
        return gettext("not read yet")
    if found.follower.failing_since is not None:
        since = moment(found.follower.failing_since).words
        return gettext("not read since {since}").format(since=since)
    behind = max(found.lag, found.quiet if found.quiet > timedelta(minutes=1) else timedelta())
    return gettext("lag {span}").format(span=_span(behind)) if behind >= timedelta(seconds=1) else gettext("up to date")


def _span(length: timedelta) -> str:
    seconds = int(length.total_seconds())
    if seconds < MINUTE:
        return gettext("{n} s").format(n=seconds)
    if seconds < HOUR:
        return gettext("{n} min").format(n=seconds // MINUTE)
    return gettext("{n} h").format(n=seconds // HOUR)
