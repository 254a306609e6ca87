"""Packages as pages show them: what was handed out to whom, what of it stands, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from console.packages.models import CitationCheck, Correction, Outcome, Package
from console.pages.show.labels import Tag
from console.pages.show.text import short_digest, short_id, visible_line
from console.pages.show.times import Moment, moment, size
from knowledge.tools.standing import Verdict

KINDS = {"context": gettext_lazy("Context"), "admission": gettext_lazy("Admission")}
STATUSES = {
    "admitted": gettext_lazy("admitted"),
    "partial": gettext_lazy("admitted in part"),
    "no_evidence": gettext_lazy("without evidence"),
    "refused": gettext_lazy("refused"),
}
OUTCOMES = {
    "answered": gettext_lazy("Answered"),
    "consumer_unavailable": gettext_lazy("Consumer not reached"),
    "consumer_failed": gettext_lazy("Consumer failed"),
    "malformed": gettext_lazy("Answer malformed"),
    "unverified": gettext_lazy("Answer not verified"),
}
FINDINGS = {
    "never_admitted": gettext_lazy("cites what was never given"),
    "quote_differs": gettext_lazy("quotes other words"),
    "number_differs": gettext_lazy("another number"),
    "date_differs": gettext_lazy("another day"),
    "name_unknown": gettext_lazy("a name nobody gave"),
    "support_raised": gettext_lazy("surer than its source"),
    "denial_differs": gettext_lazy("says yes for no, or no for yes"),
    "one_side_only": gettext_lazy("one side of a dispute alone"),
    "unresolved_used": gettext_lazy("rests on text nobody could locate"),
}
CAUSES = {
    "ruling": gettext_lazy("a ruling"),
    "undo": gettext_lazy("an undo"),
    "lifecycle": gettext_lazy("a step of a document"),
}
type Words = str | Promise
_STANDINGS: dict[str, tuple[str, str, Words]] = {
    "holds": ("current", "tick", gettext_lazy("Holds")),
    "contested": ("disputed", "neq", gettext_lazy("Contested")),
    "superseded": ("superseded", "bent", gettext_lazy("Superseded")),
    "unavailable": ("withheld", "lock", gettext_lazy("Withdrawn or gone")),
    "": ("waiting", "clock", gettext_lazy("Not checked since")),
}
WORST = ("unavailable", "superseded", "contested", "holds")


@dataclass(frozen=True, slots=True)
class PackageRow:
    key: str
    short: str
    url: str
    kind: str
    agent: str
    at: Moment
    statements: str
    attempt: str
    size: str
    standing: Tag
    checked: Moment
    outcome: str


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A statement that a package holds, with what became of it."""

    id: str
    url: str
    told: Tag
    now: Tag
    successor: str
    successor_url: str
    places: str


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    words: str
    at: Moment
    grounding: str
    raw: str


@dataclass(frozen=True, slots=True)
class CheckRow:
    tag: Tag
    at: Moment
    words: str
    findings: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    statement: str
    url: str
    tag: Tag
    at: Moment
    cause: str


def package_row(row: Package, slug: str, outcome: str = "") -> PackageRow:
    return PackageRow(
        key=row.key,
        short=short_id(row.key, 14),
        url=reverse("package", args=[slug, row.key]),
        kind=kind_words(row),
        agent=visible_line(str(row.token)),
        at=moment(row.at),
        statements=f"{row.statement_count:,}",
        attempt=visible_line(row.attempt),
        size=size(row.size),
        standing=standing_tag(row.standing),
        checked=moment(row.checked_at),
        outcome=str(OUTCOMES.get(outcome, outcome)),
    )


def kind_words(row: Package) -> str:
    kind = str(KINDS.get(row.kind, row.kind))
    return f"{kind}, {STATUSES.get(row.status, row.status)}" if row.status else kind


def standing_tag(standing: str) -> Tag:
    key, icon, words = _STANDINGS.get(standing, _STANDINGS["unavailable"])
    return Tag(key, icon, str(words))


def worst_of(verdicts: Sequence[Verdict]) -> str:
    """The one a reader has to know first; a package that holds nothing holds."""
    return next((word for word in WORST if any(each.word == word for each in verdicts)), "holds")


def held_rows(package: Package, verdicts: Sequence[Verdict], slug: str) -> list[HeldRow]:
    """One row a statement, in the order of the package; a single place that is gone takes it down."""
    by_statement: dict[str, list[tuple[str, Verdict]]] = {}
    for quote, verdict in zip(package.quotes.all(), verdicts, strict=True):
        by_statement.setdefault(quote.statement_id, []).append((quote.standing, verdict))
    return [_held(key, told, slug) for key, told in by_statement.items()]


def outcome_rows(rows: Sequence[Outcome], *, is_held: bool) -> list[OutcomeRow]:
    """What a consumer said repeats what it was given, and is shown only where that may be."""
    return [
        OutcomeRow(
            words=str(OUTCOMES.get(each.outcome, each.outcome)),
            at=moment(each.at),
            grounding=_grounding(each),
            raw=each.raw if is_held else "",
        )
        for each in rows
    ]


def check_rows(rows: Sequence[CitationCheck], *, is_held: bool) -> list[CheckRow]:
    """Latest first; the words of findings only where those of the package may be shown."""
    return [_check(each, is_held=is_held) for each in reversed(rows)]


def correction_rows(rows: Sequence[Correction], slug: str) -> list[CorrectionRow]:
    return [
        CorrectionRow(
            statement=each.statement_id,
            url=reverse("statement", args=[slug, each.statement_id]),
            tag=standing_tag(each.standing),
            at=moment(each.at),
            cause=str(CAUSES.get(each.cause, each.cause)),
        )
        for each in rows
    ]


def digest_words(digest: str) -> str:
    return short_digest(digest)


def _held(key: str, told: list[tuple[str, Verdict]], slug: str) -> HeldRow:
    verdicts = [verdict for _standing, verdict in told]
    now = worst_of(verdicts)
    successor = next((each.successor for each in verdicts if each.word == now), "")
    was = "superseded" if told[0][0] == "past" else told[0][0]
    count = len(told)
    return HeldRow(
        id=key,
        url=reverse("statement", args=[slug, key]),
        told=standing_tag(was),
        now=standing_tag(now),
        successor=successor,
        successor_url=reverse("statement", args=[slug, successor]) if successor else "",
        places=ngettext("%(n)s place", "%(n)s places", count) % {"n": f"{count:,}"},
    )


def _grounding(row: Outcome) -> str:
    if row.outcome != "answered":
        return ""
    return gettext("on admitted evidence") if row.grounded else gettext("not grounded")


def _check(row: CitationCheck, *, is_held: bool) -> CheckRow:
    count = row.finding_count
    if row.holds:
        tag, words = Tag("done", "tick", gettext("Held")), _cited(row)
    elif count:
        tag = Tag("failed", "cross", gettext("Failed"))
        words = ngettext("%(n)s finding", "%(n)s findings", count) % {"n": f"{count:,}"}
    else:
        tag, words = Tag("failed", "cross", gettext("Failed")), gettext("nothing was cited")
    findings = tuple(
        (str(FINDINGS.get(each["kind"], each["kind"])), visible_line(each["what"]), visible_line(each["sentence"]))
        for each in (row.findings if is_held else ())
    )
    return CheckRow(tag, moment(row.at), words, findings)


def _cited(row: CitationCheck) -> str:
    return ngettext("%(n)s statement cited", "%(n)s statements cited", row.cited) % {"n": f"{row.cited:,}"}
