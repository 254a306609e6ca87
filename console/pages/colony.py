"""Colony: what the engine told of this base, what could not be acted on, and which documents wait to be studied."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from console.connection.actions import store_settings
from console.env import Origin
from console.feed.actions import discard, replay
from console.feed.models import Receipt
from console.feed.queries import dead_letters, find_dead, receipts_of, standing
from console.gaps.queries import gap_counts
from console.pages.desk import Desk, door
from console.pages.forms import area
from console.pages.show.colony import dead_row, event_row, finding_row, lag_words
from console.pages.show.times import moment
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from console.study.actions import Mode, Queue, decide, look_through
from console.study.models import Decision
from console.study.modes import missions_for, mode_of
from console.study.queries import chosen_findings, finding_counts, findings_of, last_pass
from console.wording import gettext_lazy as _
from knowledge.failures import Failed

PAGE = "pages/colony/overview.html"
EVENTS, DEAD, FINDINGS = 20, 20, 100
PARTS = {
    Decision.OPEN: _("Waiting"),
    Decision.STUDY: _("To be studied"),
    Decision.NOT_NOW: _("Not now"),
}
MODES = {Mode.OFF: _("Off"), Mode.SUGGEST: _("Suggest"), Mode.ON: _("On")}


class DiscardForm(forms.Form):
    note = forms.CharField(
        label=_("Why it needs no acting on"),
        max_length=500,
        widget=area(),
        error_messages={"required": _("Say why, so that the next person need not ask.")},
    )


@door(get=Permission.READ_KNOWLEDGE)
def colony(desk: Desk) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Colony"), place="colony")
    return colony_page(desk)


@door(post=Permission.MANAGE_KNOWLEDGE)
def feed_retry(desk: Desk, pk: str) -> HttpResponse:
    found = _dead(desk, int(pk))
    if replay(by=desk.by, receipt=found):
        messages.success(desk.request, gettext("It waits to be acted on again."))
    else:
        messages.warning(desk.request, gettext("This build still cannot read it, or somebody decided meanwhile."))
    return redirect("colony", desk.require_project().slug)


@door(post=Permission.MANAGE_KNOWLEDGE)
def feed_discard(desk: Desk, pk: str) -> HttpResponse:
    found = _dead(desk, int(pk))
    form = DiscardForm(desk.request.POST, auto_id=f"id_{found.pk}_%s")
    if not form.is_valid():
        return colony_page(desk, wrong=(found.pk, form), status=422)
    if discard(by=desk.by, receipt=found, note=form.cleaned_data["note"]):
        messages.success(desk.request, gettext("Discarded. Its digest and your note stay."))
    else:
        messages.warning(desk.request, gettext("Somebody decided about it meanwhile. Nothing was changed."))
    return redirect("colony", desk.require_project().slug)


@door(post=Permission.MANAGE_KNOWLEDGE)
def study_look(desk: Desk) -> HttpResponse:
    """The same pass as the timer's, now; it only files, whatever the setting says."""
    link, project = desk.link, desk.require_project()
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Colony"), place="colony")
    done = look_through(
        scope=link.scope,
        provider=link.provider,
        mode=Mode.SUGGEST,
        by=desk.by,
        project=project,
        queue=_queue(desk),
    )
    if isinstance(done, Failed):
        return failed_page(desk, gettext("Colony"), done, place="colony")
    told = ngettext("%(n)s document to study was found.", "%(n)s documents to study were found.", done.value)
    messages.success(desk.request, told % {"n": done.value})
    return redirect("colony", project.slug)


@door(post=Permission.MANAGE_KNOWLEDGE)
def study_decide(desk: Desk) -> HttpResponse:
    """Exactly the chosen rows; those decided meanwhile are told apart."""
    link, project = desk.link, desk.require_project()
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Colony"), place="colony")
    posted = desk.request.POST
    asked = posted.get("decision", "")
    keys = [int(each) for each in posted.getlist("finding") if each.isdecimal() and len(each) < 19]
    chosen = chosen_findings(link.scope.base_id, keys)
    if asked not in (Decision.STUDY, Decision.NOT_NOW) or not chosen:
        messages.warning(desk.request, gettext("Choose at least one document first. Nothing was decided."))
        return redirect("colony", project.slug)
    done = decide(by=desk.by, project=project, findings=chosen, decision=Decision(asked), queue=_queue(desk))
    told = ngettext("%(n)s document decided.", "%(n)s documents decided.", len(done)) % {"n": len(done)}
    late = len(chosen) - len(done)
    if late:
        beside = ngettext("%(n)s was decided before.", "%(n)s were decided before.", late) % {"n": late}
        messages.warning(desk.request, f"{told} {beside}")
    else:
        messages.success(desk.request, told)
    return redirect("colony", project.slug)


