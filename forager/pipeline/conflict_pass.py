"""Looks for conflicts over the whole base, which takes long, and then writes those of the revision to come."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from forager.model.ids import digest, stable_id
from forager.model.models import Conflict, ConflictMember, ConflictSide, KnowledgeBase, Source
from forager.pipeline.placing import placed
from forager.pipeline.recording import close
from forager.resolution.conflicts import FoundConflict, FoundSide, detect
from forager.resolution.pairing import Work
from forager.resolution.supersession import suggest
from forager.review import anchors

HEADINGS = ("heading", "title")


@dataclass(frozen=True, slots=True)
class Looked:
    """What a pass found, and how the base stood when it looked."""

    view: str
    found: Sequence[FoundConflict]
    work: Work


def look(base: KnowledgeBase, superseded: Set[str], pulse: Callable[[], None] = lambda: None) -> Looked:
    """Compares all claims that stand, without writing anything; it takes long where there are many.

    ``superseded`` are sources whose document has a newer version; ``pulse`` is called now and then.
    """
    view = base.view_id
    found, work = detect(placed(base, superseded), pulse)
    return Looked(view, found, work)


def write(base: KnowledgeBase, looked: Looked) -> None:
    """Inside a unit: the conflicts of the revision to come, and the record of the pass."""
    found, work = looked.found, looked.work
    wanted = {c["row"].conflict_id: c for c in (*(_conflict(base, f) for f in found), *_duplicates(base))}
    known = {c.conflict_id: c for c in Conflict.objects.pending().filter(base=base)}
    gone = [i for i, c in known.items() if i not in wanted or c.digest != wanted[i]["row"].digest]
    close(Conflict.objects.pending().filter(base=base, conflict_id__in=gone), base)
    for identity in sorted(wanted):
        if identity not in known or identity in gone:
            _write(wanted[identity])
    base.last_detector_pass = {
        "at": timezone.now().isoformat().replace("+00:00", "Z"),
        "pairs": work.pairs,
        "skipped": work.skipped.total(),
        "reasons": dict(sorted(work.skipped.items())),
    }
    base.save(update_fields=["last_detector_pass"])


def _conflict(base: KnowledgeBase, found: FoundConflict) -> dict[str, Any]:
    values = [side.value for side in found.sides]
    identity = anchors.conflict_id(base.namespace, found.type, found.key, values)
    sides = [_side(base, identity, at, side) for at, side in enumerate(found.sides)]
    hint = suggest(found)
    suggestion = {"winner": sides[hint[0]]["row"].side_id, "reason": hint[1]} if hint else None
    row = _row(base, identity, found.type, found.key, found.description, found.why, suggestion, sides)
    if _only_headings_name_it(found):
        row["row"].certainty = "candidate"
        row["row"].digest = digest(row["row"].digest, "candidate")
    return row


def _only_headings_name_it(found: FoundConflict) -> bool:
    """No side's own sentence says of what it speaks: the headings do, and a heading may cover more than one thing."""
    return all(m.subject_origin in HEADINGS for side in found.sides for m in side.members)


def _side(base: KnowledgeBase, conflict_id: str, at: int, side: FoundSide) -> dict[str, Any]:
    members = sorted({(m.item_id, m.origin.source_id, m.origin.document_id, m.excerpt_hash) for m in side.members})
    return _side_row(base, conflict_id, at, side.value, side.value_raw, side.origins, members)


def _side_row(
    base: KnowledgeBase,
    conflict_id: str,
    at: int,
    value: str,
    value_raw: str,
    origins: int,
    members: Sequence[tuple[str, str, str, str]],
) -> dict[str, Any]:
    row = ConflictSide(
        side_id=stable_id("cs", base.namespace, conflict_id, value),
        position=at,
        value=value[:500],
        value_raw=value_raw[:500],
        origins=origins,
        digest=digest(value, members),
    )
    return {"row": row, "members": members}


def _row(
    base: KnowledgeBase,
    identity: str,
    kind: str,
    key: str,
    description: str,
    why: str,
    suggestion: dict[str, str] | None,
    sides: list[dict[str, Any]],
) -> dict[str, Any]:
    row = Conflict(
        conflict_id=identity,
        base=base,
        type=kind,
        subject=key.partition("|")[0][:300],
        attribute_key=key[:500],
        description=description,
        why=why,
        suggestion=suggestion,
        digest=digest([s["row"].digest for s in sides], suggestion),
        detected_at=timezone.now(),
        rev_from=base.next_revision,
    )
    return {"row": row, "sides": sides}


def _duplicates(base: KnowledgeBase) -> Iterable[dict[str, Any]]:
    """Each copy beside the first of its text: same bytes or the same words. A copy adds no origin."""
    copies = Source.objects.filter(base=base, superseded_by="").exclude(duplicate_of="").select_related("stored")
    for copy in copies:
        first = Source.objects.select_related("stored").get(pk=copy.duplicate_of)
        same_bytes = copy.content_hash == first.content_hash
        what = "the same bytes" if same_bytes else "the same words in another notation"
        identity = anchors.conflict_id(base.namespace, anchors.DUPLICATE, "", (first.path, copy.path))
        sides = [
            _side_row(base, identity, at, s.path, s.path, 1 - at, [("", s.pk, s.document_id, s.stored.plain_hash)])
            for at, s in enumerate((first, copy))
        ]
        description = f"{copy.path} has {what} as {first.path}; they count as one origin"
        yield _row(base, identity, anchors.DUPLICATE, f"{first.path}|copy", description, what, None, sides)


def _write(conflict: dict[str, Any]) -> None:
    row: Conflict = conflict["row"]
    row.save()
    for side in conflict["sides"]:
        side_row: ConflictSide = side["row"]
        side_row.conflict = row
        side_row.save()
        ConflictMember.objects.bulk_create(
            ConflictMember(side=side_row, item_id=item, source_id=source, document_id=document, excerpt_hash=excerpt)
            for item, source, document, excerpt in side["members"]
        )
