"""The settings an administrator may write here, as fields made from the one table of settings."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext

from console import env
from console.connection.settings import PINNED, ConnectionSettings, pinned_by, refusal
from console.pages.forms import secret_input, select, text_input
from console.wording import gettext_lazy as _

TOKEN = "knowledge_forager_token"  # noqa: S105 - the name of a setting
ENDPOINT = "knowledge_forager_endpoint"
LABELS = {
    "knowledge_enabled": _("Knowledge is on"),
    ENDPOINT: _("Endpoint"),
    TOKEN: _("Replace the token"),
    "knowledge_probe_timeout_ms": _("Probe timeout, ms"),
    "knowledge_retrieval_timeout_ms": _("Read timeout, ms"),
    "knowledge_ingestion_timeout_ms": _("Import timeout, ms"),
    "knowledge_top_k": _("Statements for a question"),
    "knowledge_max_context_chars": _("Characters of a context"),
    "auto_study": _("Study"),
    "study_interval_hours": _("Hours between two looks"),
}
HELP = {
    ENDPOINT: _("This page accepts loopback addresses only. A remote engine is set in the configuration file."),
    TOKEN: _("Leave empty to keep the one that is set. It is never shown."),
}
MANAGED = {
    ENDPOINT: _("The managed engine listens here; its port is a setting."),
    TOKEN: _("This console made the managed engine's key and keeps it."),
}
ABOUT_THE_ENGINE = (
    "knowledge_enabled",
    ENDPOINT,
    TOKEN,
    "knowledge_retrieval_timeout_ms",
    "knowledge_ingestion_timeout_ms",
)


def writable() -> tuple[env.Setting, ...]:
    return tuple(each for each in env.TABLE if each.writer is env.Writer.CONSOLE)


class SettingsForm(forms.Form):
    """Those of ``names``, in the order of the table. What is pinned is shown with what pins it."""

    def __init__(
        self, data: Any, *, settings: ConnectionSettings, names: Sequence[str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        self.settings = settings
        self.pinned: dict[str, str] = {}
        for each in writable():
            if names is None or each.name in names:
                self.fields[each.name] = self._field(each)

    def _field(self, setting: env.Setting) -> forms.Field:
        where = pinned_by(setting.name, self.settings)
        field = _FIELDS[setting.kind](setting, self.settings.values.by_name[setting.name].value)
        field.label = LABELS.get(setting.name, setting.name)
        field.help_text = HELP.get(setting.name) or gettext(setting.help)
        if setting.name == ENDPOINT:
            field.initial = self.settings.endpoint
        if where:
            self.pinned[setting.name] = where
            field.disabled = True
            field.required = False
            is_pinned = self.settings.values.origin(setting.name) in PINNED
            field.help_text = gettext("Pinned by {where}.").format(where=where) if is_pinned else MANAGED[setting.name]
        return field

    def clean(self) -> dict[str, Any]:
        """A value that may not be written is refused at its field, with the way out."""
        data = super().clean() or {}
        for name, raw in self.changes().items():
            if why := refusal(name, raw, self.settings):
                self.add_error(name, why)
        return data

    def changes(self) -> dict[str, str]:
        """What to store: unpinned fields that differ; a token only when one was typed."""
        asked = {
            name: self.cleaned_data[name]
            for name in self.changed_data
            if name not in self.pinned and name in self.cleaned_data
        }
        told = {name: str(value).strip() for name, value in asked.items()}
        if ENDPOINT in told:
            told[ENDPOINT] = told[ENDPOINT].rstrip("/")
        return {name: value for name, value in told.items() if value or not env.BY_NAME[name].secret}


def _flag(setting: env.Setting, value: env.Plain) -> forms.Field:
    return forms.BooleanField(required=False, initial=bool(value))


def _number(setting: env.Setting, value: env.Plain) -> forms.Field:
    return forms.IntegerField(
        min_value=setting.lowest, max_value=setting.highest, initial=value, widget=text_input(inputmode="numeric")
    )


def _text(setting: env.Setting, value: env.Plain) -> forms.Field:
    if setting.choices:
        return forms.ChoiceField(choices=[(each, each) for each in setting.choices], initial=value, widget=select())
    if setting.secret:
        return forms.CharField(required=False, widget=secret_input("off"))
    return forms.CharField(max_length=300, initial=value, widget=text_input(spellcheck="false"))


_FIELDS = {env.Kind.FLAG: _flag, env.Kind.NUMBER: _number, env.Kind.TEXT: _text}
