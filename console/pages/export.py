"""Export: make a file of the knowledge with its evidence, follow it, take it."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from console.bases.interchange import make_export, note_download
from console.http import STOP_POLLING, refreshes
from console.pages.desk import Desk, door
from console.pages.downloads import streamed
from console.pages.show.labels import Tag
from console.pages.show.text import visible_line
from console.pages.show.times import Moment, moment, size
from console.pages.state import failed_page, failure_note, unreadable
from console.policy import Permission
from console.wording import gettext_lazy as _
from console.wording import plural
from knowledge.failures import Failed
from knowledge.records import Base
from knowledge.records import Export as ExportRecord

PAGE = "pages/export/list.html"
ENDED = ("completed", "failed", "expired", "cancelled")
FORMATS = {
    "jsonl": (
        _("Records"),
        _("One file a record kind, one line a record, zipped: statements with evidence, conflicts with rulings."),
    ),
    "anthill": (
        _("Package"),
        _("For another installation: the records and the texts they quote, tenant and general apart, a digest a file."),
    ),
    "obsidian": (
        _("Vault"),
        _("Notes to read and link: one a source, an entity and a disagreement, each statement with what it rests on."),
    ),
}
_TAGS = {
    "queued": Tag("waiting", "clock", _("Queued")),
    "running": Tag("running", "turning", _("Running")),
    "completed": Tag("done", "tick", _("Completed")),
    "failed": Tag("failed", "cross", _("Failed")),
    "expired": Tag("historical", "clock", _("Expired")),
}
_WITHDRAWN = Tag("historical", "slash", _("Withdrawn"))


@dataclass(frozen=True, slots=True)
class ExportRow:
    id: str
    title: str
    revision: str
    tag: Tag
    why: str
    size: str
    sha256: str
    counts: str
    made: Moment
    download_url: str


@door(get=Permission.EXPORT_KNOWLEDGE, post=Permission.EXPORT_KNOWLEDGE)
def export(desk: Desk) -> HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Export"), place="export")
    if desk.request.method == "POST":
        return _make(desk)
    return _list(desk)


@door(get=Permission.EXPORT_KNOWLEDGE)
def export_download(desk: Desk, export_id: str) -> HttpResponseBase:
    if not desk.link.readable:
        return unreadable(desk, gettext("Export"), place="export")
    hand = desk.require_hand()
    content = hand.provider.export_content(hand.scope, export_id)
    note_download(hand=hand, target=export_id, outcome=content)
    if isinstance(content, Failed):
        return failed_page(desk, gettext("Export"), content, place="export")
    return streamed(content.value)


def _make(desk: Desk) -> HttpResponse:
    asked = desk.request.POST.get("format", "jsonl")
    if asked not in _offered(desk):
        return _list(desk, status=422)
    made = make_export(hand=desk.require_hand(), file_format=asked)
    if isinstance(made, Failed):
        return _list(desk, note=failure_note(made, gettext("No file was made.")), status=503)
    messages.success(desk.request, gettext("Making the file. It appears below with its checksum."))
    return redirect("export", desk.require_project().slug)


def _list(desk: Desk, *, note: object = None, status: int = 200) -> HttpResponse:
    link = desk.link
    listed = link.provider.exports(desk.require_scope())
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Export"), listed, place="export")
    polling = any(each.status not in ENDED for each in listed.value.items)
    context = {
        "rows": [_row(each, desk) for each in listed.value.items],
        "polling": polling,
        "contents": _contents(link.base) if link.base else [],
        "revision": f"{link.base.current_revision:,}" if link.base else "",
        "published": moment(link.base.last_published_at if link.base else None),
        "open_conflicts": _open_words(link.base) if link.base else "",
        "formats": [(key, *FORMATS[key]) for key in _offered(desk)],
        "note": note,
        "may_import": desk.may(Permission.MANAGE_KNOWLEDGE),
    }
    stops = refreshes(desk.request, "history") and not polling
    return desk.answer(PAGE, context, regions={"history": f"{PAGE}#history"}, status=STOP_POLLING if stops else status)


def _offered(desk: Desk) -> list[str]:
    """The formats that this console has words for and the engine says it makes."""
    able = desk.link.engine.capabilities if desk.link.engine else frozenset()
    return [key for key in FORMATS if f"export:{key}" in able]


def _row(each: ExportRecord, desk: Desk) -> ExportRow:
    done = each.status == "completed"
    url = reverse("export-download", args=[desk.require_project().slug, each.id])
    return ExportRow(
        id=each.id,
        title=FORMATS.get(each.format, (each.format, ""))[0],
        revision=each.revision,
        tag=_tag(each),
        why=visible_line(each.error),
        size=size(each.size_bytes) if done else "",
        sha256=each.sha256.rpartition(":")[2] if done else "",
        counts=", ".join(plural(count, name.replace("_", " "), name.replace("_", " ")) for name, count in each.counts),
        made=moment(each.created_at),
        download_url=url if done else "",
    )


def _tag(each: ExportRecord) -> Tag:
    """A file whose time is over says no more than that; one that was taken back early says why."""
    if each.status == "expired" and each.error:
        return _WITHDRAWN
    return _TAGS.get(each.status, Tag("unknown", "question", each.status))


def _contents(base: Base) -> list[tuple[str, str]]:
    return [
        (gettext("Sources"), f"{base.source_count:,}"),
        (gettext("Statements"), f"{base.statement_count:,}"),
        (gettext("Entities"), f"{base.entity_count:,}"),
        (gettext("Open conflicts"), f"{base.open_conflict_count:,}"),
    ]


def _open_words(base: Base) -> str:
    number = base.open_conflict_count
    if not number:
        return ""
    return ngettext(
        "{number:,} conflict is open. It travels as a conflict; neither side is exported as settled.",
        "{number:,} conflicts are open. They travel as conflicts; neither side is exported as settled.",
        number,
    ).format(number=number)
