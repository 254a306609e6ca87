"""What agents were handed: the packages of a base, one of them byte for byte, and whether it still stands."""

from typing import cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.agents.callers import limits_of
from console.packages.actions import note_standing
from console.packages.keeper import TokenPackages, package_of
from console.packages.models import Package
from console.packages.queries import find_package, latest_outcomes, packages_of
from console.pages.desk import Desk, door
from console.pages.show.context import context_lines
from console.pages.show.packages import (
    check_rows,
    correction_rows,
    held_rows,
    outcome_rows,
    package_row,
    standing_tag,
    worst_of,
)
from console.pages.show.text import visible_line
from console.pages.show.times import moment
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from knowledge.failures import Failed, Failure
from knowledge.failures import Outcome as Answer
from knowledge.scope import KnowledgeScope
from knowledge.tools.seat import Ask
from knowledge.tools.standing import Verdict, reference_of, standing_of
from knowledge.vocabulary import Support

LIST, PAGE = "pages/knowledge/packages.html", "pages/knowledge/package.html"
PER_PAGE = 50
UNKNOWN = Failed(Failure.NOT_FOUND, "No such package.")


@door(get=Permission.READ_KNOWLEDGE)
def packages(desk: Desk) -> HttpResponse:
    """Latest first; of this project's agents alone."""
    title = gettext("Packages")
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, title, place="knowledge")
    project, asked = desk.require_project(), desk.request.GET
    rows = packages_of(desk.link.scope.base_id, project.pk)
    before, statement = asked.get("before", ""), asked.get("statement", "")[:200]
    if statement:
        rows = rows.filter(quotes__statement_id=statement).distinct()
    total = rows.count()
    shown = list(rows.filter(pk__lt=int(before))[: PER_PAGE + 1] if before.isdigit() else rows[: PER_PAGE + 1])
    told = latest_outcomes([each.pk for each in shown[:PER_PAGE]])
    context = {
        "rows": [package_row(each, project.slug, told.get(each.pk, "")) for each in shown[:PER_PAGE]],
        "total": total,
        "older": shown[PER_PAGE - 1].pk if len(shown) > PER_PAGE else None,
        "statement": statement,
        "tab": "packages",
    }
    return desk.answer(LIST, context)


@door(get=Permission.READ_KNOWLEDGE, post=Permission.READ_KNOWLEDGE)
def package(desk: Desk, package_key: str) -> HttpResponse:
    """Its bytes come only after everything they quote was checked with the engine, on every read."""
    title = gettext("Package")
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, title, place="knowledge")
    row = find_package(desk.link.scope.base_id, desk.require_project().pk, package_key)
    if row is None:
        return failed_page(desk, title, UNKNOWN, place="knowledge")
    checked = _checked(desk, desk.link.scope, row)
    if isinstance(checked, Failed):
        return failed_page(desk, title, checked, place="knowledge")
    is_held, found = checked.value
    if not is_held:  # reading it may just have emptied it
        row = find_package(row.base_id, desk.require_project().pk, package_key) or row
    if desk.request.method == "POST":
        worst = worst_of(found)
        note_standing(package=row, standing=worst)
        words = gettext("Checked now: %(standing)s.") % {"standing": standing_tag(worst).words}
        messages.success(desk.request, words)
        return redirect("package", desk.require_project().slug, row.key)
    return _page(desk, row, found, is_held=is_held)


@door(get=Permission.READ_KNOWLEDGE)
def package_manifest(desk: Desk, package_key: str) -> HttpResponse:
    """The canonical bytes that the digest is of: ids, versions and digests, no word of a document."""
    if not desk.link.readable or desk.link.scope is None:
        return unreadable(desk, gettext("Package"), place="knowledge")
    row = find_package(desk.link.scope.base_id, desk.require_project().pk, package_key)
    if row is None:
        return failed_page(desk, gettext("Package"), UNKNOWN, place="knowledge")
    answer = HttpResponse(bytes(row.manifest), content_type="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{row.key}.json"'
    return answer


def _checked(desk: Desk, scope: KnowledgeScope, row: Package) -> Answer[tuple[bool, tuple[Verdict, ...]]]:
    """As the person who asks may read: both bands, every support."""
    keeper = TokenPackages(row.token, lambda: scope, lambda: desk.link.provider)
    kept = package_of(row)
    ask = Ask(desk.link.provider, scope, Support.UNVERIFIED_CLAIM, limits_of(desk.link.settings), keeper)
    return standing_of(ask, kept, [reference_of(each) for each in kept.quoted])


def _page(desk: Desk, row: Package, found: tuple[Verdict, ...], *, is_held: bool) -> HttpResponse:
    slug = desk.require_project().slug
    text = bytes(row.body).decode("utf-8", "replace") if is_held and row.body is not None else ""
    manifest = package_of(row).manifest
    limits = cast("dict[str, int]", manifest["limits"])
    context = {
        "row": package_row(row, slug),
        "is_held": is_held,
        "lines": context_lines(text) if text else [],
        "digest": row.digest,
        "manifest_digest": row.manifest_digest,
        "purged": moment(row.purged_at),
        "because": visible_line(row.purged_because),
        "manifest": [(name, str(manifest[name])) for name in ("view_id", "min_support", "request_id", "query_digest")],
        "purpose": visible_line(str(manifest["purpose"])),
        "limits": ", ".join(f"{name} {number:,}" for name, number in limits.items()),
        "held": held_rows(row, found, slug),
        "now": standing_tag(worst_of(found)),
        "outcomes": outcome_rows(list(row.outcomes.all()), is_held=is_held),
        "checks": check_rows(list(row.citation_checks.all()), is_held=is_held),
        "corrections": correction_rows(list(row.corrections.all()), slug),
        "tab": "packages",
    }
    return desk.answer(PAGE, context)
