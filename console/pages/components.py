"""Every component in every state, for developers, screenshots and accessibility tests."""

from types import SimpleNamespace

from django.conf import settings
from django.http import Http404, HttpResponse

from console.pages.desk import Desk, door
from console.pages.show.labels import Tag, conflict_tag, job_tag, status_tag, support_label
from console.pages.show.statements import EvidenceView, HashCheck
from console.pages.state import Note
from console.policy import Door
from knowledge.vocabulary import ConflictStatus, JobStatus, Status, Support


@door(get=Door.SIGNED_IN)
def gallery(desk: Desk) -> HttpResponse:
    if not settings.SHOW_COMPONENTS:
        raise Http404
    context = {
        "supports": [support_label(each) for each in Support],
        "tags": _tags(),
        "notes": _notes(),
        "evidence": _evidence(),
        "stages": _stages(),
        "reason": "Carried from the engine, never upgraded.",
    }
    return desk.answer("pages/components.html", context)


def _tags() -> list[Tag]:
    tags = [status_tag(each) for each in Status]
    tags += [conflict_tag(each) for each in ConflictStatus]
    tags += [job_tag(each) for each in JobStatus]
    return [*tags, Tag("notapplied", "dotted", "NOT APPLIED"), Tag("proposed", "dotted", "Proposed")]


def _notes() -> list[Note]:
    return [
        Note("act", "tick", "Ready. Nothing to do.", "The engine answers and accepts our token.", ""),
        Note(
            "care", "person", "Someone ruled before you", "Your ruling was not saved; your reason is kept.", "Read it."
        ),
        Note("stop", "unplugged", "The engine does not answer", "Documents and rulings are safe on disk.", "Start it."),
        Note("", "info", "Thinner results", "A short list means less than usual.", ""),
    ]


def _evidence() -> list[EvidenceView]:
    good = HashCheck(True, "Excerpt matches the stored text", "9c02ab…e1")
    bad = HashCheck(False, "The excerpt no longer matches the stored text", "11b0f2…9e")
    excerpt = "The launch date has moved to April 10 because the Northwind parts slipped."
    return [
        EvidenceView("ev_1", "02-schedule-update.eml", "#", "message body", "All, ", excerpt, " Bob", False, good),
        EvidenceView(
            "ev_2", "06-standup-notes.txt", "#", "line 8", "", "Dana says the budget went up.", "", False, bad
        ),
        EvidenceView("ev_3", "03-team-roster.csv", "#", "row 4", "", "", "", True, bad),
    ]


def _stages() -> list[SimpleNamespace]:
    states = ["done", "done", "skipped", "done", "running", "failed", *["waiting"] * 5]
    return [SimpleNamespace(name=state.capitalize(), state=state, words="4 of 4") for state in states]
