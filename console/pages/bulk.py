"""One ruling for many: exactly the rows that were picked, each by id and digest, each told what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.bases.actions import rule_on_each
from console.pages.desk import Desk, door
from console.pages.phrasing import keep_if_asked
from console.pages.review_forms import BulkForm
from console.pages.show.choices import bulk_choices
from console.pages.show.conflicts import ConflictRow, conflict_row, ruling_view
from console.pages.show.differences import LETTERS
from console.pages.show.text import visible_line
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.pages.walk import Walk
from console.phrases.queries import phrases_of
from console.policy import Permission
from console.projects.queries import reviewers_of
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.failures import Failed, Ok
from knowledge.provider import BulkItem, Decision
from knowledge.records import Conflict
from knowledge.reviewing import RulingOutcome
from knowledge.vocabulary import ConflictStatus

PAGE = "pages/review/bulk.html"
DONE = "pages/review/bulk_done.html"
MOST = 100
OUTCOMES_OF = "ruled_each"
OUTCOMES = {
    "recorded": ("done", "tick", _("Recorded")),
    "awaiting": ("waiting", "clock", _("First look kept")),
    "parted": ("open", "neq", _("Two looks differ")),
    "refused": ("failed", "stop", _("Not recorded")),
}


@dataclass(frozen=True, slots=True)
class Picked:
    """A row as it was picked; ``why_not`` says why it is left out now."""

    row: ConflictRow
    sides: tuple[tuple[str, str], ...]
    why_not: str


@dataclass(frozen=True, slots=True)
class Told:
    row: ConflictRow | None
    id: str
    state: str
    icon: str
    words: str
    message: str
    decision: str


@door(get=Permission.REVIEW_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def bulk(desk: Desk) -> HttpResponse:
    """The first post shows what was picked, the one with ``record`` rules on exactly that, a get tells of it once."""
    link, post = desk.link, desk.request.POST
    if not link.readable:
        return unreadable(desk, gettext("Review"), place="review")
    if desk.request.method != "POST":
        return _done(desk)
    asked = _asked(post.getlist("pick"))
    if not asked:
        return redirect(_back(desk))
    found = link.provider.queued(desk.require_scope(), list(asked))
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Review"), found, place="review")
    known = {each.conflict.id: each.conflict for each in found.value.items}
    if "record" not in post:
        return _page(desk, asked, known, BulkForm(people=_people(desk)))
    form = BulkForm(post, people=_people(desk))
    if not form.is_valid():
        return _page(desk, asked, known, form, status=422)
    return _record(desk, asked, known, form)


def _record(desk: Desk, asked: Mapping[str, str], known: Mapping[str, Conflict], form: BulkForm) -> HttpResponse:
    data, both = form.cleaned_data, form.action == "both"
    items = [BulkItem(one, digest, _side(known.get(one), form.letter)) for one, digest in asked.items()]
    decision = Decision(
        action=form.action,
        actor=desk.user.name,
        actor_key=desk.by.key,
        notes=data["notes"],
        expected_digest="",
        discriminator_kind=data["told_apart_by"] if both else "",
        discriminator_value=data["told_apart"] if both else "",
        assignee=data["assignee"] if form.action == "needs_evidence" else "",
    )
    answer = rule_on_each(hand=desk.require_hand(), items=items, decision=decision)
    if isinstance(answer, Failed):
        note = failure_note(answer, gettext("Nothing was recorded; your reason is kept below."))
        return _page(desk, asked, known, form, note=note, status=503)
    keep_if_asked(desk, form)
    slug = desk.require_project().slug
    desk.request.session[OUTCOMES_OF] = {"project": slug, "rows": [astuple(each) for each in answer.value]}
    return redirect(reverse("review-bulk", args=[slug]) + Walk.of(desk.request.GET.dict()).query())


def _done(desk: Desk) -> HttpResponse:
    """What became of each of the last list, told once; then the way leads back to the queue."""
    slug, kept = desk.require_project().slug, desk.request.session.pop(OUTCOMES_OF, None)
    if not kept or kept["project"] != slug:
        return redirect(_back(desk))
    outcomes = [RulingOutcome(*row) for row in kept["rows"]]
    found = desk.link.provider.queued(desk.require_scope(), [each.conflict_id for each in outcomes])
    known = {each.conflict.id: each.conflict for each in found.value.items} if isinstance(found, Ok) else {}
    done = sum(each.outcome == "recorded" for each in outcomes)
    context = {
        "told": [_told(each, known.get(each.conflict_id), slug) for each in outcomes],
        "heading": gettext("{done:,} of {count} recorded").format(
            done=done, count=plural(len(outcomes), "ruling", "rulings")
        ),
        "back": _back(desk),
        "slug": slug,
    }
    return desk.answer(DONE, context)


def _page(
    desk: Desk,
    asked: Mapping[str, str],
    known: Mapping[str, Conflict],
    form: BulkForm,
    *,
    note: Note | None = None,
    status: int = 200,
) -> HttpResponse:
    slug = desk.require_project().slug
    picked = [_picked(known[one], digest, slug) for one, digest in asked.items() if one in known]
    taken = [each for each in picked if not each.why_not]
    letters = min((len(each.sides) for each in taken), default=0)
    context = {
        "picked": picked,
        "gone": len(asked) - len(picked),
        "taken": taken,
        "heading": gettext("Rule on {count}").format(count=plural(len(taken), "disagreement", "disagreements")),
        "statements": sum(len(known[each.row.id].statement_ids) for each in taken),
        "form": form if taken else None,
        "choices": bulk_choices(letters, str(form["ruling"].value() or "")),
        "phrases": phrases_of(desk.user, desk.require_project()),
        "note": note,
        "back": _back(desk),
        "walk": Walk.of(desk.request.GET.dict()),
    }
    return desk.answer(PAGE, context, status=status)


def _asked(picks: Sequence[str]) -> dict[str, str]:
    """Id to digest, as the rows were listed."""
    pairs = (pick.partition("=")[::2] for pick in picks[:MOST])
    return {one: digest for one, digest in pairs if one and digest}


def _picked(now: Conflict, digest: str, slug: str) -> Picked:
    row = conflict_row(now, slug)
    return Picked(row, tuple(zip(LETTERS, row.values, strict=False)), _why_not(now, digest))


def _why_not(now: Conflict, digest: str) -> str:
    ruling = ruling_view(now)
    if now.status is not ConflictStatus.OPEN:
        return (
            gettext("{actor} recorded {words} {words_2}.").format(
                actor=ruling.actor, words=ruling.words, words_2=ruling.at.words
            )
            if ruling
            else gettext("It is not open any more.")
        )
    return "" if now.digest == digest else gettext("Its sides changed since you listed it. Read it on its own page.")


def _side(now: Conflict | None, letter: str) -> str:
    """The side a letter means: only where the listed digest still holds does the engine take it."""
    at = LETTERS.find(letter) if letter else -1
    return now.sides[at].id if now is not None and 0 <= at < len(now.sides) else ""


def _told(outcome: RulingOutcome, known: Conflict | None, slug: str) -> Told:
    state, icon, words = OUTCOMES.get(outcome.outcome, OUTCOMES["refused"])
    row = conflict_row(known, slug) if known else None
    return Told(row, outcome.conflict_id, state, icon, words, visible_line(outcome.message), outcome.decision_id)


def _people(desk: Desk) -> list[str]:
    return reviewers_of(desk.require_project())


def _back(desk: Desk) -> str:
    return reverse("review", args=[desk.require_project().slug]) + Walk.of(desk.request.GET.dict()).query()
