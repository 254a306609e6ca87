"""Work for agents: the queue, one mission with its tries and its result, making and cancelling."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.missions.actions import Queued, Wanted, asked_of, cancel_mission, document_as_it_is, queue_mission
from console.missions.leasing import release_overdue
from console.missions.models import Action, Mission, MissionState, Result
from console.missions.queries import find_mission, mission_counts, missions_of, results_of
from console.packages.keeper import TokenPackages, package_of
from console.pages.desk import Desk, door
from console.pages.mission_forms import MissionForm
from console.pages.show.missions import attempt_rows, call_rows, mission_row, result_view, spending
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.policy import Permission
from console.tokens.queries import calls_for
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Ok, Outcome
from knowledge.records import Source
from knowledge.tools.standing import still_readable
from knowledge.vocabulary import Band

LIST, PAGE = "pages/colony/missions.html", "pages/colony/mission.html"
SHOWN = 100
CALLS_SHOWN = 20
OFFERED = 50
PARTS = {
    "open": (_("To do"), (MissionState.QUEUED, MissionState.CLAIMED)),
    "done": (_("Done"), (MissionState.DONE,)),
    "ended": (_("Failed or cancelled"), (MissionState.FAILED, MissionState.CANCELLED)),
}


@door(get=Permission.READ_KNOWLEDGE, post=Permission.MANAGE_KNOWLEDGE)
def missions(desk: Desk) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Missions"), place="colony")
    if desk.request.method != "POST":
        return _list(desk, MissionForm(offered=_offered(desk)))
    form = MissionForm(desk.request.POST, offered=_offered(desk))
    if not form.is_valid():
        return _list(desk, form, status=422)
    found = _sources(desk, form.cleaned_data["documents"])
    if isinstance(found, Failed):
        return _list(desk, form, note=failure_note(found, gettext("Nothing was queued.")), status=503)
    unknown = [path for path in form.cleaned_data["documents"] if path not in found.value]
    if unknown:
        form.add_error("documents", gettext("No such document: {path}").format(path=unknown[0]))
        return _list(desk, form, status=422)
    return _queued(desk, [_queue(desk, form, wanted) for wanted in _wanted(desk, form, found.value)])


@door(get=Permission.READ_KNOWLEDGE)
def mission(desk: Desk, mission_key: str) -> HttpResponse:
    found = _found(desk, mission_key)
    if isinstance(found, HttpResponse):
        return found
    results = []
    for each in results_of(found):
        held = _is_held(desk, each)
        if isinstance(held, Failed):
            return failed_page(desk, gettext("Mission"), held, place="colony")
        results.append(result_view(each, desk.require_project().slug, is_held=held.value))
    is_live = found.state in (MissionState.QUEUED, MissionState.CLAIMED)
    context = {
        "row": mission_row(found, desk.require_project().slug),
        "questions": found.questions,
        "documents": found.documents,
        "spending": spending(found),
        "attempts": attempt_rows(found),
        "results": results,
        "calls": call_rows(calls_for(found.key, CALLS_SHOWN)),
        "may_cancel": is_live and desk.may(Permission.MANAGE_KNOWLEDGE),
        "tab": "missions",
    }
    return desk.answer(PAGE, context)


@door(post=Permission.MANAGE_KNOWLEDGE)
def mission_cancel(desk: Desk, mission_key: str) -> HttpResponse:
    found = _found(desk, mission_key)
    if isinstance(found, HttpResponse):
        return found
    if cancel_mission(by=desk.by, mission=found):
        messages.success(desk.request, gettext("Cancelled. Whoever works on it can hand nothing in any more."))
    else:
        messages.warning(desk.request, gettext("It had ended already. Nothing was changed."))
    return redirect("mission", desk.require_project().slug, found.key)


def _found(desk: Desk, key: str) -> Mission | HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Mission"), place="colony")
    release_overdue()
    found = find_mission(desk.require_project(), desk.link.scope.base_id, key)
    if found is None:
        raise Http404
    return found


def _list(desk: Desk, form: MissionForm, *, note: Note | None = None, status: int = 200) -> HttpResponse:
    release_overdue()
    project, base_id = desk.require_project(), desk.require_scope().base_id
    asked = desk.request.GET.get("part", "")
    part = asked if asked in PARTS else "open"
    counts, page = mission_counts(project, base_id), reverse("missions", args=[project.slug])
    numbers = {name: sum(counts[each] for each in states) for name, (_words, states) in PARTS.items()}
    rows = missions_of(project, base_id).filter(state__in=PARTS[part][1])
    rows = rows.order_by("pk") if part == "open" else rows
    context = {
        "rows": [mission_row(each, project.slug) for each in rows[:SHOWN]],
        "beyond": max(0, numbers[part] - SHOWN),
        "part": part,
        "parts": [
            {"words": words, "url": f"{page}?part={name}", "count": numbers[name], "current": name == part}
            for name, (words, _states) in PARTS.items()
        ],
        "form": form if desk.may(Permission.MANAGE_KNOWLEDGE) else None,
        "note": note,
        "tab": "missions",
    }
    return desk.answer(LIST, context, status=status)


def _offered(desk: Desk) -> tuple[str, ...]:
    """Paths to pick from, of whoever may make a mission; where they cannot be read they are typed."""
    if not desk.may(Permission.MANAGE_KNOWLEDGE):
        return ()
    page = desk.link.provider.sources(desk.require_scope(), page_size=OFFERED)
    found = page.value.items if isinstance(page, Ok) else ()
    return tuple(dict.fromkeys(each.path for each in found if each.path and each.superseded_by is None))


def _sources(desk: Desk, paths: list[str]) -> Outcome[dict[str, Source]]:
    """By path, of those that are there."""
    found: dict[str, Source] = {}
    for path in paths:
        page = desk.link.provider.sources(desk.require_scope(), q=path)
        if isinstance(page, Failed):
            return page
        for each in page.value.items:
            if each.path == path and each.superseded_by is None:
                found[path] = each
    return Ok(found)


def _wanted(desk: Desk, form: MissionForm, found: dict[str, Source]) -> list[Wanted]:
    """Questions are one mission; documents without a question one each."""
    data, base = form.cleaned_data, desk.link.base
    revision = base.current_revision if base else 0
    title, band, questions = data["title"], Band.read(data["band"]), tuple(data["questions"])
    if questions:
        subject = asked_of(revision, questions, list(found))
        return [Wanted(title, Action.ANSWER, subject, questions, tuple(found), band, form.budget)]
    return [
        Wanted(
            title if len(found) == 1 else f"{title}: {path}"[:200],
            Action.STUDY,
            document_as_it_is(source.content_hash),
            (),
            (path,),
            band,
            form.budget,
        )
        for path, source in found.items()
    ]


def _queue(desk: Desk, form: MissionForm, wanted: Wanted) -> Queued:
    engine = desk.link.engine
    return queue_mission(
        by=desk.by,
        project=desk.require_project(),
        instance_id=engine.instance_id if engine else "",
        base_id=desk.require_scope().base_id,
        wanted=wanted,
    )


def _queued(desk: Desk, queued: list[Queued]) -> HttpResponse:
    fresh = [each for each in queued if each.is_new]
    if fresh:
        messages.success(desk.request, gettext("Queued. An agent that may work on missions can claim it now."))
    if len(fresh) < len(queued):
        messages.info(desk.request, gettext("The same was queued before; it was not queued again."))
    slug = desk.require_project().slug
    return redirect("mission", slug, queued[0].mission.key) if len(queued) == 1 else redirect("missions", slug)


def _is_held(desk: Desk, result: Result) -> Outcome[bool]:
    """Whether all it rests on may be read now; a result quotes its packages and is shown with them or not at all."""
    scope = desk.require_scope()
    for row in result.packages.all():
        keeper = TokenPackages(row.token, lambda: scope, lambda: desk.link.provider)
        stands = still_readable(desk.link.provider, scope, keeper, package_of(row))
        if isinstance(stands, Failed) or not stands.value:
            return stands
    return Ok(value=True)
