"""The forms of agent tokens."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.db.models import QuerySet

from console.policy import Permission
from console.projects.models import Project
from console.tokens.models import FLOORS, GRANTABLE
from knowledge.vocabulary import Band

MAY = {
    Permission.READ_KNOWLEDGE: "Read knowledge: search, context, statements with their evidence",
    Permission.PROPOSE_REVIEW: "Propose rulings, which a person decides",
    Permission.WORK_MISSIONS: "Claim missions and hand in results",
}
BANDS = {Band.GENERAL: "General knowledge alone", Band.TENANT: "General and tenant knowledge"}
SUPPORT = {
    "direct_fact": "Direct facts alone",
    "supported_inference": "Supported inferences and better",
    "uncertain_inference": "Uncertain inferences and better",
    "unverified_claim": "Everything, unverified claims too",
}
LIVES = {"30": "30 days", "90": "90 days", "365": "A year", "0": "Never, until it is revoked"}
OVERLAPS = {"0": "At once", "1": "In an hour", "24": "In a day", "168": "In a week"}
_SELECT = {"class": "input"}


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=80,
        widget=forms.TextInput(attrs=_SELECT),
        help_text="Who carries it, for example “research agent, staging”.",
        error_messages={"required": "Give the token a name, so that it can be told from others."},
    )
    project = forms.ModelChoiceField(
        queryset=Project.objects.none(),
        empty_label="Choose a project",
        widget=forms.Select(attrs=_SELECT),
        error_messages={
            "required": "Choose the one project this token reads.",
            "invalid_choice": "There is no such project any more. Choose one of the list.",
        },
    )
    permissions = forms.MultipleChoiceField(
        label="It may",
        choices=[(permission.value, MAY[permission]) for permission in GRANTABLE],
        initial=[Permission.READ_KNOWLEDGE.value],
        widget=forms.CheckboxSelectMultiple(),
        error_messages={"required": "Choose at least one thing it may do."},
    )
    band = forms.ChoiceField(
        label="How much it may see",
        choices=[(band.value, words) for band, words in BANDS.items()],
        widget=forms.Select(attrs=_SELECT),
    )
    min_support = forms.ChoiceField(
        label="Support",
        choices=[(floor.value, SUPPORT[floor.value]) for floor in FLOORS],
        initial=FLOORS[-1].value,
        widget=forms.Select(attrs=_SELECT),
        help_text="A call may ask for better support, never for less.",
    )
    life = forms.ChoiceField(
        label="Ends after", choices=list(LIVES.items()), initial="90", widget=forms.Select(attrs=_SELECT)
    )
    per_minute = forms.IntegerField(
        label="Calls a minute",
        initial=120,
        min_value=1,
        max_value=6000,
        widget=forms.NumberInput(attrs={**_SELECT, "inputmode": "numeric"}),
        error_messages={
            "min_value": "At least one call a minute.",
            "max_value": "At most 6,000 calls a minute.",
            "invalid": "Enter a whole number.",
        },
    )

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ModelChoiceField[Project]", self.fields["project"]).queryset = projects

    @property
    def life_time(self) -> timedelta | None:
        days = int(self.cleaned_data["life"])
        return timedelta(days=days) if days else None


class RotateForm(forms.Form):
    overlap = forms.ChoiceField(
        label="The old one ends", choices=list(OVERLAPS.items()), initial="24", widget=forms.Select(attrs=_SELECT)
    )

    @property
    def overlap_time(self) -> timedelta:
        return timedelta(hours=int(self.cleaned_data["overlap"]))
