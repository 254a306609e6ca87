"""Rulings that agents propose: each beside its evidence, accepted through the engine or declined with a reason."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.forms import area
from console.pages.show.proposals import ProposalCard, decided_row, proposal_card
from console.pages.state import Note, failed_page, unreadable
from console.policy import Permission
from console.proposals.deciding import Decided, End, accept, decline, may_approve, settle_with
from console.proposals.models import Proposal, ProposalState
from console.proposals.queries import find_proposal, proposal_counts, proposals_of
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Failure
from knowledge.provider import QueueFilter
from knowledge.reviewing import Brief

PAGE = "pages/colony/proposals.html"
AT_ONCE = 5
"""Cards on one page: each is read with all its evidence."""
SHOWN = 100


class DeclineForm(forms.Form):
    reason = forms.CharField(
        label=_("Why not"),
        max_length=1500,
        widget=area(rows="2"),
        error_messages={"required": _("Say why not; the next reader need not ask.")},
    )


@door(get=Permission.READ_KNOWLEDGE)
def proposals(desk: Desk) -> HttpResponse:
    return _page(desk)


@door(post=Permission.REVIEW_KNOWLEDGE)
def proposal_accept(desk: Desk, proposal_key: str) -> HttpResponse:
    found = _found(desk, proposal_key)
    if isinstance(found, HttpResponse):
        return found
    decided = accept(hand=desk.require_hand(), proposal=found)
    note = _note(decided)
    if note is not None:
        return _page(desk, note=note, status=403 if decided.end is End.OWN else 409)
    if decided.end is End.APPLIED:
        messages.success(desk.request, gettext("Applied: the engine recorded it in your name. Reopen it in Review."))
    else:
        messages.info(desk.request, gettext("First look kept. It counts when a second person comes to the same."))
    return redirect("proposals", desk.require_project().slug)


@door(post=Permission.REVIEW_KNOWLEDGE)
def proposal_decline(desk: Desk, proposal_key: str) -> HttpResponse:
    found = _found(desk, proposal_key)
    if isinstance(found, HttpResponse):
        return found
    form = DeclineForm(desk.request.POST, auto_id=f"id_{found.key}_%s")
    if not form.is_valid():
        return _page(desk, wrong=(found.key, form), status=422)
    if decline(by=desk.by, proposal=found, reason=form.cleaned_data["reason"]):
        messages.success(desk.request, gettext("Declined. The disagreement stays as it was."))
    else:
        messages.warning(desk.request, gettext("It was decided meanwhile. Nothing was changed."))
    return redirect("proposals", desk.require_project().slug)


def _found(desk: Desk, key: str) -> Proposal | HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Proposals"), place="colony")
    found = find_proposal(desk.require_project(), desk.link.scope.base_id, key)
    if found is None:
        raise Http404
    return found


def _page(
    desk: Desk, *, note: Note | None = None, wrong: tuple[str, DeclineForm] | None = None, status: int = 200
) -> HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Proposals"), place="colony")
    project, base_id = desk.require_project(), desk.link.scope.base_id
    part = "decided" if desk.request.GET.get("part") == "decided" and note is None and wrong is None else "open"
    cards = _cards(desk, base_id, wrong) if part == "open" else []
    if isinstance(cards, Failed):
        return failed_page(desk, gettext("Proposals"), cards, place="colony")
    waiting, decided = proposal_counts(project, base_id)
    page = reverse("proposals", args=[project.slug])
    rows = proposals_of(project, base_id, is_open=False)[:SHOWN] if part == "decided" else []
    context = {
        "cards": cards,
        "rows": [decided_row(each, project.slug) for each in rows],
        "part": part,
        "parts": [
            {"words": gettext("To decide"), "url": page, "count": waiting, "current": part == "open"},
            {
                "words": gettext("Decided"),
                "url": f"{page}?part=decided",
                "count": decided,
                "current": part == "decided",
            },
        ],
        "beyond": max(0, waiting - len(cards)),
        "wrong": wrong[0] if wrong else "",
        "note": note,
        "may_rule": desk.may(Permission.REVIEW_KNOWLEDGE),
        "tab": "proposals",
    }
    return desk.answer(PAGE, context, status=status)


def _cards(
    desk: Desk, base_id: str, wrong: tuple[str, DeclineForm] | None
) -> list[tuple[ProposalCard, DeclineForm | None]] | Failed:
    """The oldest that wait; what a ruling came before is settled on the way and shown under its part."""
    cards: list[tuple[ProposalCard, DeclineForm | None]] = []
    project = desk.require_project()
    for row in proposals_of(project, base_id, is_open=True)[: AT_ONCE * 4]:
        brief = desk.link.provider.brief(desk.require_scope(), row.conflict_id, QueueFilter())
        if isinstance(brief, Failed) and brief.failure is not Failure.NOT_FOUND:
            return brief
        told = brief if isinstance(brief, Failed) else brief.value
        if settle_with(hand=desk.require_hand(), proposal=row, brief=told):
            row.refresh_from_db()
        if isinstance(told, Brief) and row.state in (ProposalState.OPEN, ProposalState.APPLYING):
            cards.append((_card(desk, row, told), _form(desk, row, wrong)))
        if len(cards) == AT_ONCE:
            break
    return cards


def _card(desk: Desk, row: Proposal, brief: Brief) -> ProposalCard:
    return proposal_card(row, brief, desk.require_project().slug, is_own=not may_approve(desk.by, row))


def _form(desk: Desk, row: Proposal, wrong: tuple[str, DeclineForm] | None) -> DeclineForm | None:
    if not desk.may(Permission.REVIEW_KNOWLEDGE) or row.state != ProposalState.OPEN:
        return None
    return wrong[1] if wrong and wrong[0] == row.key else DeclineForm(auto_id=f"id_{row.key}_%s")


def _note(decided: Decided) -> Note | None:
    """What kept it from being applied; None where nothing did."""
    told = {
        End.OWN: (
            gettext("Somebody else must accept it"),
            gettext("You made the token that proposed it. Nobody approves what is proposed in their own name."),
            gettext("Ask another reviewer of this project."),
        ),
        End.LATE: (
            gettext("Somebody was faster"),
            gettext("It was decided, or is being applied, since you opened the page. Nothing was changed."),
            gettext("Read what is there now."),
        ),
        End.OVERTAKEN: (
            gettext("A ruling came before"),
            decided.message,
            gettext("The proposal is kept under Decided. See the disagreement in Review."),
        ),
        End.REFUSED: (
            gettext("The engine refused it"),
            gettext("{reason} The proposal is open as before.").format(reason=decided.message),
            gettext("Read the sides again, then decide."),
        ),
        End.UNSURE: (
            gettext("Nobody knows yet whether it was recorded"),
            gettext("{reason} It is not called applied before the engine says so.").format(reason=decided.message),
            gettext("Load this page again in a minute: the engine is asked, and what it says decides."),
        ),
        End.PARTED: (
            gettext("The two looks differ"),
            decided.message,
            gettext("Rule on the disagreement in Review."),
        ),
    }.get(decided.end)
    return Note("care", "person", *told) if told else None
