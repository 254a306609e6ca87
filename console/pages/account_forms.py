"""The forms of one's own sign-in."""

from typing import Any

from django import forms
from django.utils.translation import gettext

from console.people.models import User
from console.wording import gettext_lazy as _

_CODE = {
    "class": "input",
    "autocomplete": "one-time-code",
    "autofocus": True,
    "spellcheck": "false",
}


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(attrs=_CODE),
        help_text=_("Six digits from your authenticator app, or a recovery code."),
        error_messages={"required": _("Enter the code your app shows now.")},
    )


class CurrentPasswordForm(forms.Form):
    current = forms.CharField(
        label=_("Your password now"),
        strip=False,
        widget=forms.PasswordInput(attrs={"class": "input", "autocomplete": "current-password"}),
        error_messages={"required": _("Enter the password you use now.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_current(self) -> str:
        current = str(self.cleaned_data["current"])
        if not self.user.check_password(current):
            raise forms.ValidationError(gettext("That is not your password."))
        return current
