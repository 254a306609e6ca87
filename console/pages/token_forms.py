"""The forms of agent tokens."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.db.models import QuerySet

from console.policy import Permission
from console.projects.models import Project
from console.tokens.models import FLOORS, GRANTABLE
from console.wording import gettext_lazy as _
from knowledge.vocabulary import Band

MAY = {
    Permission.READ_KNOWLEDGE: _("Read knowledge: search, context, statements with their evidence"),
    Permission.PROPOSE_REVIEW: _("Propose rulings, which a person decides"),
    Permission.WORK_MISSIONS: _("Claim missions and hand in results"),
}
BANDS = {Band.GENERAL: _("General knowledge alone"), Band.TENANT: _("General and tenant knowledge")}
SUPPORT = {
    "direct_fact": _("Direct facts alone"),
    "supported_inference": _("Supported inferences and better"),
    "uncertain_inference": _("Uncertain inferences and better"),
    "unverified_claim": _("Everything, unverified claims too"),
}
LIVES = {"30": _("30 days"), "90": _("90 days"), "365": _("A year"), "0": _("Never, until it is revoked")}
OVERLAPS = {"0": _("At once"), "1": _("In an hour"), "24": _("In a day"), "168": _("In a week")}
_SELECT = {"class": "input"}


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        widget=forms.TextInput(attrs=_SELECT),
        help_text=_("Who carries it, for example “research agent, staging”."),
        error_messages={"required": _("Give the token a name, so that it can be told from others.")},
    )
    project = forms.ModelChoiceField(
        label=_("Project"),
        queryset=Project.objects.none(),
        empty_label=_("Choose a project"),
        widget=forms.Select(attrs=_SELECT),
        error_messages={
            "required": _("Choose the one project this token reads."),
            "invalid_choice": _("There is no such project any more. Choose one of the list."),
        },
    )
    permissions = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[(permission.value, MAY[permission]) for permission in GRANTABLE],
        initial=[Permission.READ_KNOWLEDGE.value],
        widget=forms.CheckboxSelectMultiple(),
        error_messages={"required": _("Choose at least one thing it may do.")},
    )
    band = forms.ChoiceField(
        label=_("How much it may see"),
        choices=[("", _("Choose how much")), *((band.value, words) for band, words in BANDS.items())],
        widget=forms.Select(attrs=_SELECT),
        help_text=_("Documents are the tenant’s until somebody opens them: without those it may find nothing."),
        error_messages={"required": _("Choose whether it may see the tenant’s documents, too.")},
    )
    min_support = forms.ChoiceField(
        label=_("Support"),
        choices=[(floor.value, SUPPORT[floor.value]) for floor in FLOORS],
        initial=FLOORS[-1].value,
        widget=forms.Select(attrs=_SELECT),
        help_text=_("A call may ask for better support, never for less."),
    )
    life = forms.ChoiceField(
        label=_("Ends after"), choices=list(LIVES.items()), initial="90", widget=forms.Select(attrs=_SELECT)
    )
    per_minute = forms.IntegerField(
        label=_("Calls a minute"),
        initial=120,
        min_value=1,
        max_value=6000,
        widget=forms.NumberInput(attrs={**_SELECT, "inputmode": "numeric"}),
        error_messages={
            "min_value": _("At least one call a minute."),
            "max_value": _("At most 6,000 calls a minute."),
            "invalid": _("Enter a whole number."),
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
        label=_("The old one ends"), choices=list(OVERLAPS.items()), initial="24", widget=forms.Select(attrs=_SELECT)
    )

    @property
    def overlap_time(self) -> timedelta:
        return timedelta(hours=int(self.cleaned_data["overlap"]))
