"""Every form of the console. Errors name the way out and keep what was typed."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext

from console.people.models import ROLE_CHOICES, User
from console.policy import Role
from console.wording import gettext_lazy as _
from knowledge.records import Base


def text_input(**attrs: str) -> forms.TextInput:
    return forms.TextInput(attrs={"class": "input", **attrs})


def area(**attrs: str) -> forms.Textarea:
    return forms.Textarea(attrs={"class": "input", "rows": "3", **attrs})


def select() -> forms.Select:
    return forms.Select(attrs={"class": "input"})


def secret_input(autocomplete: str) -> forms.PasswordInput:
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
        widget=secret_input("current-password"),
        error_messages={"required": _("Enter your password.")},
    )


class PasswordForm(forms.Form):
    current = forms.CharField(
        label=_("Your password now"),
        strip=False,
        widget=secret_input("current-password"),
        error_messages={"required": _("Enter the password you use now.")},
    )
    password = forms.CharField(
        label=_("New password"),
        strip=False,
        widget=secret_input("new-password"),
        help_text=_("At least 12 characters. A sentence is easy to keep."),
        error_messages={"required": _("Choose a password.")},
    )
    again = forms.CharField(
        label=_("The same again"),
        strip=False,
        widget=secret_input("new-password"),
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
