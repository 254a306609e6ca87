"""What a page shows when it cannot show knowledge: each of the eight states, a project that reads none, a failure."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext

from console.connection.states import State
from console.pages.desk import Desk
from console.pages.forms import BindForm, NewBaseForm
from console.policy import Permission
from console.projects.queries import read_by_others
from console.wording import gettext_lazy as _
from knowledge.failures import Failed, Failure, Ok, failure_text
from knowledge.records import Base

_TONES = {
    State.OFF: ("", "off"),
    State.NOT_CONFIGURED: ("", "unplugged"),
    State.STARTING: ("", "clock"),
    State.UNREACHABLE: ("stop", "unplugged"),
    State.SIGNED_OUT: ("care", "key"),
    State.INCOMPATIBLE: ("stop", "stop"),
    State.WRONG_ENGINE: ("stop", "stop"),
    State.READY: ("act", "tick"),
}

_FAILED = {
    Failure.DISABLED: (_("Knowledge is off"), _("Turn it on under Connection.")),
    Failure.UNAVAILABLE: (_("The engine does not answer"), _("Load this page again in a moment.")),
    Failure.TIMEOUT: (_("The engine did not answer in time"), _("Load this page again; a busy engine answers later.")),
    Failure.UNAUTHORIZED: (_("Signed out"), _("Set a new token under Connection.")),
    Failure.FORBIDDEN: (
        _("The engine’s token lacks a right"),
        _("Ask the engine’s operator for a token with this scope."),
    ),
    Failure.INCOMPATIBLE: (_("This engine speaks another version"), _("See Connection.")),
    Failure.SCOPE_UNRESOLVED: (_("No knowledge base is in reach"), _("Bind one to this project.")),
    Failure.NOT_FOUND: (_("It is not there any more"), _("Go back to the list: it shows what is there now.")),
    Failure.INVALID: (_("The engine refused the request"), _("Correct what it names and send it again.")),
    Failure.CONFLICT: (_("Someone was faster"), _("Read what changed, then decide again.")),
    Failure.MALFORMED: (_("The engine answered something unreadable"), _("Nothing of it was used. See Connection.")),
    Failure.EVIDENCE_UNAVAILABLE: (
        _("The evidence may not be shown now"),
        _("Something it quotes is gone or withheld."),
    ),
    Failure.BUDGET_EXHAUSTED: (
        _("The budget of the mission is spent"),
        _("Make the mission again with a larger budget."),
    ),
    Failure.RATE_LIMITED: (_("Too many requests at once"), _("Wait a minute, then try again.")),
}


@dataclass(frozen=True, slots=True)
class Note:
    """A designed message: what happened, what was kept, what to do; ``told`` is what agents hear meanwhile."""

    tone: str
    icon: str
    title: str
    sentence: str
    next_step: str
    request_id: str = ""
    told: str = ""
    connection_link: bool = False


def state_note(desk: Desk) -> Note:
    state = desk.link.state
    tone, icon = _TONES[state.state]
    return Note(
        tone,
        icon,
        state.title,
        state.sentence,
        state.next_step,
        told=failure_text(state.failed) if state.failed else "",
        connection_link=not desk.request.path.startswith("/connection"),
    )


def failure_note(failed: Failed, kept: str) -> Note:
    title, step = _FAILED[failed.failure]
    tone = "care" if failed.failure in (Failure.CONFLICT, Failure.INVALID, Failure.RATE_LIMITED) else "stop"
    return Note(tone, "stop", title, f"{failed.reason} {kept}".strip(), step, failed.upstream_request_id)


def unreadable(desk: Desk, title: str, *, place: str) -> HttpResponse:
    """The page of a place while there is nothing to read: the engine's state, or a project without a base."""
    if not desk.link.state.ready:
        context = {"title": title, "note": state_note(desk), "place": place}
        return desk.answer("pages/state.html", context)
    if desk.link.scope is None:
        return _reads_none(desk, title)
    gone = desk.link.base_failure
    reason = gone.reason if gone else ""
    sentence = (
        gettext("The engine no longer has the knowledge base this project reads. {reason}")
        .format(reason=reason)
        .strip()
    )
    note = Note(
        "stop",
        "unplugged",
        gettext("The knowledge base is gone"),
        sentence,
        gettext("Bind another one to this project."),
    )
    return desk.answer("pages/state.html", {"title": title, "note": note, "place": place, "rebind": True})


def failed_page(desk: Desk, title: str, failed: Failed, *, place: str) -> HttpResponse:
    """A page whose own question failed although the engine is ready."""
    if failed.failure is Failure.NOT_FOUND:
        note = Note(
            "",
            "lock",
            gettext("There is nothing here for you"),
            gettext("Either it does not exist or you may not see it. We say the same for both."),
            "",
        )
        return desk.answer("pages/state.html", {"title": title, "note": note, "place": place}, status=404)
    note = failure_note(failed, gettext("Nothing was changed."))
    return desk.answer("pages/state.html", {"title": title, "note": note, "place": place}, status=503)


def bases_of(desk: Desk) -> tuple[Base, ...]:
    """The knowledge bases this person may bind, or none when the engine does not tell.

    What a project reads belongs to its members: binding it elsewhere would be a way around them.
    """
    answer = desk.link.provider.bases()
    found = answer.value.items if isinstance(answer, Ok) else ()
    if desk.may(Permission.MANAGE_SETTINGS):
        return found
    others = read_by_others(desk.projects)
    return tuple(base for base in found if base.id not in others)


def _reads_none(desk: Desk, title: str) -> HttpResponse:
    manages = desk.may_bind()
    context = {
        "title": title,
        "project": desk.require_project(),
        "bind": BindForm(bases=bases_of(desk)) if manages else None,
        "make": NewBaseForm(initial={"name": desk.require_project().name}) if manages else None,
    }
    return desk.answer("pages/projects/unbound.html", context)
