"""Settings: every one of the table, as it stands and where from; what may be written here is written here."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console import env
from console.connection.actions import forget_settings, store_settings
from console.connection.models import StoredSetting
from console.connection.providers import forget_probe
from console.connection.settings import declared, pinned_by
from console.pages.desk import Desk, door
from console.pages.setting_forms import SettingsForm, writable
from console.pages.state import Note
from console.policy import Permission
from console.wording import gettext_lazy as _

ORIGINS = {
    env.Origin.ENVIRONMENT: _("environment"),
    env.Origin.FILE: _("configuration file"),
    env.Origin.STORED: _("written here"),
    env.Origin.DEFAULT: _("default"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """``pinned`` names what decides it where it could be written here; ``is_kept``: something written here is held."""

    name: str
    variable: str
    value: str
    origin: str
    help: str
    is_written_here: bool
    pinned: str
    is_live: bool
    is_kept: bool


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def configuration(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    if posted and "forget" in desk.request.POST:
        return _forgotten(desk, desk.request.POST["forget"])
    form = SettingsForm(desk.request.POST if posted else None, settings=desk.link.settings)
    if posted and form.is_valid():
        refused = store_settings(by=desk.by, changes=changes) if (changes := form.changes()) else {}
        for name, why in refused.items():
            form.add_error(name, why)
        if not refused:
            forget_probe()
            messages.success(desk.request, gettext("Saved. The next request uses it."))
            return redirect("configuration")
    context = {"form": form, "rows": _rows(desk), "problem": _problem()}
    return desk.answer("pages/connection/settings.html", context, status=422 if posted else 200)


def _forgotten(desk: Desk, name: str) -> HttpResponse:
    known = name in [each.name for each in writable()]
    if known and forget_settings(by=desk.by, names=[name]):
        forget_probe()
        messages.success(desk.request, gettext("{name} has its default again.").format(name=name))
    else:
        messages.warning(desk.request, gettext("Nothing was written here for it. Nothing was changed."))
    return redirect("configuration")


def _problem() -> Note | None:
    """A file or an environment that cannot be read changes nothing, and is told until it is mended."""
    if not declared.problem:
        return None
    return Note(
        "stop",
        "stop",
        gettext("The configuration cannot be read"),
        gettext("{problem} What was read before holds.").format(problem=declared.problem),
        gettext("Correct it; the next request reads it again."),
    )


def _rows(desk: Desk) -> list[Row]:
    kept = set(StoredSetting.objects.values_list("name", flat=True))
    return [_row(desk, each, is_kept=each.name in kept) for each in env.TABLE]


def _row(desk: Desk, setting: env.Setting, *, is_kept: bool) -> Row:
    held = desk.link.settings.values.by_name[setting.name]
    is_written_here = setting.writer is env.Writer.CONSOLE
    return Row(
        name=setting.name,
        variable=setting.variable,
        value=_value(held),
        origin=str(ORIGINS[held.origin]),
        help=gettext(setting.help),
        is_written_here=is_written_here,
        pinned=pinned_by(setting.name, desk.link.settings) if is_written_here else "",
        is_live=setting.is_live,
        is_kept=is_kept and is_written_here,
    )


def _value(held: env.Value) -> str:
    if held.setting.secret:
        return gettext("set, never shown") if held.value else ""
    if isinstance(held.value, bool):
        return gettext("yes") if held.value else gettext("no")
    return ", ".join(held.value) if isinstance(held.value, tuple) else str(held.value)
