"""The forms of one's own sign-in."""

from typing import Any

from django import forms

from console.people.models import User

_CODE = {
    "class": "input",
    "autocomplete": "one-time-code",
    "autofocus": True,
    "spellcheck": "false",
}


class CodeForm(forms.Form):
    code = forms.CharField(
        label="Code",
        max_length=40,
        widget=forms.TextInput(attrs=_CODE),
        help_text="Six digits from your authenticator app, or a recovery code.",
        error_messages={"required": "Enter the code your app shows now."},
    )


class CurrentPasswordForm(forms.Form):
    current = forms.CharField(
        label="Your password now",
        strip=False,
        widget=forms.PasswordInput(attrs={"class": "input", "autocomplete": "current-password"}),
        error_messages={"required": "Enter the password you use now."},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_current(self) -> str:
        current = str(self.cleaned_data["current"])
        if not self.user.check_password(current):
            raise forms.ValidationError("That is not your password.")
        return current
