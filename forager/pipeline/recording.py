"""Writes what was extracted from one source: only what changed, as rows of the revision to come."""

import bisect
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from forager.extraction import claims as claim_words
from forager.extraction import entries, lexicon
from forager.extraction.model import Extracted, Extractor
from forager.model.ids import digest, sha256_text, stable_id
from forager.model.models import Chunk, Evidence, KnowledgeBase, Mention, Source, Statement
from forager.model.revisioned import Revisioned, RevisionedQuerySet
from forager.model.statements import MANUAL
from forager.pipeline.stages import EXTRACTOR
from forager.reading.messages import Understood

BATCH = 500


def item_id(base: KnowledgeBase, one: Extracted) -> str:
    """The same sentence saying the same thing is one item, whatever source it stands in."""
    return identity(base, one.text, *_key_and_value(one))


def identity(base: KnowledgeBase, text: str, key: str, value: str) -> str:
    return stable_id("ki", base.namespace, lexicon.fold(text), key, value)


def record(source: Source, understood: Understood, text: str, chunks: Sequence[Chunk] | None = None) -> int:
    """Brings the rows of ``source`` to what was understood of it; answers how many statements it carries.

    ``chunks`` are those of the source where the caller has them at hand.
    """
    base = source.base
    extracted, by = understood.statements, understood.by or EXTRACTOR
    wanted = {item_id(base, one): one for one in extracted}
    _statements(base, wanted, by)
    known = list(Chunk.objects.filter(source=source).order_by("start")) if chunks is None else chunks
    _evidence(source, [_evidence_row(source, one, text, _chunk_at(known, one.start), by) for one in extracted])
    return len(wanted)


def withdraw(source: Source) -> None:
    """The source says nothing any more: its evidence ends, and statements resting on nothing else with it."""
    _close_evidence(source.base, Evidence.objects.pending().filter(source=source))


def _key_and_value(one: Extracted) -> tuple[str, str]:
    if one.frame is None:
        return "", "; ".join(one.values)
    return claim_words.key_of(one.frame), one.frame.shown or one.frame.value


def _statements(base: KnowledgeBase, wanted: Mapping[str, Extracted], by: Extractor) -> None:
    known = {s.item_id: s for s in Statement.objects.pending().filter(base=base, item_id__in=wanted)}
    fresh, replaced = [], []
    for item, one in wanted.items():
        row = _row(base, item, one, by)
        old = known.get(item)
        if old is not None and (old.content_hash == row.content_hash or old.confidence > row.confidence):
            continue
        if old is not None:
            replaced.append(old.pk)
            row.recorded_at, row.review_status = old.recorded_at, old.review_status
        fresh.append((row, one, old is None))
    if replaced:
        close(Statement.objects.filter(pk__in=replaced), base)
    Statement.objects.bulk_create([row for row, _, _ in fresh], BATCH)
    _mentions(base, [(row.item_id, one) for row, one, is_new in fresh if is_new])


def _row(base: KnowledgeBase, identity: str, one: Extracted, by: Extractor) -> Statement:
    key, value = _key_and_value(one)
    frame = dataclasses.asdict(one.frame) | {"speaker": one.standing.speaker} if one.frame else None
    content: dict[str, Any] = {
        "type": one.type,
        "text": one.text,
        "title": (f"{one.frame.subject}: {one.frame.attribute}" if one.frame else one.text)[:200],
        "subject": (one.frame.subject if one.frame else "")[:300],
        "subject_origin": one.frame.origin if one.frame else "none",
        "attribute_key": key[:500],
        "attribute_value": value[:500],
        "frame": frame,
        "support": one.standing.support,
        "support_reason": one.standing.reason[:300],
        "confidence": one.confidence,
        "flags": list(one.flags),
        "entries": [dataclasses.asdict(entry) for entry in entries.of(one)],
        "effective_date": one.effective_date[:40],
        "extractor_name": by.name,
        "extractor_version": by.version,
    }
    return Statement(
        item_id=identity,
        base=base,
        recorded_at=timezone.now(),
        rev_from=base.next_revision,
        content_hash=digest(content),
        **content,
    )


