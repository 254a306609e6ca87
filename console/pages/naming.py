"""Who is who: what may be one entity, a person's word on it, and taking a name out again."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.bases.actions import decide_candidate, join_entities, separate_name
from console.pages.desk import Desk, door
from console.pages.knowledge import entity_page
from console.pages.phrasing import keep_if_asked
from console.pages.review_forms import CandidateForm, JoinForm, SeparateForm
from console.pages.show.choices import candidate_choices
from console.pages.show.entities import candidate_row, candidate_view
from console.pages.show.text import visible_line
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.phrases.queries import phrases_of
from console.policy import Permission
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import Naming
from knowledge.records import Entity, MergeCandidate
from knowledge.reviewing import PairBrief
from knowledge.scope import KnowledgeScope

LIST = "pages/knowledge/candidates.html"
STATUSES = {"open": _("To decide"), "accepted": _("Joined"), "rejected": _("Kept apart")}
SOON = _("It shows when the engine’s next run has ended, in a moment.")


@door(get=Permission.READ_KNOWLEDGE)
def candidates(desk: Desk) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Who is who"), place="knowledge")
    asked = desk.request.GET.get("show", "open")
    shown = asked if asked in STATUSES else "open"
    listed = link.provider.merge_candidates(link.scope, status=shown, cursor=desk.request.GET.get("cursor", ""))
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Who is who"), listed, place="knowledge")
    context = {
        "rows": [candidate_row(each, slug, walked=shown) for each in listed.value.items],
        "total": listed.value.total,
        "next_cursor": listed.value.next_cursor,
        "shown": shown,
        "statuses": [(key, words, key == shown) for key, words in STATUSES.items()],
        "tab": "entities",
    }
    return desk.answer(LIST, context, regions={"candidates": f"{LIST}#candidates"})


@door(get=Permission.READ_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def candidate(desk: Desk, candidate_id: str) -> HttpResponse:
    link = desk.link
    if not link.readable or link.scope is None:
        return unreadable(desk, gettext("Who is who"), place="knowledge")
    found = link.provider.merge_candidate(link.scope, candidate_id, status=_walked(desk) or "open")
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Who is who"), found, place="knowledge")
    if desk.request.method == "POST":
        return _decide(desk, link.scope, found.value)
    return _page(desk, found.value, _fresh(found.value.candidate))


@door(post=Permission.REVIEW_KNOWLEDGE)
def entity_names(desk: Desk, entity_id: str) -> HttpResponse:
    """One of two acts on an entity's names: take one out, or join another entity."""
    if not desk.link.readable:
        return unreadable(desk, gettext("Entity"), place="knowledge")
    return _join(desk, entity_id) if "other" in desk.request.POST else _separate(desk, entity_id)


def _separate(desk: Desk, entity_id: str) -> HttpResponse:
    form = SeparateForm(desk.request.POST)
    if not form.is_valid():
        return entity_page(desk, entity_id, separate=form, status=422)
    naming = Naming(desk.user.name, form.cleaned_data["notes"])
    alias = form.cleaned_data["alias"]
    answer = separate_name(hand=desk.require_hand(), entity_id=entity_id, alias=alias, naming=naming)
    if isinstance(answer, Failed):
        return entity_page(
            desk, entity_id, separate=form, note=failure_note(answer, gettext("Nothing was changed.")), status=409
        )
    messages.success(
        desk.request, gettext("“{alias}” is taken out. {soon}").format(alias=visible_line(alias), soon=SOON)
    )
    return redirect("entities", desk.require_project().slug)


def _join(desk: Desk, entity_id: str) -> HttpResponse:
    form, hand = JoinForm(desk.request.POST), desk.require_hand()
    if not form.is_valid():
        return entity_page(desk, entity_id, join=form, status=422)
    other = _named(desk, hand.scope, form.cleaned_data["other"])
    if other is None:
        form.add_error("other", gettext("No other entity has exactly this name. Copy it from the list of entities."))
        return entity_page(desk, entity_id, join=form, status=422)
    naming = Naming(desk.user.name, form.cleaned_data["why"])
    answer = join_entities(hand=hand, entity_id=entity_id, other_id=other.id, naming=naming)
    if isinstance(answer, Failed):
        return entity_page(
            desk, entity_id, join=form, note=failure_note(answer, gettext("Nothing was changed.")), status=409
        )
    messages.success(
        desk.request, gettext("Joined with {name}. {soon}").format(name=visible_line(other.name), soon=SOON)
    )
    return redirect("entities", desk.require_project().slug)


