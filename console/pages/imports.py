"""Packages of other installations: handed in, looked through by the engine, taken in when a person says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from console.bases.interchange import drop_package, hand_in_package, take_in_package
from console.connection.states import PACKAGE_VERSION
from console.http import STOP_POLLING, refreshes
from console.pages.desk import Desk, door
from console.pages.show.labels import Tag
from console.pages.show.times import Moment, moment, size
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.policy import Permission
from console.wording import gettext_lazy as _
from knowledge.failures import Failed
from knowledge.provider import UploadFile
from knowledge.records import Import, ImportExample, ImportPlan, Tally

LIST, ONE = "pages/export/imports.html", "pages/export/import.html"
WAITS = ("checking", "applying", "reading")
ABLE = "import:anthill"
_TAGS = {
    "checking": Tag("running", "turning", _("Being looked through")),
    "ready": Tag("waiting", "clock", _("Waits for you")),
    "applying": Tag("running", "turning", _("Being taken in")),
    "reading": Tag("running", "turning", _("Being read")),
    "completed": Tag("done", "tick", _("Taken in")),
    "refused": Tag("failed", "stop", _("Refused")),
    "failed": Tag("failed", "cross", _("Failed")),
    "dropped": Tag("historical", "cross", _("Let go")),
    "expired": Tag("historical", "clock", _("Expired")),
}
_KINDS = {"document": _("Document"), "decision": _("Ruling")}
_WHATS = {"adds": _("added"), "updates": _("brought further"), "skips": _("skipped"), "keeps": _("kept as it is here")}


@dataclass(frozen=True, slots=True)
class ImportRow:
    id: str
    title: str
    tag: Tag
    size: str
    actor: str
    made: Moment
    url: str


@dataclass(frozen=True, slots=True)
class Line:
    """What comes of one kind of record, in numbers."""

    name: str
    adds: int
    updates: int
    skips: int
    keeps: int


@dataclass(frozen=True, slots=True)
class Example:
    kind: str
    name: str
    what: str
    why: str


@door(get=Permission.MANAGE_KNOWLEDGE, post=Permission.MANAGE_KNOWLEDGE)
def imports(desk: Desk) -> HttpResponse:
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Import a package"), place="export")
    if desk.request.method == "POST":
        return _hand_in(desk)
    return _list(desk)


@door(get=Permission.MANAGE_KNOWLEDGE, post=Permission.MANAGE_KNOWLEDGE)
def package_import(desk: Desk, import_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Import a package"), place="export")
    if desk.request.method != "POST":
        return _one(desk, import_id)
    taken = take_in_package(hand=desk.require_hand(), import_id=import_id)
    if isinstance(taken, Failed):
        return _one(desk, import_id, note=failure_note(taken, gettext("Nothing was taken in.")))
    messages.success(desk.request, gettext("The package is being taken in. Its documents are read next."))
    return redirect("import", desk.require_project().slug, import_id)


@door(post=Permission.MANAGE_KNOWLEDGE)
def import_drop(desk: Desk, import_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Import a package"), place="export")
    dropped = drop_package(hand=desk.require_hand(), import_id=import_id)
    if isinstance(dropped, Failed):
        return _one(desk, import_id, note=failure_note(dropped, gettext("The package was not let go.")))
    messages.success(desk.request, gettext("The package was let go. Nothing of it was taken in."))
    return redirect("imports", desk.require_project().slug)


def _hand_in(desk: Desk) -> HttpResponse:
    file = desk.request.FILES.get("package")
    if file is None or file.file is None:
        return _list(desk, note=_nothing_chosen(), status=422)
    if not _reads(desk):
        return _list(desk, status=422)
    package = UploadFile(path=file.name or "package.zip", content=cast(BinaryIO, file.file))
    given = hand_in_package(hand=desk.require_hand(), package=package)
    if isinstance(given, Failed):
        return _list(desk, note=failure_note(given, gettext("Nothing was handed in.")), status=503)
    return redirect("import", desk.require_project().slug, given.value.id)


def _list(desk: Desk, *, note: object = None, status: int = 200) -> HttpResponse:
    listed = desk.link.provider.imports(desk.require_scope())
    if isinstance(listed, Failed):
        return failed_page(desk, gettext("Import a package"), listed, place="export")
    context = {
        "rows": [_row(desk, each) for each in listed.value.items],
        "reads": _reads(desk),
        "version": PACKAGE_VERSION,
        "declared": desk.link.engine.package_version if desk.link.engine else None,
        "note": note,
    }
    return desk.answer(LIST, context, status=status)


def _one(desk: Desk, import_id: str, *, note: object = None) -> HttpResponse:
    found = desk.link.provider.import_(desk.require_scope(), import_id)
    if isinstance(found, Failed):
        return failed_page(desk, gettext("Import a package"), found, place="export")
    one = found.value
    plan = one.outcome or one.plan
    context = {
        "one": _row(desk, one),
        "is_ready": one.status == "ready",
        "is_done": one.outcome is not None,
        "polling": one.status in WAITS,
        "error": one.error,
        "lines": _lines(plan) if plan else (),
        "examples": [_example(each) for each in plan.examples] if plan else (),
        "facts": _facts(one),
        "standing": _standing(plan) if plan else "",
        "note": note,
    }
    stops = refreshes(desk.request, "state") and one.status not in WAITS
    code = STOP_POLLING if stops else 200 if note is None else 409
    return desk.answer(ONE, context, regions={"state": f"{ONE}#state"}, status=code)


def _reads(desk: Desk) -> bool:
    """Whether engine and console speak of the same packages; a difference bars packages and nothing else."""
    engine = desk.link.engine
    return engine is not None and ABLE in engine.capabilities and engine.package_version == PACKAGE_VERSION


def _row(desk: Desk, each: Import) -> ImportRow:
    return ImportRow(
        id=each.id,
        title=each.producer_base or gettext("Package"),
        tag=_TAGS.get(each.status, Tag("unknown", "question", each.status)),
        size=size(each.size_bytes),
        actor=each.actor,
        made=moment(each.created_at),
        url=reverse("import", args=[desk.require_project().slug, each.id]),
    )


def _facts(one: Import) -> list[tuple[str, str]]:
    told = [
        (gettext("Made by engine"), one.producer_id),
        (gettext("Its revision"), f"{one.producer_revision:,}" if one.producer_revision else ""),
        (gettext("Handed in by"), one.actor),
        (gettext("Size"), size(one.size_bytes)),
        (gettext("SHA-256"), one.sha256),
    ]
    return [(name, words) for name, words in told if words]


def _lines(plan: ImportPlan) -> Sequence[Line]:
    named = (
        (gettext("Documents"), plan.documents),
        (gettext("Statements"), plan.statements),
        (gettext("Rulings"), plan.decisions),
    )
    return [_line(name, tally) for name, tally in named]


def _standing(plan: ImportPlan) -> str:
    """What a person should know before opening knowledge to all, or letting it govern."""
    told = [
        (
            plan.general,
            gettext("{number:,} of the documents added are general knowledge: every agent may be told of them."),
        ),
        (plan.governing, gettext("{number:,} govern what other documents say.")),
    ]
    return " ".join(words.format(number=number) for number, words in told if number)


def _line(name: str, tally: Tally) -> Line:
    return Line(name, tally.adds, tally.updates, tally.skips, tally.keeps)


def _example(each: ImportExample) -> Example:
    return Example(
        kind=str(_KINDS.get(each.kind, each.kind)),
        name=each.name if each.kind == "document" else each.name.replace("|", ", ").replace("_", " "),
        what=str(_WHATS.get(each.what, each.what)),
        why=each.why,
    )


def _nothing_chosen() -> Note:
    return Note(
        tone="care",
        icon="stop",
        title=gettext("No file was chosen"),
        sentence=gettext("Nothing was handed in."),
        next_step=gettext("Choose the package another installation made, then hand it in."),
    )
