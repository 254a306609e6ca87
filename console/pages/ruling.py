"""One disagreement: read in one request, ruled bound to what was read, taken back bound to the ruling that was read."""

import json

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.bases.actions import Effort, reopen_conflict, rule_on_conflict
from console.bases.authorities import Authority, contradictory, owners_of
from console.packages.queries import served_lately
from console.pages.authorities import authorities_note, authorities_read, authorities_told
from console.pages.desk import Desk, door
from console.pages.overtaken import overtaken
from console.pages.phrasing import keep_if_asked
from console.pages.review_forms import NoteForm, RulingForm
from console.pages.show.briefing import preview_rows, reach_figures, weight_view
from console.pages.show.choices import ruling_choices
from console.pages.show.conflicts import TWINS, conflict_lead, conflict_row, conflict_title, event_row, ruling_view
from console.pages.show.grounds import grounds
from console.pages.show.looked import looked
from console.pages.show.sides import apart, side_views
from console.pages.show.text import short_digest, visible_line
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.pages.timing import opened_now, presses_told, seconds_since
from console.pages.walk import Walk
from console.phrases.queries import phrases_of
from console.policy import Permission
from console.projects.queries import reviewers_of
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Failure
from knowledge.provider import Decision
from knowledge.records import Conflict
from knowledge.reviewing import Brief, Ruled
from knowledge.vocabulary import ConflictStatus

PAGE = "pages/review/detail.html"
KEPT = _("Your ruling was not saved; your reason is kept below.")


