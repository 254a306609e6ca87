"""Review: only disagreements. The list, one conflict with its sides, the ruling, the trail."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from console.bases.actions import reopen_conflict, rule_on_conflict
from console.pages.desk import Desk, door
from console.pages.forms import NoteForm, RulingForm
from console.pages.knowledge import texts_for
from console.pages.show.conflicts import (
    TWINS,
    ConflictRow,
    conflict_lead,
    conflict_row,
    conflict_title,
    decision_row,
    event_row,
    ruling_view,
    side_views,
)
from console.pages.show.grounds import grounds
from console.pages.show.labels import conflict_kind
from console.pages.show.text import plural, short_digest, visible_line
from console.pages.show.times import moment
from console.pages.state import Note, failed_page, failure_note, unreadable
from console.policy import Permission
from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import Decision
from knowledge.records import Base, Conflict, Source, Statement
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus

PAGE = "pages/review/list.html"
STATUSES = {"open": "Open", "solved": "Ruled and dismissed", "": "All"}


@door(get=Permission.READ_KNOWLEDGE)
def review(desk: Desk) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None or link.base is None:
        return unreadable(desk, "Review", place="review")
    asked = desk.request.GET.get("show", "open")
    shown = asked if asked in STATUSES else "open"
    listed = link.provider.conflicts(link.scope, page_size=200)
    if isinstance(listed, Failed):
        return failed_page(desk, "Review", listed, place="review")
    kind = desk.request.GET.get("kind", "")
    items = sorted((each for each in listed.value.items if _wanted(each, shown)), key=lambda each: each.type == TWINS)
    rows = [conflict_row(each, slug) for each in items if not kind or each.type == kind]
    context = {
        "rows": [row for row in rows if not row.maybe],
        "maybes": [row for row in rows if row.maybe],
        "shown": shown,
        "statuses": [(key, words, key == shown) for key, words in STATUSES.items()],
        "kinds": _kinds(items, kind),
        "kind": kind,
        "heading": _heading([row for row in rows if not row.maybe], shown),
        "looked": _looked(link.base),
        "solved": sum(1 for each in listed.value.items if each.status is not ConflictStatus.OPEN),
    }
    return desk.answer(PAGE, context, regions={"conflicts": f"{PAGE}#conflicts"})


@door(get=Permission.READ_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def conflict(desk: Desk, conflict_id: str) -> HttpResponse:
    link = desk.link
    if not link.readable or link.scope is None:
        return unreadable(desk, "Review", place="review")
    found = link.provider.conflict(link.scope, conflict_id)
    if isinstance(found, Failed):
        return failed_page(desk, "Review", found, place="review")
    if desk.request.method == "POST":
        return _rule(desk, link.scope, found.value)
    return _page(desk, link.scope, found.value, _fresh_form(found.value))


@door(post=Permission.REVIEW_KNOWLEDGE)
def conflict_reopen(desk: Desk, conflict_id: str) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, "Review", place="review")
    hand = desk.require_hand()
    form = NoteForm(desk.request.POST)
    if form.is_valid():
        answer = reopen_conflict(hand=hand, conflict_id=conflict_id, notes=form.cleaned_data["notes"])
        if isinstance(answer, Ok):
            messages.success(desk.request, "Open again. The earlier ruling stays in the trail.")
            return redirect("conflict", hand.project.slug, conflict_id)
        note = failure_note(answer, "The ruling stands as it was.")
    else:
        note = None
    found = hand.provider.conflict(hand.scope, conflict_id)
    if isinstance(found, Failed):
        return failed_page(desk, "Review", found, place="review")
    status = 503 if note else 422
    return _page(desk, hand.scope, found.value, _fresh_form(found.value), note=note, reopen=form, status=status)


@door(get=Permission.READ_KNOWLEDGE)
def history(desk: Desk) -> HttpResponse:
    link, slug = desk.link, desk.require_project().slug
    if not link.readable or link.scope is None:
        return unreadable(desk, "Review history", place="review")
    listed = link.provider.review_events(link.scope, cursor=desk.request.GET.get("cursor", ""))
    if isinstance(listed, Failed):
        return failed_page(desk, "Review history", listed, place="review")
    rows = [event_row(each, slug) for each in listed.value.items]
    lost = link.provider.decisions(link.scope, state="orphaned")
    orphans = [decision_row(each) for each in lost.value.items] if isinstance(lost, Ok) else []
    context = {"rows": rows, "orphans": orphans, "next_cursor": listed.value.next_cursor}
    return desk.answer("pages/review/history.html", context)


def _rule(desk: Desk, scope: KnowledgeScope, found: Conflict) -> HttpResponse:
    form = RulingForm(desk.request.POST, sides=found.sides)
    if not form.is_valid():
        return _page(desk, scope, found, form, status=422)
    data = form.cleaned_data
    decision = Decision(
        action=form.action,
        actor=desk.user.name,
        notes=data["notes"],
        expected_digest=data["digest"],
        side_id=form.side_id,
        discriminator_kind=data["told_apart_by"] if form.action == "both" else "",
        discriminator_value=data["told_apart"] if form.action == "both" else "",
        assignee=data["assignee"] if form.action == "needs_evidence" else "",
    )
    answer = rule_on_conflict(hand=desk.require_hand(), conflict_id=found.id, decision=decision)
    if isinstance(answer, Failed):
        return _refused(desk, scope, found, form, answer)
    ruled = ruling_view(answer.value)
    messages.success(desk.request, f"Ruled: {ruled.words if ruled else 'recorded'}.")
    return redirect("conflict", desk.require_project().slug, found.id)


def _refused(desk: Desk, scope: KnowledgeScope, read: Conflict, form: RulingForm, failed: Failed) -> HttpResponse:
    """Nothing was recorded. What was typed is kept, and the page says what changed meanwhile."""
    if failed.failure is not Failure.CONFLICT:
        note = failure_note(failed, "Your ruling was not saved; your reason is kept below.")
        status = 422 if failed.failure is Failure.INVALID else 503
        return _page(desk, scope, read, form, note=note, status=status)
    again = desk.link.provider.conflict(scope, read.id)
    now = again.value if isinstance(again, Ok) else read
    rebound = RulingForm(_rebound(desk, now), sides=now.sides)
    rebound.is_valid()
    return _page(desk, scope, now, rebound, note=_overtaken(desk, now), status=409)


def _overtaken(desk: Desk, now: Conflict) -> Note:
    ruling = ruling_view(now)
    if ruling is not None and now.status is not ConflictStatus.OPEN:
        words = f"{ruling.actor} recorded {ruling.words} {ruling.at.words}, while you were reading."
        return Note(
            "care",
            "person",
            "Someone ruled before you",
            f"{words} Your ruling was not saved; your reason is kept below.",
            "Read that ruling; reopen the conflict if you see it differently.",
        )
    changed = _changed_sides(desk, now)
    return Note(
        "care",
        "bent",
        "What you read has changed",
        f"{changed} Nothing was recorded; your reason is kept below.",
        "Read the sides again, then rule.",
    )


def _changed_sides(desk: Desk, now: Conflict) -> str:
    read = dict(part.partition("=")[::2] for part in desk.request.POST.get("sides", "").split(",") if part)
    letters = [chr(65 + i) for i, side in enumerate(now.sides) if side.id in read and read[side.id] != side.digest]
    new = [chr(65 + i) for i, side in enumerate(now.sides) if side.id not in read]
    told = [f"Side {letter} rests on other words now." for letter in letters]
    told += [f"Side {letter} is new." for letter in new]
    if len(now.sides) < len(read):
        told.append("A side is gone.")
    return " ".join(told) or "The evidence was read again."


def _rebound(desk: Desk, now: Conflict) -> dict[str, str]:
    """What was typed, bound to what is true now; the choice itself must be made again."""
    kept = {name: desk.request.POST.get(name, "") for name in ("notes", "told_apart_by", "told_apart", "assignee")}
    return {**kept, "ruling": desk.request.POST.get("ruling", ""), **_bound_to(now)}


def _bound_to(conflict: Conflict) -> dict[str, str]:
    return {
        "digest": conflict.digest,
        "sides": ",".join(f"{side.id}={side.digest}" for side in conflict.sides),
    }


def _fresh_form(conflict: Conflict) -> RulingForm:
    """Nothing is chosen beforehand, whatever the engine suggests."""
    return RulingForm(initial=_bound_to(conflict), sides=conflict.sides)


def _page(
    desk: Desk,
    scope: KnowledgeScope,
    found: Conflict,
    form: RulingForm,
    *,
    note: Note | None = None,
    reopen: NoteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    slug = desk.require_project().slug
    whole = _with_statements(desk, scope, found)
    listed = desk.link.provider.sources(scope, page_size=200)
    sources: dict[str, Source] = {each.id: each for each in listed.value.items} if isinstance(listed, Ok) else {}
    first = tuple(_first_of_sides(whole))
    sides = side_views(whole, slug, texts_for(desk, scope, first), sources)
    is_open = found.status is ConflictStatus.OPEN
    may_rule = desk.may(Permission.REVIEW_KNOWLEDGE)
    context = {
        "conflict": conflict_row(found, slug),
        "title": conflict_title(found),
        "lead": conflict_lead(found),
        "attribute": "" if found.type == TWINS else visible_line(found.attribute_key.replace("|", " | ")),
        "sides": sides,
        "pair": len(sides) == 2,
        "digest": short_digest(found.digest),
        "suggestion": visible_line(found.suggestion.reason) if found.suggestion and is_open else "",
        "ruling": ruling_view(found),
        "form": form if is_open and may_rule else None,
        "kept_notes": form["notes"].value() if not is_open and form.is_bound else "",
        "reopen": (reopen or NoteForm()) if not is_open and may_rule else None,
        "note": note,
        "is_open": is_open,
        "grounds": grounds(whole),
        "looked": _looked(desk.link.base) if desk.link.base else None,
    }
    return desk.answer("pages/review/detail.html", context, status=status)


def _with_statements(desk: Desk, scope: KnowledgeScope, found: Conflict) -> Conflict:
    """The conflict with whole statements; those that came without evidence are read again in one batch."""
    if not found.statement_ids or (found.statements and all(each.evidence for each in found.statements)):
        return found
    batch = desk.link.provider.statements_by_id(scope, found.statement_ids[:50])
    if isinstance(batch, Failed):
        return found
    return replace(found, statements=batch.value.items)


def _first_of_sides(found: Conflict) -> list[Statement]:
    known = {each.id: each for each in found.statements}
    firsts = [next((known[each] for each in side.statement_ids if each in known), None) for side in found.sides]
    return [each for each in firsts if each is not None]


def _wanted(conflict: Conflict, shown: str) -> bool:
    if not shown:
        return True
    return (conflict.status is ConflictStatus.OPEN) == (shown == "open")


def _kinds(items: list[Conflict], kind: str) -> list[tuple[str, str, int, bool]]:
    counts: dict[str, int] = {}
    for each in items:
        counts[each.type] = counts.get(each.type, 0) + 1
    return [(name, conflict_kind(name), count, name == kind) for name, count in sorted(counts.items())]


def _heading(rows: list[ConflictRow], shown: str) -> str:
    word = {"open": "open", "solved": "ruled or dismissed", "": "in all"}[shown]
    return f"{len(rows):,} {word}"


def _looked(base: Base) -> dict[str, object]:
    """When the detector last compared, and what it did not: an empty list means something only beside this."""
    last = base.last_pass
    if last.at is None:
        return {"at": None, "words": "", "skipped": ""}
    reasons = ", ".join(f"{count:,} {visible_line(reason.replace('_', ' '))}" for reason, count in last.reasons)
    skipped = f"skipped {last.skipped:,}" + (f": {reasons}" if reasons else "")
    return {"at": moment(last.at), "words": plural(last.pairs, "pair"), "skipped": skipped}
