"""Acts on documents: steps of their lifecycle, one or many at once, and who may read them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.bases.actions import change_document_state, edit_document, import_folder
from console.pages.desk import Desk, door
from console.pages.forms import BulkStateForm, DocumentForm, FolderForm, StateForm
from console.pages.show.documents import EFFECTS, step_choices
from console.pages.show.text import visible_line
from console.pages.sources import source_page, workspace
from console.pages.state import failed_page, failure_note, unreadable
from console.policy import Permission
from console.wording import plural
from knowledge.failures import Failed, Failure, Outcome
from knowledge.provider import DocumentEdit, StateChange
from knowledge.records import Document

MOST_AT_ONCE = 100
REFUSALS_TOLD = 5


@door(post=Permission.MANAGE_KNOWLEDGE)
def source_state(desk: Desk, source_id: str) -> HttpResponse:
    """One step of the document this source is a version of."""
    found = _document(desk, source_id)
    if not isinstance(found, Document):
        return found
    form = StateForm(desk.request.POST, steps=step_choices(found.steps))
    if not form.is_valid():
        return source_page(desk, source_id, state_form=form, status=422)
    answer = change_document_state(hand=desk.require_hand(), document_id=found.id, change=_change(desk, form))
    if isinstance(answer, Failed):
        return _refused(desk, source_id, answer)
    messages.success(
        desk.request,
        gettext("{path} is {state} now. {state_2}").format(
            path=found.path, state=answer.value.state, state_2=EFFECTS.get(answer.value.state, "")
        ),
    )
    return redirect("source", desk.require_project().slug, source_id)


@door(post=Permission.MANAGE_KNOWLEDGE)
def source_document(desk: Desk, source_id: str) -> HttpResponse:
    """Band, authority and owner of the document this source is a version of."""
    found = _document(desk, source_id)
    if not isinstance(found, Document):
        return found
    form = DocumentForm(desk.request.POST)
    if not form.is_valid():
        return source_page(desk, source_id, document_form=form, status=422)
    data = form.cleaned_data
    edit = DocumentEdit(data["band"], data["authoritative"], data["owner"], desk.user.name, data["reason"])
    answer = edit_document(hand=desk.require_hand(), document_id=found.id, edit=edit)
    if isinstance(answer, Failed):
        return _refused(desk, source_id, answer)
    messages.success(desk.request, gettext("Saved. It counts from the next read."))
    return redirect("source", desk.require_project().slug, source_id)


@door(post=Permission.MANAGE_KNOWLEDGE)
def sources_state(desk: Desk) -> HttpResponse:
    """The same step for exactly the chosen rows; each is answered for by name."""
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Sources"), place="sources")
    form = BulkStateForm(desk.request.POST)
    slug = desk.require_project().slug
    chosen = list(dict.fromkeys(desk.request.POST.getlist("document")))[:MOST_AT_ONCE]
    if not form.is_valid() or not chosen:
        messages.error(
            desk.request, gettext("Choose documents, what to do with them, and say why. Nothing was changed.")
        )
        return redirect("sources", slug)
    done, refused = 0, []
    for document_id in chosen:
        change = StateChange(form.cleaned_data["state"], desk.user.name, form.cleaned_data["reason"])
        answer = change_document_state(hand=desk.require_hand(), document_id=document_id, change=change)
        if isinstance(answer, Failed):
            refused.append(answer.reason)
        else:
            done += 1
    messages.success(
        desk.request,
        gettext("{count} changed. It counts from the next read.").format(count=plural(done, "document", "documents")),
    )
    for reason in dict.fromkeys(refused):
        messages.error(
            desk.request,
            gettext("{count} not changed: {reason}").format(
                count=plural(refused.count(reason), "document", "documents"), reason=reason
            ),
        )
    return redirect("sources", slug)


@door(post=Permission.MANAGE_KNOWLEDGE)
def import_path(desk: Desk) -> HttpResponse:
    """A folder of the engine's machine, inside the workspace."""
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Sources"), place="sources")
    slug = desk.require_project().slug
    form = FolderForm(desk.request.POST)
    if not form.is_valid():
        messages.error(desk.request, gettext("Name a folder of the workspace. Nothing was imported."))
        return redirect("sources", slug)
    answer = import_folder(hand=desk.require_hand(), path=form.cleaned_data["path"], workspace=workspace())
    if isinstance(answer, Failed):
        messages.error(desk.request, gettext("{reason} Nothing was imported.").format(reason=answer.reason))
        return redirect("sources", slug)
    done = answer.value
    messages.success(
        desk.request,
        gettext("{count} taken, {already_there} known already.").format(
            count=plural(done.registered, "document", "documents"), already_there=done.already_there
        ),
    )
    for each in done.refused[:REFUSALS_TOLD]:
        messages.error(desk.request, f"{visible_line(each.path)}: {visible_line(each.message)}")
    if done.refused_count > REFUSALS_TOLD:
        messages.error(
            desk.request,
            gettext("{count} left out.").format(
                count=plural(done.refused_count - REFUSALS_TOLD, "more file", "more files")
            ),
        )
    return redirect("sources", slug)


def _document(desk: Desk, source_id: str) -> Document | HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Source"), place="sources")
    source = desk.link.provider.source(desk.link.scope, source_id)
    if isinstance(source, Failed):
        return failed_page(desk, gettext("Source"), source, place="sources")
    found: Outcome[Document] = desk.link.provider.document(desk.link.scope, source.value.document_id)
    return failed_page(desk, gettext("Source"), found, place="sources") if isinstance(found, Failed) else found.value


def _change(desk: Desk, form: StateForm) -> StateChange:
    state, _, code = form.cleaned_data["step"].partition("|")
    return StateChange(state, desk.user.name, form.cleaned_data["reason"], code)


def _refused(desk: Desk, source_id: str, failed: Failed) -> HttpResponse:
    note = failure_note(failed, gettext("The document is as it was."))
    status = {Failure.CONFLICT: 409, Failure.INVALID: 422}.get(failed.failure, 503)
    return source_page(desk, source_id, note=note, status=status)
