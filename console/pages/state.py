"""What a page shows when it cannot show knowledge: each of the eight states, a project that reads none, a failure."""

from dataclasses import dataclass

from django.http import HttpResponse

from console.connection.states import State
from console.pages.desk import Desk
from console.pages.forms import BindForm, NewBaseForm
from console.policy import Permission
from console.projects.queries import read_by_others
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
    Failure.DISABLED: ("Knowledge is off", "Turn it on under Connection."),
    Failure.UNAVAILABLE: ("The engine does not answer", "Load this page again in a moment."),
    Failure.TIMEOUT: ("The engine did not answer in time", "Load this page again; a busy engine answers later."),
    Failure.UNAUTHORIZED: ("Signed out", "Set a new token under Connection."),
    Failure.FORBIDDEN: ("The engine’s token lacks a right", "Ask the engine’s operator for a token with this scope."),
    Failure.INCOMPATIBLE: ("This engine speaks another version", "See Connection."),
    Failure.SCOPE_UNRESOLVED: ("No knowledge base is in reach", "Bind one to this project."),
    Failure.NOT_FOUND: ("It is not there any more", "Go back to the list: it shows what is there now."),
    Failure.INVALID: ("The engine refused the request", "Correct what it names and send it again."),
    Failure.CONFLICT: ("Someone was faster", "Read what changed, then decide again."),
    Failure.MALFORMED: ("The engine answered something unreadable", "Nothing of it was used. See Connection."),
    Failure.EVIDENCE_UNAVAILABLE: ("The evidence may not be shown now", "Something it quotes is gone or withheld."),
    Failure.RATE_LIMITED: ("Too many requests at once", "Wait a minute, then try again."),
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
    sentence = f"The engine no longer has the knowledge base this project reads. {reason}".strip()
    note = Note("stop", "unplugged", "The knowledge base is gone", sentence, "Bind another one to this project.")
    return desk.answer("pages/state.html", {"title": title, "note": note, "place": place, "rebind": True})


def failed_page(desk: Desk, title: str, failed: Failed, *, place: str) -> HttpResponse:
    """A page whose own question failed although the engine is ready."""
    if failed.failure is Failure.NOT_FOUND:
        note = Note(
            "",
            "lock",
            "There is nothing here for you",
            "Either it does not exist or you may not see it. We say the same for both.",
            "",
        )
        return desk.answer("pages/state.html", {"title": title, "note": note, "place": place}, status=404)
    note = failure_note(failed, "Nothing was changed.")
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
    manages = desk.may(Permission.MANAGE_KNOWLEDGE)
    context = {
        "title": title,
        "project": desk.require_project(),
        "bind": BindForm(bases=bases_of(desk)) if manages else None,
        "make": NewBaseForm(initial={"name": desk.require_project().name}) if manages else None,
    }
    return desk.answer("pages/projects/unbound.html", context)