def _mentions(base: KnowledgeBase, fresh: Iterable[tuple[str, Extracted]]) -> None:
    rows = [
        Mention(
            base=base,
            item_id=identity,
            name=mention.name[:300],
            type=mention.type,
            facts=[list(fact) for fact in mention.facts],
            rev_from=base.next_revision,
        )
        for identity, one in fresh
        for mention in one.mentions
    ]
    Mention.objects.bulk_create(rows, BATCH)


def _evidence(source: Source, read: Sequence[Evidence]) -> None:
    base = source.base
    wanted: dict[str, Evidence] = {}
    for row in read:
        earlier = wanted.get(row.evidence_id)
        if earlier is not None:
            earlier.claims = [*earlier.claims, *(c for c in row.claims if c not in earlier.claims)]
        wanted.setdefault(row.evidence_id, row)
    before = _read_before(source) if source.pipeline_version else ()
    known = {e.evidence_id: e for e in before}
    stale = [e.pk for i, e in known.items() if i not in wanted or e.claims != wanted[i].claims]
    ended = set(stale)
    fresh = [row for i, row in wanted.items() if i not in known or known[i].pk in ended]
    if stale:
        close(Evidence.objects.filter(pk__in=stale), base)
    Evidence.objects.bulk_create(fresh, BATCH)
    _end_unsupported(base, {known[i].item_id for i in known if i not in wanted})


def _read_before(source: Source) -> RevisionedQuerySet[Evidence]:
    """What a person rested on the source is no reading of it, and stays."""
    return Evidence.objects.pending().filter(source=source).exclude(extractor_name=MANUAL)


def _chunk_at(chunks: Sequence[Chunk], at: int) -> str:
    """The chunk a place lies in; chunks are in order and do not overlap."""
    before = bisect.bisect_right(chunks, at, key=lambda chunk: chunk.start) - 1
    return chunks[before].pk if before >= 0 and at < chunks[before].end else ""


def _evidence_row(source: Source, one: Extracted, text: str, chunk_id: str, by: Extractor) -> Evidence:
    base = source.base
    identity = item_id(base, one)
    excerpt = text[one.start : one.end]
    return Evidence(
        evidence_id=stable_id("ev", base.namespace, identity, source.pk, one.start, one.end),
        base=base,
        item_id=identity,
        source=source,
        chunk_id=chunk_id,
        location=one.location[:500],
        locator=one.locator,
        start=one.start,
        end=one.end,
        excerpt=excerpt,
        excerpt_hash=sha256_text(excerpt),
        extractor_name=by.name,
        extractor_version=by.version,
        confidence=one.confidence,
        claims=[_plain(dataclasses.asdict(c)) for c in one.claims],
        rev_from=base.next_revision,
    )


def _plain(claim: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in claim.items()}


def _close_evidence(base: KnowledgeBase, rows: RevisionedQuerySet[Evidence]) -> None:
    items = set(rows.values_list("item_id", flat=True))
    close(rows, base)
    _end_unsupported(base, items)


def _end_unsupported(base: KnowledgeBase, items: set[str]) -> None:
    if not items:
        return
    resting = Evidence.objects.pending().filter(base=base, item_id__in=items).values("item_id")
    unsupported = items - set(resting.values_list("item_id", flat=True))
    close(Statement.objects.pending().filter(base=base, item_id__in=unsupported), base)
    close(Mention.objects.pending().filter(base=base, item_id__in=unsupported), base)


def close[M: Revisioned](rows: "RevisionedQuerySet[M]", base: KnowledgeBase) -> None:
    """Ends rows with the next revision; those that were never published leave no trace."""
    rows.filter(rev_from__gte=base.next_revision).delete()
    rows.update(rev_to=base.next_revision)
