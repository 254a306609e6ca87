"""Backups: ask for one, follow it, take it away, let it go. A process beside the web makes it."""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext

from console.backups.actions import ask_backup, file_of, folder_of, let_backup_go, note_taken
from console.backups.models import Backup, BackupState
from console.connection.settings import Mode
from console.http import STOP_POLLING, refreshes
from console.pages.desk import Desk, door
from console.pages.show.labels import Tag
from console.pages.show.times import Moment, moment, size
from console.policy import Permission
from console.wording import gettext_lazy as _
from console.wording import plural

PAGE = "pages/backups/list.html"
SHOWN = 50
TAKEN_UP_WITHIN = timedelta(minutes=1)
_TAGS = {
    BackupState.ASKED: Tag("waiting", "clock", _("Asked for")),
    BackupState.MAKING: Tag("running", "turning", _("Being made")),
    BackupState.DONE: Tag("done", "tick", _("Made")),
    BackupState.FAILED: Tag("failed", "cross", _("Failed")),
    BackupState.GONE: Tag("historical", "clock", _("Let go")),
}


@dataclass(frozen=True, slots=True)
class BackupRow:
    """``told`` is what a person must know of it; ``key`` is empty where there is no file here."""

    key: str
    title: str
    asked: Moment
    by: str
    tag: Tag
    holds: str
    told: str
    size: str
    sha256: str


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def backups(desk: Desk) -> HttpResponse:
    if desk.request.method == "POST":
        ask_backup(by=desk.by)
        messages.success(desk.request, gettext("Asked for. It appears below when it is made; work goes on meanwhile."))
        return redirect("backups")
    return _list(desk)


@door(get=Permission.MANAGE_SETTINGS)
def backup_download(desk: Desk, backup_key: str) -> HttpResponseBase:
    """The whole file, kept by no cache and always an attachment."""
    backup = _found(backup_key)
    path = file_of(backup, desk.link.settings.values)
    if path is None:
        messages.warning(desk.request, gettext("Its file is not in the folder of backups of this host."))
        return redirect("backups")
    if desk.request.method == "GET":
        note_taken(by=desk.by, backup=backup)
    response = FileResponse(path.open("rb"), as_attachment=True, filename=path.name)
    response.headers["Content-Type"] = "application/octet-stream"
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response.headers["Cache-Control"] = "no-store"
    return response


@door(post=Permission.MANAGE_SETTINGS)
def backup_let_go(desk: Desk, backup_key: str) -> HttpResponse:
    if let_backup_go(by=desk.by, backup=_found(backup_key), values=desk.link.settings.values):
        messages.success(desk.request, gettext("Its file is gone from this host. Copies taken before are yours."))
    else:
        messages.warning(desk.request, gettext("Its file is not here, or may not be deleted. Nothing was changed."))
    return redirect("backups")


def _found(key: str) -> Backup:
    backup = Backup.objects.filter(key=key).first()
    if backup is None:
        raise Http404
    return backup


def _list(desk: Desk) -> HttpResponse:
    values = desk.link.settings.values
    listed = list(Backup.objects.all()[:SHOWN])
    polling = any(each.state in (BackupState.ASKED, BackupState.MAKING) for each in listed)
    days = values.number("keep_backups_days")
    context = {
        "rows": [_row(each, desk) for each in listed],
        "polling": polling,
        "is_managed": desk.link.settings.mode is Mode.MANAGED,
        "folder": folder_of(values),
        "kept": plural(days, "day", "days") if days else "",
    }
    stops = refreshes(desk.request, "made") and not polling
    return desk.answer(PAGE, context, regions={"made": f"{PAGE}#made"}, status=STOP_POLLING if stops else 200)


def _row(backup: Backup, desk: Desk) -> BackupRow:
    state = BackupState(backup.state)
    is_here = file_of(backup, desk.link.settings.values) is not None
    return BackupRow(
        key=backup.key if is_here else "",
        title=backup.file or gettext("Backup"),
        asked=moment(backup.asked_at),
        by=backup.asked_by,
        tag=_TAGS[state],
        holds=_holds(backup) if state is BackupState.DONE else "",
        told=_told(backup, state, is_here=is_here),
        size=size(backup.size_bytes) if backup.size_bytes else "",
        sha256=backup.sha256 if state is BackupState.DONE else "",
    )


def _holds(backup: Backup) -> str:
    if backup.engine_instance:
        return gettext("The console and engine {instance}.").format(instance=backup.engine_instance)
    return gettext("The console alone. {why}").format(why=backup.engine_left_out)


def _told(backup: Backup, state: BackupState, *, is_here: bool) -> str:
    if state is BackupState.ASKED and timezone.now() - backup.asked_at > TAKEN_UP_WITHIN:
        return gettext("Nobody has taken it up: bin/run or manage.py colony makes it, and neither seems to run.")
    if state is BackupState.DONE and not is_here:
        return gettext("Its file is not in the folder of backups here; it was made on {host}.").format(host=backup.host)
    return backup.reason
