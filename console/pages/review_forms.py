"""Forms of a reviewer. A ruling is bound to what was read, and nothing in it is chosen beforehand."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext

from console.pages.forms import area, select, text_input
from console.wording import gettext_lazy as _

SAY_WHY = {"required": _("Say why in a few words. Others will read it.")}
SIDE = "side:"
LETTER = "letter:"
APART = [
    ("", _("Told apart by…")),
    ("time", _("Time")),
    ("unit", _("Unit")),
    ("place", _("Place")),
    ("entity", _("Entity")),
]
RULINGS = ("both", "neither", "not_a_conflict", "needs_evidence")


def _reason(label: str = _("Reason"), rows: str = "2") -> forms.CharField:
    return forms.CharField(label=label, max_length=2000, widget=area(rows=rows), error_messages=SAY_WHY)


class RulingFields(forms.Form):
    """What every ruling holds: the choice, what it asks for, the reason. ``people`` may be asked for evidence."""

    ruling = forms.CharField(max_length=200, error_messages={"required": _("Choose what holds.")})
    told_apart_by = forms.ChoiceField(required=False, choices=APART, widget=select())
    told_apart = forms.CharField(
        required=False, max_length=200, widget=text_input(placeholder=_("Name it, e.g. plan before 18 Feb"))
    )
    assignee = forms.ChoiceField(required=False, widget=select())
    notes = forms.CharField(
        label=_("Reason"),
        max_length=2000,
        widget=area(),
        error_messages=SAY_WHY,
        help_text=_("Kept with your name. An undo is a new ruling in the trail; nothing is deleted."),
    )
    keep = forms.BooleanField(required=False, label=_("Keep this reason as a phrase"))

    def __init__(self, *args: Any, people: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["assignee"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", gettext("Who looks for it?")), *((name, name) for name in people)]

    def clean_ruling(self) -> str:
        chosen = str(self.cleaned_data["ruling"])
        if chosen not in RULINGS and not chosen.startswith((SIDE, LETTER)):
            raise forms.ValidationError(gettext("Choose one."))
        return chosen

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        ruling = data.get("ruling", "")
        if ruling == "both" and not data.get("told_apart_by"):
            self.add_error("told_apart_by", gettext("Say what tells them apart: time, unit, place or entity."))
        if ruling == "both" and not data.get("told_apart"):
            self.add_error("told_apart", gettext("Name it, so that both stay readable."))
        if ruling == "needs_evidence" and not data.get("assignee"):
            self.add_error("assignee", gettext("Name who looks for the evidence."))
        return data

    @property
    def action(self) -> str:
        chosen = str(self.cleaned_data["ruling"])
        return chosen if chosen in RULINGS else "choose_side"


class RulingForm(RulingFields):
    """One conflict: ``digest`` covers every side, ``sides`` names each side's own.

    ``opened`` and ``presses`` only measure; whatever they hold, the ruling counts.
    """

    digest = forms.CharField(widget=forms.HiddenInput())
    sides = forms.CharField(required=False, widget=forms.HiddenInput())
    opened = forms.CharField(required=False, widget=forms.HiddenInput())
    presses = forms.CharField(required=False, widget=forms.HiddenInput())
    authorities = forms.CharField(required=False, widget=forms.HiddenInput())

    @property
    def side_id(self) -> str:
        ruling = str(self.cleaned_data["ruling"])
        return ruling.removeprefix(SIDE) if ruling.startswith(SIDE) else ""


class BulkForm(RulingFields):
    """Many conflicts, each by id and digest; a side is meant by its letter, which the digest binds."""

    @property
    def letter(self) -> str:
        ruling = str(self.cleaned_data["ruling"])
        return ruling.removeprefix(LETTER) if ruling.startswith(LETTER) else ""


class PhraseForm(forms.Form):
    words = forms.CharField(
        label=_("Phrase"),
        max_length=200,
        widget=text_input(),
        error_messages={"required": _("Write the phrase.")},
        help_text=_("Yours alone, in this project. Each has a key while you rule."),
    )


class CandidateForm(forms.Form):
    """Whether two names are one, bound to what was read."""

    ruling = forms.ChoiceField(
        choices=[("one", _("One and the same")), ("two", _("Two"))],
        error_messages={"required": _("Choose whether they are one."), "invalid_choice": _("Choose one.")},
    )
    notes = _reason(rows="3")
    keep = forms.BooleanField(required=False, label=_("Keep this reason as a phrase"))
    digest = forms.CharField(widget=forms.HiddenInput())


class SeparateForm(forms.Form):
    alias = forms.CharField(max_length=300, error_messages={"required": _("Choose the name to take out.")})
    notes = _reason(_("Why is it another?"))


class JoinForm(forms.Form):
    other = forms.CharField(
        label=_("Its other name"),
        max_length=300,
        widget=text_input(),
        error_messages={"required": _("Name the entity it is one with.")},
        help_text=_("Exactly as in the list of entities."),
    )
    why = _reason(_("Why are they one?"))


class NoteForm(forms.Form):
    """Why a ruling is taken back, and which one: another made meanwhile is not taken back unseen."""

    notes = _reason(_("Why reopen it?"))
    expected_decision = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput())
