"""Missions as their pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from console.missions.models import Attempt, AttemptState, Mission, MissionState, Result
from console.pages.show.labels import Tag
from console.pages.show.packages import FINDINGS, PackageRow, package_row
from console.pages.show.text import short_id, visible, visible_line
from console.pages.show.times import Moment, moment, size
from console.tokens.models import ToolCall
from console.wording import gettext_lazy as _
from console.wording import plural

STATES = {
    MissionState.QUEUED: ("waiting", "clock", _("Queued")),
    MissionState.CLAIMED: ("running", "turning", _("Worked on")),
    MissionState.DONE: ("done", "tick", _("Done")),
    MissionState.FAILED: ("failed", "cross", _("Failed")),
    MissionState.CANCELLED: ("historical", "stop", _("Cancelled")),
}
TRIES = {
    AttemptState.WORKING: ("running", "turning", _("Working")),
    AttemptState.LAPSED: ("stale", "clock", _("Fell silent")),
    AttemptState.DONE: ("done", "tick", _("Handed in")),
    AttemptState.FAILED: ("failed", "cross", _("Gave up")),
    AttemptState.CANCELLED: ("historical", "stop", _("Cancelled")),
}
ACTIONS = {"answer": _("Answer"), "study": _("Study")}


@dataclass(frozen=True, slots=True)
class MissionRow:
    key: str
    short: str
    url: str
    title: str
    action: str
    about: str
    tag: Tag
    made_by: str
    made: Moment
    worker: str
    lease: Moment
    is_overdue: bool
    tries: str
    spent: str
    ended: Moment
    cause: str
    general: bool


@dataclass(frozen=True, slots=True)
class Spending:
    name: str
    spent: str
    budget: str
    is_spent: bool


@dataclass(frozen=True, slots=True)
class AttemptRow:
    number: str
    agent: str
    worker: str
    tag: Tag
    claimed: Moment
    renewed: Moment
    until: Moment
    ended: Moment
    is_working: bool


@dataclass(frozen=True, slots=True)
class ResultView:
    """``text`` is empty where it may not be shown; ``gone`` says why in words."""

    tag: Tag
    agent: str
    at: Moment
    lines: tuple[str, ...]
    gone: str
    check: Tag
    check_words: str
    findings: tuple[tuple[str, str, str], ...]
    packages: tuple[PackageRow, ...]
    is_answer: bool


def mission_row(row: Mission, slug: str) -> MissionRow:
    key, icon, words = STATES[MissionState(row.state)]
    working = next((each for each in row.attempts.all() if each.state == AttemptState.WORKING), None)
    return MissionRow(
        key=row.key,
        short=short_id(row.key, 14),
        url=reverse("mission", args=[slug, row.key]),
        title=visible_line(row.title),
        action=str(ACTIONS.get(row.action, row.action)),
        about=_about(row),
        tag=Tag(key, icon, str(words)),
        made_by=visible_line(row.made_by),
        made=moment(row.made_at),
        worker=visible_line(str(working.token)) if working else "",
        lease=moment(working.lease_until if working else None),
        is_overdue=working is not None and working.lease_until <= timezone.now(),
        tries=gettext("{tries} of {most}").format(tries=row.tries, most=row.most_tries),
        spent=gettext("{spent} of {budget}").format(
            spent=f"{row.calls_spent:,}", budget=plural(row.calls_budget, "call", "calls")
        ),
        ended=moment(row.ended_at),
        cause=visible_line(row.cause),
        general=row.band == "general",
    )


def spending(row: Mission) -> list[Spending]:
    told = (
        (gettext("Calls"), row.calls_spent, row.calls_budget),
        (gettext("Statements"), row.facts_spent, row.facts_budget),
    )
    rows = [Spending(name, f"{spent:,}", f"{most:,}", spent >= most) for name, spent, most in told]
    over = row.bytes_spent >= row.bytes_budget
    return [*rows, Spending(gettext("Bytes"), size(row.bytes_spent), size(row.bytes_budget), over)]


def attempt_rows(row: Mission) -> list[AttemptRow]:
    return [_attempt(number, each) for number, each in enumerate(row.attempts.all(), 1)]


def result_view(row: Result, slug: str, *, is_held: bool) -> ResultView:
    is_done = row.outcome == "done"
    check, words = _check(row)
    may_show = is_held and row.purged_at is None
    return ResultView(
        tag=Tag("done", "tick", gettext("Answered")) if is_done else Tag("failed", "cross", gettext("Gave up")),
        agent=visible_line(str(row.attempt.token)),
        at=moment(row.at),
        lines=tuple(visible(row.text).splitlines()) if may_show else (),
        gone="" if may_show else _gone(row),
        check=check,
        check_words=words,
        findings=_findings(row) if may_show else (),
        packages=tuple(package_row(each, slug) for each in row.packages.all()),
        is_answer=is_done,
    )


def _findings(row: Result) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (str(FINDINGS.get(each["kind"], each["kind"])), visible_line(each["what"]), visible_line(each["sentence"]))
        for each in row.findings
    )


def _gone(row: Result) -> str:
    if row.purged_at:
        return gettext("Emptied {at}: a document it rests on was deleted.").format(at=moment(row.purged_at).words)
    return gettext("Something it rests on is withheld or can no longer be found. It comes back when that does.")


def _check(row: Result) -> tuple[Tag, str]:
    if not row.is_checked:
        return Tag("unknown", "question", gettext("Not grounded")), gettext("it came without a package")
    if row.holds:
        words = plural(row.cited, "statement cited", "statements cited")
        return Tag("done", "tick", gettext("Citations hold")), words
    words = plural(row.finding_count, "finding", "findings") if row.finding_count else gettext("nothing was cited")
    return Tag("failed", "cross", gettext("Citations fail")), words


def _attempt(number: int, row: Attempt) -> AttemptRow:
    key, icon, words = TRIES[AttemptState(row.state)]
    return AttemptRow(
        number=str(number),
        agent=visible_line(str(row.token)),
        worker=visible_line(row.worker),
        tag=Tag(key, icon, str(words)),
        claimed=moment(row.claimed_at),
        renewed=moment(row.renewed_at),
        until=moment(row.lease_until),
        ended=moment(row.ended_at),
        is_working=row.state == AttemptState.WORKING,
    )


def _about(row: Mission) -> str:
    told: Sequence[str] = row.questions or row.documents
    first = visible_line(told[0]) if told else ""
    more = len(told) - 1
    return first if more < 1 else gettext("{first}, and {more} more").format(first=first, more=more)


@dataclass(frozen=True, slots=True)
class CallRow:
    """``outcome`` is the code of a refusal or an abstention, or that it was answered."""

    tool: str
    agent: str
    at: Moment
    outcome: str
    request_id: str


def call_rows(calls: Sequence[ToolCall]) -> tuple[CallRow, ...]:
    return tuple(
        CallRow(
            tool=each.tool,
            agent=str(each.token),
            at=moment(each.at),
            outcome=each.failure or each.abstained or gettext("answered"),
            request_id=visible_line(each.request_id),
        )
        for each in calls
    )
