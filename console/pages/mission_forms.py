"""The form a mission is made with. What is studied or asked decides what it is."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext

from console.missions.actions import DEFAULT_BUDGET
from console.pages.forms import area, select, text_input
from console.pages.show.text import visible_line
from console.wording import gettext_lazy as _
from knowledge.tools.working import Amount
from knowledge.vocabulary import Band

MOST_LINES = 10
BANDS = [
    (Band.TENANT.value, _("Agents that may read the tenant’s knowledge")),
    (Band.GENERAL.value, _("Every agent of the project")),
]


def _number(label: str, initial: int, most: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        initial=initial,
        min_value=1,
        max_value=most,
        widget=forms.NumberInput(attrs={"class": "input", "inputmode": "numeric"}),
        error_messages={
            "required": _("Say how much it may spend."),
            "invalid": _("Enter a whole number."),
            "min_value": _("At least 1."),
            "max_value": _("At most %(limit_value)s."),
        },
    )


class MissionForm(forms.Form):
    title = forms.CharField(
        label=_("Title"),
        max_length=200,
        widget=text_input(),
        error_messages={"required": _("Give it a title, so that it is known in the list.")},
    )
    questions = forms.CharField(
        label=_("Questions"),
        required=False,
        max_length=5000,
        widget=area(rows="3"),
        help_text=_("One a line, ten at most."),
    )
    documents = forms.CharField(
        label=_("Documents"),
        required=False,
        max_length=5000,
        widget=area(rows="2"),
        help_text=_("Others than those below: paths as Sources shows them, one a line."),
    )
    picked = forms.MultipleChoiceField(
        label=_("Pick documents"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _("One of them is not among the sources any more. Pick again.")},
    )
    band = forms.ChoiceField(label=_("Who may claim it"), choices=BANDS, widget=select())
    calls = _number(_("Calls"), DEFAULT_BUDGET.calls, 10_000)
    facts = _number(_("Statements handed out"), DEFAULT_BUDGET.facts, 100_000)
    bytes = _number(_("Bytes"), DEFAULT_BUDGET.bytes, 100_000_000)

    def __init__(self, *args: Any, offered: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["picked"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(each, visible_line(each)) for each in offered]

    def clean_questions(self) -> list[str]:
        return self._lines("questions", each=500)

    def clean_documents(self) -> list[str]:
        return self._lines("documents", each=500)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        told = [*data.get("documents", []), *data.get("picked", [])]
        data["documents"] = list(dict.fromkeys(told))
        if len(data["documents"]) > MOST_LINES:
            self.add_error("picked", gettext("Ten documents at most; make another mission for the rest."))
        if not data.get("questions") and not data.get("documents") and not self.errors:
            self.add_error("questions", gettext("Ask something, or name a document to study."))
        return data

    @property
    def budget(self) -> Amount:
        data = self.cleaned_data
        return Amount(data["calls"], data["facts"], data["bytes"])

    def _lines(self, name: str, *, each: int) -> list[str]:
        lines = [" ".join(line.split()) for line in str(self.cleaned_data[name]).splitlines()]
        told = list(dict.fromkeys(line for line in lines if line))
        if len(told) > MOST_LINES:
            raise forms.ValidationError(gettext("Ten at most; make another mission for the rest."))
        if any(len(line) > each for line in told):
            raise forms.ValidationError(gettext("A line has 500 characters at most."))
        return told
