"""Labels, notes, fields and what else stands on any page."""

from types import SimpleNamespace

from django import forms

from console.pages.forms import BindForm, NewBaseForm
from console.pages.show.labels import Tag, conflict_tag, job_tag, source_tag, status_tag, support_label
from console.pages.state import Note
from knowledge.vocabulary import ConflictStatus, JobStatus, Status, Support

SOURCE_STATES = ("active", "approved", "proposed", "degraded", "suspended", "revoked", "retiring", "deleted")


class SampleForm(forms.Form):
    name = forms.CharField(
        label="Name", help_text="Up to 80 characters.", widget=forms.TextInput(attrs={"class": "input"})
    )
    reason = forms.CharField(
        label="Reason",
        error_messages={"required": "Say why in a few words. Others will read it."},
        widget=forms.TextInput(attrs={"class": "input"}),
    )


def samples() -> dict[str, object]:
    bound = SampleForm({"name": "Falcon programme", "reason": ""}, auto_id="sample_%s")
    bound.is_valid()
    return {
        "supports": [support_label(each) for each in Support],
        "reason": "Carried from the engine, never upgraded.",
        "tags": _tags(),
        "notes": _notes(),
        "toasts": _toasts(),
        "sample_form": bound,
        "bind": BindForm(bases=(), auto_id="sample_bind_%s"),
        "make": NewBaseForm(auto_id="sample_make_%s"),
    }


def _tags() -> list[Tag]:
    tags = [status_tag(each) for each in Status]
    tags += [conflict_tag(each) for each in ConflictStatus]
    tags += [job_tag(each) for each in JobStatus]
    tags += [source_tag(each, "indexed") for each in SOURCE_STATES]
    return [*tags, Tag("notapplied", "dotted", "NOT APPLIED"), Tag("proposed", "dotted", "Proposed")]


def _notes() -> list[Note]:
    return [
        Note("act", "tick", "Ready. Nothing to do.", "The engine answers and accepts our token.", ""),
        Note(
            "care",
            "person",
            "Someone ruled before you",
            "Tomás Oduya recorded A holds at 09:43, while you were reading. Your ruling was not saved.",
            "Read that ruling; reopen the conflict if you see it differently.",
        ),
        Note(
            "stop",
            "unplugged",
            "The engine does not answer",
            "Documents and rulings are safe on disk; importing and ruling wait.",
            "Start it under Connection.",
            request_id="req_77aa",
            told="KNOWLEDGE UNAVAILABLE\nNothing may be assumed from this silence.",
        ),
        Note("", "info", "Thinner results", "A short list means less than usual.", ""),
    ]


def _toasts() -> list[SimpleNamespace]:
    """As messages come: their words, their level, and what they can undo."""
    undo = '{"url": "#undo", "page": "#ruled", "decision": "dec_1", "about": "Launch date of Project Falcon"}'
    return [
        _message("Ruled: B holds.", "success", undo),
        _message("First look kept. It counts when a second person comes to the same.", "info"),
        _message("The reason was not kept as a phrase: all 5 keys are taken.", "warning"),
    ]


def _message(words: str, level: str, extra: str = "") -> SimpleNamespace:
    return _Message(message=words, level_tag=level, extra_tags=extra)


class _Message(SimpleNamespace):
    def __str__(self) -> str:
        return str(self.message)
