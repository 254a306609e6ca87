"""Every form of the console. Errors name the way out and keep what was typed."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext

from console.connection.settings import ConnectionSettings, Mode
from console.env import Origin
from console.people.models import ROLE_CHOICES, User
from console.policy import Role
from console.wording import gettext_lazy as _
from knowledge.records import Base

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def text_input(**attrs: str) -> forms.TextInput:
    return forms.TextInput(attrs={"class": "input", **attrs})


def area(**attrs: str) -> forms.Textarea:
    return forms.Textarea(attrs={"class": "input", "rows": "3", **attrs})


def select() -> forms.Select:
    return forms.Select(attrs={"class": "input"})


def _secret(autocomplete: str) -> forms.PasswordInput:
    return forms.PasswordInput(attrs={"class": "input", "autocomplete": autocomplete})


class SignInForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "username", "autofocus": True}),
        error_messages={"required": _("Enter your e-mail address."), "invalid": _("That is not an e-mail address.")},
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=_secret("current-password"),
        error_messages={"required": _("Enter your password.")},
    )


class PasswordForm(forms.Form):
    current = forms.CharField(
        label=_("Your password now"),
        strip=False,
        widget=_secret("current-password"),
        error_messages={"required": _("Enter the password you use now.")},
    )
    password = forms.CharField(
        label=_("New password"),
        strip=False,
        widget=_secret("new-password"),
        help_text=_("At least 12 characters. A sentence is easy to keep."),
        error_messages={"required": _("Choose a password.")},
    )
    again = forms.CharField(
        label=_("The same again"),
        strip=False,
        widget=_secret("new-password"),
        error_messages={"required": _("Type it once more.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if user.must_change_password:
            del self.fields["current"]

    def clean_current(self) -> str:
        current = str(self.cleaned_data["current"])
        if not self.user.check_password(current):
            raise forms.ValidationError(gettext("That is not your password."))
        return current

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        validate_password(password, self.user)
        return password

    def clean_again(self) -> str:
        again = str(self.cleaned_data["again"])
        if "password" in self.cleaned_data and again != self.cleaned_data["password"]:
            raise forms.ValidationError(gettext("The two differ. Type the same password twice."))
        return again


class ProjectForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=80, widget=text_input(), error_messages={"required": _("Give the project a name.")}
    )
    description = forms.CharField(
        label=_("What it is for"),
        required=False,
        max_length=300,
        widget=text_input(),
        help_text=_("Shown in the list."),
    )


class NewBaseForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        widget=text_input(),
        error_messages={"required": _("Give the knowledge base a name.")},
    )
    description = forms.CharField(label=_("What it is for"), required=False, max_length=300, widget=text_input())


class BindForm(forms.Form):
    base = forms.ChoiceField(
        label=_("Knowledge base"),
        widget=select(),
        error_messages={
            "required": _("Choose a knowledge base."),
            "invalid_choice": _("The engine has no such knowledge base. Choose one of the list."),
        },
    )

    def __init__(self, *args: Any, bases: Sequence[Base], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["base"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                (
                    base.id,
                    gettext("{name} · {source_count:,} sources").format(name=base.name, source_count=base.source_count),
                )
                for base in bases
            ]


class AddPersonForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"class": "input", "autocomplete": "off"}),
        error_messages={"required": _("Enter an e-mail address."), "invalid": _("That is not an e-mail address.")},
    )
    name = forms.CharField(
        label=_("Name"), max_length=120, widget=text_input(), error_messages={"required": _("Enter a name.")}
    )
    role = forms.ChoiceField(label=_("Role"), choices=ROLE_CHOICES, initial=Role.REVIEWER.value, widget=select())

    def clean_email(self) -> str:
        email = str(self.cleaned_data["email"]).lower()
        if User.objects.filter(email__iexact=email).exists():
            raise forms.ValidationError(gettext("Someone with this address is here already."))
        return email


class PersonForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=120, widget=text_input(), error_messages={"required": _("Enter a name.")}
    )
    role = forms.ChoiceField(label=_("Role"), choices=ROLE_CHOICES, widget=select())
    is_active = forms.BooleanField(label=_("May sign in"), required=False)


class MemberForm(forms.Form):
    person = forms.ModelChoiceField(
        label=_("Person"),
        queryset=User.objects.none(),
        widget=select(),
        error_messages={"required": _("Choose a person.")},
    )

    def __init__(self, *args: Any, people: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["person"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = people


class ConnectionForm(forms.Form):
    """The settings an administrator may write here; a pinned one is shown and its control withheld."""

    NAMES = (
        "knowledge_enabled",
        "knowledge_forager_endpoint",
        "knowledge_forager_token",
        "knowledge_retrieval_timeout_ms",
        "knowledge_ingestion_timeout_ms",
    )

    knowledge_enabled = forms.BooleanField(label=_("Knowledge is on"), required=False)
    knowledge_forager_endpoint = forms.URLField(
        label=_("Endpoint"),
        assume_scheme="http",
        widget=text_input(spellcheck="false"),
        help_text=_("This page accepts loopback addresses only. A remote engine is set in the configuration file."),
    )
    knowledge_forager_token = forms.CharField(
        label=_("Replace the token"),
        required=False,
        widget=_secret("off"),
        help_text=_("Leave empty to keep the one that is set. It is never shown."),
    )
    knowledge_retrieval_timeout_ms = forms.IntegerField(label=_("Read timeout, ms"), min_value=50, widget=text_input())
    knowledge_ingestion_timeout_ms = forms.IntegerField(
        label=_("Import timeout, ms"), min_value=50, widget=text_input()
    )

    def __init__(self, *args: Any, settings: ConnectionSettings, **kwargs: Any) -> None:
        values = settings.values
        initial = {name: values.by_name[name].value for name in self.NAMES if name != "knowledge_forager_token"}
        initial["knowledge_forager_endpoint"] = settings.endpoint
        kwargs["initial"] = initial
        super().__init__(*args, **kwargs)
        self.pinned: dict[str, str] = {}
        for name in self.NAMES:
            held = values.by_name[name]
            if held.origin in (Origin.ENVIRONMENT, Origin.FILE):
                self.fields[name].disabled = True
                where = (
                    held.setting.variable if held.origin is Origin.ENVIRONMENT else gettext("the configuration file")
                )
                self.pinned[name] = where
                self.fields[name].help_text = gettext("Pinned by {where}.").format(where=where)
        if settings.mode is Mode.MANAGED:
            self._withhold(
                "knowledge_forager_endpoint", gettext("The managed engine listens here; its port is a setting.")
            )
            self._withhold(
                "knowledge_forager_token", gettext("This console made the managed engine's key and keeps it.")
            )

    def _withhold(self, name: str, why: str) -> None:
        """What a managed engine decides by itself is shown, not asked."""
        if name not in self.pinned:
            self.fields[name].disabled = True
            self.fields[name].help_text = why
            self.pinned[name] = gettext("the managed engine")

    def clean_knowledge_forager_endpoint(self) -> str:
        endpoint = str(self.cleaned_data["knowledge_forager_endpoint"])
        if "knowledge_forager_endpoint" not in self.pinned and urlsplit(endpoint).hostname not in LOOPBACK:
            raise forms.ValidationError(
                gettext("That address is on another machine. A remote engine is set in the configuration file.")
            )
        return endpoint.rstrip("/")

    def changes(self) -> dict[str, str]:
        """What to store: unpinned fields that differ; a token only when one was typed."""
        asked = {name: self.cleaned_data[name] for name in self.changed_data if name not in self.pinned}
        return {name: str(value) for name, value in asked.items() if name != "knowledge_forager_token" or value}


class StateForm(forms.Form):
    """A step with its reason: ``step`` is ``state|reason code``."""

    step = forms.ChoiceField(
        label=_("What happens to it"),
        widget=select(),
        error_messages={"required": _("Choose what happens to it."), "invalid_choice": _("That step is not open now.")},
    )
    reason = forms.CharField(
        label=_("Why"),
        max_length=2000,
        widget=area(rows="2"),
        error_messages={"required": _("Say why in a few words. Others will read it.")},
    )

    def __init__(self, *args: Any, steps: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["step"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", gettext("Choose…")), *steps]


class DocumentForm(forms.Form):
    band = forms.ChoiceField(
        label=_("Who may read it"), choices=[("tenant", _("This tenant")), ("general", _("Everyone"))], widget=select()
    )
    authoritative = forms.BooleanField(label=_("Governs what others say"), required=False)
    owner = forms.CharField(label=_("Owner"), required=False, max_length=200, widget=text_input())
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=2000,
        widget=text_input(),
        help_text=_("Needed to open it to everyone."),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("band") == "general" and not data.get("reason"):
            self.add_error("reason", gettext("Say why everyone may read it."))
        return data


class FolderForm(forms.Form):
    path = forms.CharField(label=_("Folder"), max_length=1000, widget=text_input(placeholder="reports/2026"))


class BulkStateForm(forms.Form):
    state = forms.ChoiceField(
        choices=[
            ("", _("Choose a step")),
            ("approved", _("Approve")),
            ("active", _("Make active again")),
            ("suspended", _("Suspend")),
            ("revoked", _("Revoke")),
            ("retiring", _("Retire")),
        ],
        widget=select(),
    )
    reason = forms.CharField(max_length=2000, widget=text_input(placeholder=_("Why? Others will read it.")))