@door(get=Permission.READ_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def conflict(desk: Desk, conflict_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Review"), place="review")
    if desk.request.method == "POST":
        return _rule(desk, conflict_id)
    return _page(desk, conflict_id)


@door(post=Permission.REVIEW_KNOWLEDGE)
def conflict_reopen(desk: Desk, conflict_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Review"), place="review")
    hand, form = desk.require_hand(), NoteForm(desk.request.POST)
    if not form.is_valid():
        return _page(desk, conflict_id, reopen=form, status=422)
    data = form.cleaned_data
    answer = reopen_conflict(
        hand=hand, conflict_id=conflict_id, notes=data["notes"], expected_decision=data["expected_decision"]
    )
    if isinstance(answer, Failed):
        note = failure_note(answer, gettext("The ruling stands as it was."))
        return _page(desk, conflict_id, reopen=form, note=note, status=_status(answer))
    messages.success(desk.request, gettext("Open again. The earlier ruling stays in the trail."))
    return redirect(_address(desk, conflict_id))


def _rule(desk: Desk, conflict_id: str) -> HttpResponse:
    form = RulingForm(desk.request.POST, people=_may_be_asked(desk, conflict_id))
    if not form.is_valid():
        return _page(desk, conflict_id, form=form, status=422)
    data, both = form.cleaned_data, form.action == "both"
    decision = Decision(
        action=form.action,
        actor=desk.user.name,
        actor_key=desk.by.key,
        notes=data["notes"],
        expected_digest=data["digest"],
        side_id=form.side_id,
        discriminator_kind=data["told_apart_by"] if both else "",
        discriminator_value=data["told_apart"] if both else "",
        assignee=data["assignee"] if form.action == "needs_evidence" else "",
    )
    effort = Effort(seconds_since(data["opened"], conflict_id), presses_told(data["presses"]))
    answer = rule_on_conflict(
        hand=desk.require_hand(),
        conflict_id=conflict_id,
        decision=decision,
        effort=effort,
        authorities=_authorities(desk, conflict_id),
    )
    if isinstance(answer, Failed):
        return _refused(desk, conflict_id, form, answer)
    keep_if_asked(desk, form)
    _tell(desk, answer.value)
    return redirect(_onward(desk, conflict_id))


def _refused(desk: Desk, conflict_id: str, form: RulingForm, failed: Failed) -> HttpResponse:
    """Nothing was recorded. What was typed is kept, and the page says what changed meanwhile."""
    if failed.failure is Failure.NOT_FOUND:
        return failed_page(desk, gettext("Review"), failed, place="review")
    if failed.failure is not Failure.CONFLICT:
        return _page(desk, conflict_id, form=form, note=failure_note(failed, KEPT), status=_status(failed))
    found = desk.link.provider.brief(desk.require_scope(), conflict_id, Walk.of(desk.request.GET.dict()).where)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Review"), found, place="review")
    now = found.value.conflict
    rebound = RulingForm(
        {**desk.request.POST.dict(), **_bound_to(now), "authorities": authorities_read(found.value)},
        people=_people(desk, found.value),
    )
    rebound.is_valid()
    note = overtaken(now, desk.request.POST.get("sides", ""), failed)
    return _answer(desk, found.value, form=rebound, note=note, status=409)


def _status(failed: Failed) -> int:
    return {Failure.CONFLICT: 409, Failure.INVALID: 422}.get(failed.failure, 503)


def _tell(desk: Desk, ruled: Ruled) -> None:
    """What was done, with its undo where something took effect; nothing is claimed that was not recorded."""
    about = conflict_title(ruled.conflict)
    if ruled.outcome == "awaiting":
        messages.info(
            desk.request,
            gettext("First look at “{about}” kept. It counts when a second person comes to the same.").format(
                about=about
            ),
        )
        return
    if ruled.outcome == "parted":
        messages.warning(desk.request, f"“{about}”: {visible_line(ruled.message)}")
        return
    view = ruling_view(ruled.conflict)
    slug = desk.require_project().slug
    undo = {
        "url": reverse("conflict-reopen", args=[slug, ruled.conflict.id]) + Walk.of(desk.request.GET.dict()).query(),
        "page": reverse("conflict", args=[slug, ruled.conflict.id]),
        "decision": ruled.decision_id,
        "about": about,
    }
    messages.success(
        desk.request,
        gettext("Ruled: {words}.").format(words=view.words if view else gettext("recorded")),
        extra_tags=json.dumps(undo),
    )


def _onward(desk: Desk, conflict_id: str) -> str:
    """Who walks through the queue goes on to what comes next in it; who came by a link stays."""
    walk, slug = Walk.of(desk.request.GET.dict()), desk.require_project().slug
    if not walk.walking:
        return _address(desk, conflict_id)
    scope = desk.require_scope()
    coming = desk.link.provider.queue(scope, walk.where, after=conflict_id, page_size=1)
    if isinstance(coming, Failed) or not coming.value.items:
        return reverse("review", args=[slug]) + walk.query()
    return reverse("conflict", args=[slug, coming.value.items[0].conflict.id]) + walk.query()


def _address(desk: Desk, conflict_id: str) -> str:
    walk = Walk.of(desk.request.GET.dict())
    url = reverse("conflict", args=[desk.require_project().slug, conflict_id])
    return url + (walk.query() if walk.walking else "")


def _bound_to(conflict: Conflict) -> dict[str, str]:
    return {
        "digest": conflict.digest,
        "sides": ",".join(f"{side.id}={side.digest}" for side in conflict.sides),
    }


def _read_with(brief: Brief) -> dict[str, str]:
    return {"opened": opened_now(brief.conflict.id), "authorities": authorities_read(brief)}


def _people(desk: Desk, brief: Brief | None = None) -> list[str]:
    """Who may be asked for evidence: members who may rule, and the owners of governing documents that disagree."""
    reviewers = reviewers_of(desk.require_project())
    owners = owners_of(contradictory(brief)) if brief else ()
    return [*reviewers, *(each for each in owners if each not in reviewers)]


def _may_be_asked(desk: Desk, conflict_id: str) -> list[str]:
    told = _authorities(desk, conflict_id)
    reviewers = reviewers_of(desk.require_project())
    return [*reviewers, *(each for each in owners_of(told or ()) if each not in reviewers)]


def _authorities(desk: Desk, conflict_id: str) -> tuple[Authority, ...] | None:
    sent = desk.request.POST
    return authorities_told(sent.get("authorities", ""), conflict_id, sent.get("digest", ""))


def _page(
    desk: Desk,
    conflict_id: str,
    *,
    form: RulingForm | None = None,
    reopen: NoteForm | None = None,
    note: Note | None = None,
    status: int = 200,
) -> HttpResponse:
    where = Walk.of(desk.request.GET.dict()).where
    found = desk.link.provider.brief(desk.require_scope(), conflict_id, where)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Review"), found, place="review")
    return _answer(desk, found.value, form=form, reopen=reopen, note=note, status=status)


def _answer(
    desk: Desk,
    brief: Brief,
    *,
    form: RulingForm | None = None,
    reopen: NoteForm | None = None,
    note: Note | None = None,
    status: int = 200,
) -> HttpResponse:
    found = brief.conflict
    is_open, may_rule = found.status is ConflictStatus.OPEN, desk.may(Permission.REVIEW_KNOWLEDGE)
    form = form or RulingForm(initial={**_bound_to(found), **_read_with(brief)}, people=_people(desk, brief))
    sides = side_views(brief, desk.require_project().slug)
    context = {
        **_reading(desk, brief),
        "sides": sides,
        "pair": len(sides) == 2,
        "choices": ruling_choices(sides, str(form["ruling"].value() or ""), twins=found.type == TWINS),
        "form": form if is_open and may_rule else None,
        "kept_notes": form["notes"].value() if not is_open and form.is_bound else "",
        "reopen": (reopen or NoteForm(initial={"expected_decision": brief.decision_id}))
        if not is_open and may_rule and brief.decision_id
        else None,
        "note": note,
        "authorities": authorities_note(brief),
        "mine_first": bool(brief.awaits_second) and brief.awaits_second == desk.user.name,
    }
    return desk.answer(PAGE, context, status=status)


def _reading(desk: Desk, brief: Brief) -> dict[str, object]:
    """All of the page that does not depend on who reads it."""
    found, slug = brief.conflict, desk.require_project().slug
    walk = Walk.of(desk.request.GET.dict())
    is_open = found.status is ConflictStatus.OPEN
    return {
        "conflict": conflict_row(found, slug),
        "title": conflict_title(found),
        "lead": conflict_lead(found),
        "attribute": "" if found.type == TWINS else visible_line(found.attribute_key.replace("|", " | ")),
        "apart": apart(found),
        "digest": short_digest(found.digest),
        "suggestion": visible_line(found.suggestion.reason) if found.suggestion and is_open else "",
        "ruling": ruling_view(found),
        "trail": [event_row(each, slug) for each in brief.trail],
        "is_open": is_open,
        "grounds": grounds(found),
        "looked": looked(desk.link.base),
        "weight": weight_view(brief.weight),
        "previews": preview_rows(brief.previews, found),
        "figures": reach_figures(brief.reach, served_lately(desk.require_scope().base_id, list(found.statement_ids))),
        "place": brief.place,
        "walk": walk,
        "before_url": _neighbour(slug, brief.place.before, walk),
        "after_url": _neighbour(slug, brief.place.after, walk),
        "phrases": phrases_of(desk.user, desk.require_project()),
        "awaits_second": visible_line(brief.awaits_second),
        "second_look": brief.second_look,
    }


def _neighbour(slug: str, conflict_id: str, walk: Walk) -> str:
    return reverse("conflict", args=[slug, conflict_id]) + walk.query() if conflict_id else ""
