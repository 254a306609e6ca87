"""Writes what may be one entity for a person to decide; what a person rejected stays rejected."""

from django.utils import timezone

from forager.extraction import lexicon
from forager.model.ids import digest, stable_id
from forager.model.models import KnowledgeBase, MergeCandidate
from forager.pipeline.recording import close
from forager.resolution.candidates import Candidate, candidates
from forager.resolution.entities import FoundEntity


def identity_of(base: KnowledgeBase, entity: FoundEntity) -> str:
    return stable_id("ent", base.namespace, entity.type, lexicon.fold(entity.name))


def write(base: KnowledgeBase, found: list[FoundEntity]) -> None:
    """Brings the candidates of the revision to come to what is found; unchanged ones keep their row."""
    wanted = {row.candidate_id: row for row in (_row(base, c) for c in candidates(found))}
    known = {c.candidate_id: c for c in MergeCandidate.objects.pending().filter(base=base)}
    gone = [i for i, c in known.items() if i not in wanted or c.content_hash != wanted[i].content_hash]
    close(MergeCandidate.objects.pending().filter(base=base, candidate_id__in=gone), base)
    MergeCandidate.objects.bulk_create(row for i, row in wanted.items() if i not in known or i in set(gone))


def _row(base: KnowledgeBase, one: Candidate) -> MergeCandidate:
    names = {"a": _names(one.a), "b": _names(one.b)}
    left, right = identity_of(base, one.a), identity_of(base, one.b)
    return MergeCandidate(
        candidate_id=stable_id("mc", base.namespace, names["a"][0], names["b"][0], one.a.type, one.b.type),
        base=base,
        kind=one.kind,
        reason=one.reason[:300],
        confidence=one.confidence,
        left_id=left,
        right_id=right,
        names=names,
        content_hash=digest(one.kind, one.reason, left, right, names),
        detected_at=timezone.now(),
        rev_from=base.next_revision,
    )


def _names(entity: FoundEntity) -> list[str]:
    main = lexicon.fold(entity.name)
    return [main, *sorted(entity.names - {main})]