def _named(desk: Desk, scope: KnowledgeScope, name: str) -> Entity | None:
    listed = desk.link.provider.entities(scope, q=name)
    same = [e for e in listed.value.items if e.name.casefold() == name.casefold()] if isinstance(listed, Ok) else []
    return same[0] if len(same) == 1 else None


def _walked(desk: Desk) -> str:
    """The list of pairs one walks through, as the address names it; empty for who came by a link."""
    shown = desk.request.GET.get("show", "")
    return shown if shown in STATUSES else ""


def _decide(desk: Desk, scope: KnowledgeScope, found: PairBrief) -> HttpResponse:
    form = CandidateForm(desk.request.POST)
    if not form.is_valid():
        return _page(desk, found, form, status=422)
    naming = Naming(desk.user.name, form.cleaned_data["notes"], form.cleaned_data["digest"])
    answer = decide_candidate(
        hand=desk.require_hand(),
        candidate_id=found.candidate.id,
        naming=naming,
        is_one=form.cleaned_data["ruling"] == "one",
    )
    if isinstance(answer, Failed):
        return _refused(desk, scope, found, form, answer)
    told = (
        gettext("Joined. {soon}").format(soon=SOON)
        if answer.value.status == "accepted"
        else gettext("Kept apart. This pair is not proposed again.")
    )
    keep_if_asked(desk, form)
    messages.success(desk.request, told)
    return redirect(_onward(desk, found))


def _onward(desk: Desk, decided: PairBrief) -> str:
    """Who walks through a list goes on to what comes next in it."""
    slug, walked = desk.require_project().slug, _walked(desk)
    if walked and decided.place.after:
        return _address(slug, decided.place.after, walked)
    return reverse("candidates", args=[slug]) + (f"?show={walked}" if walked else "")


def _address(slug: str, candidate_id: str, walked: str) -> str:
    """Of a pair of the list one walks through; empty without a pair."""
    url = reverse("candidate", args=[slug, candidate_id]) if candidate_id else ""
    return f"{url}?show={walked}" if url and walked else url


def _refused(desk: Desk, scope: KnowledgeScope, read: PairBrief, form: CandidateForm, failed: Failed) -> HttpResponse:
    """Nothing was recorded; what was typed is kept, bound to what is true now."""
    if failed.failure is not Failure.CONFLICT:
        note = failure_note(failed, gettext("Nothing was recorded; your reason is kept below."))
        return _page(desk, read, form, note=note, status=503)
    again = desk.link.provider.merge_candidate(scope, read.candidate.id, status=_walked(desk) or "open")
    now = again.value if isinstance(again, Ok) else read
    kept = {"ruling": form.cleaned_data["ruling"], "notes": form.cleaned_data["notes"], "digest": now.candidate.digest}
    note = Note(
        "care", "person", gettext("Someone decided before you"), failed.reason, gettext("Read it again, then decide.")
    )
    return _page(desk, now, CandidateForm(kept), note=note, status=409)


def _fresh(found: MergeCandidate) -> CandidateForm:
    return CandidateForm(initial={"digest": found.digest})


def _page(
    desk: Desk,
    read: PairBrief,
    form: CandidateForm,
    *,
    note: Note | None = None,
    status: int = 200,
) -> HttpResponse:
    slug, walked, found = desk.require_project().slug, _walked(desk), read.candidate
    context = {
        "candidate": candidate_view(found, slug, {each.evidence_id: each for each in read.passages}),
        "choices": candidate_choices(str(form["ruling"].value() or "")),
        "phrases": phrases_of(desk.user, desk.require_project()),
        "form": form if desk.may(Permission.REVIEW_KNOWLEDGE) and found.status != "accepted" else None,
        "note": note,
        "place": read.place,
        "walked": walked,
        "before_url": _address(slug, read.place.before, walked),
        "after_url": _address(slug, read.place.after, walked),
    }
    return desk.answer("pages/knowledge/candidate.html", context, status=status)