@door(post=Permission.MANAGE_SETTINGS)
def study_mode(desk: Desk) -> HttpResponse:
    asked = desk.request.POST.get("mode", "")
    refused = store_settings(by=desk.by, changes={"auto_study": asked})
    if refused:
        messages.warning(desk.request, gettext("{why} Nothing was changed.").format(why=" ".join(refused.values())))
    else:
        messages.success(desk.request, gettext("Set. It holds from the next look on."))
    return redirect("colony", desk.require_project().slug)


def colony_page(desk: Desk, *, wrong: tuple[int, DiscardForm] | None = None, status: int = 200) -> HttpResponse:
    """``wrong`` is the note that was not taken, with the dead letter it is about."""
    link, project = desk.link, desk.require_project()
    if link.scope is None or link.engine is None:
        raise Http404
    base_id = link.scope.base_id
    asked = desk.request.GET.get("findings", "")
    part = Decision(asked) if asked in Decision.values else Decision.OPEN
    counts = finding_counts(base_id)
    followed = standing(link.engine.instance_id)
    may_manage = desk.may(Permission.MANAGE_KNOWLEDGE)
    everything = desk.may(Permission.MANAGE_SETTINGS)
    dead = receipts_of(base_id, with_unreadable=everything, states=(Receipt.State.DEAD,), most=DEAD)
    events = receipts_of(base_id, with_unreadable=False, states=(), most=EVENTS)
    page = reverse("colony", args=[project.slug])
    context = {
        "lag": lag_words(followed),
        "followed": followed,
        "resynchronised": moment(followed.follower.resynchronised_at) if followed else None,
        "events": [event_row(each) for each in events],
        "dead": [(dead_row(each), _form(each.pk, wrong) if may_manage else None) for each in dead],
        "dead_count": dead_letters(base_id, with_unreadable=everything),
        "wrong": wrong[0] if wrong else None,
        "findings": [finding_row(each, project.slug) for each in findings_of(base_id, part)[:FINDINGS]],
        "beyond": max(0, counts[part.value] - FINDINGS),
        "part": part.value,
        "parts": [
            {
                "words": words,
                "url": f"{page}?findings={each.value}#findings",
                "count": counts[each.value],
                "current": each is part,
            }
            for each, words in PARTS.items()
        ],
        "waiting": counts[Decision.OPEN.value],
        "gaps": gap_counts(project, base_id)["open"],
        "may_manage": may_manage,
        "tab": "colony",
        **_study(desk, base_id),
    }
    return desk.answer(PAGE, context, status=status)


def _study(desk: Desk, base_id: str) -> dict[str, object]:
    settings = desk.link.settings
    mode, last = mode_of(settings), last_pass(base_id)
    after = timedelta(hours=settings.study_interval_hours)
    pinned = settings.values.origin("auto_study") in (Origin.ENVIRONMENT, Origin.FILE)
    return {
        "modes": [{"value": each.value, "words": words, "current": each is mode} for each, words in MODES.items()],
        "mode": mode.value,
        "may_set": desk.may(Permission.MANAGE_SETTINGS) and not pinned,
        "pinned": pinned,
        "last": moment(last.at) if last else None,
        "filed": last.filed if last else 0,
        "next": moment(last.at + after) if last and mode is not Mode.OFF else None,
    }


def _queue(desk: Desk) -> Queue:
    link = desk.link
    if link.scope is None or link.engine is None:
        raise Http404
    return missions_for(
        by=desk.by,
        project=desk.require_project(),
        instance_id=link.engine.instance_id,
        base_id=link.scope.base_id,
    )


def _dead(desk: Desk, pk: int) -> Receipt:
    """One of this base; entries that name none are for administrators."""
    link = desk.link
    if not link.readable or link.scope is None:
        raise Http404
    found = find_dead(link.scope.base_id, pk, with_unreadable=desk.may(Permission.MANAGE_SETTINGS))
    if found is None:
        raise Http404
    return found


def _form(pk: int, wrong: tuple[int, DiscardForm] | None) -> DiscardForm:
    if wrong is not None and wrong[0] == pk:
        return wrong[1]
    return DiscardForm(auto_id=f"id_{pk}_%s")
