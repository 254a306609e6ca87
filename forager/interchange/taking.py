"""Takes a package into a base: its documents are registered like uploads and read by the base's next run.

All of it in one transaction, planned anew inside of it. What people wrote by hand follows when the texts it rests on
are there; entities and conflicts are found again here, among everything the base holds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from forager.extraction import guard
from forager.interchange import forms
from forager.interchange.deciding import DecisionStep, What, decided_at
from forager.interchange.opening import Package
from forager.interchange.planning import DocumentStep, Plan, plan, words_brought
from forager.interchange.readings import Readings
from forager.model.blobs import Blob
from forager.model.documents import PACKED
from forager.model.ids import random_id, stable_id
from forager.model.models import Decision, Import, KnowledgeBase, Origin, ReviewEvent, Source, Statement
from forager.model.statements import MANUAL
from forager.pipeline import lease, packed, registration
from forager.review import anchors, by_hand, views
from forager.review.by_hand import Change, Span, SpanRefused

BATCH = 1000
AS_THERE = "As it stood where the package was made."
PUBLISHED = ("approved", "active")


def register(row: Import, package: Package, tell: Callable[[Plan], dict[str, Any]]) -> None:
    """Registers what the plan takes in and queues a run that reads it; ``tell`` makes the outcome of the plan."""
    readings = Readings(package)
    kept = {key: packed.keep(readings.of(source)) for key, source in plan(row.base, package).sources.items()}
    with transaction.atomic():
        base = KnowledgeBase.locked(row.base_id)
        made = plan(base, package)
        if words := words_brought(base, package):
            base.next_vocabulary = words
            base.save(update_fields=["next_vocabulary"])
        for step in made.documents:
            _register(made, step, kept)
        Decision.objects.bulk_create(_decisions(made), BATCH)
        Origin.objects.bulk_create(_origins(made), BATCH, ignore_conflicts=True)
        _note(row, made)
        if made.sources:
            row.job_id = lease.enqueue(base, force=False).pk
        elif any(step.what is What.ADD for step in made.decisions):
            views.moved(base, cause=row.pk)
        row.status, row.outcome = "reading", tell(made)
        row.save(update_fields=["job_id", "status", "outcome"])


def finish(row: Import, package: Package) -> dict[str, int]:
    """What people wrote by hand, now that the texts are here: how many were made and how many could not be."""
    done = {"made": 0, "skipped": 0}
    with transaction.atomic():
        base = KnowledgeBase.locked(row.base_id)
        made = plan(base, package)
        writing = _ByHand(made, row)
        for statement in made.by_hand:
            if made.statements[statement["id"]] not in made.known:
                done["made" if writing.write(statement) else "skipped"] += 1
        if done["made"]:
            views.moved(base, cause=row.pk)
    return done


def _register(made: Plan, step: DocumentStep, kept: Mapping[str, Blob]) -> None:
    base, told = made.base, step.document
    state = "approved" if told["state"] in PUBLISHED else told["state"]
    for source in step.versions:
        original = Blob(source["content_hash"], source["size_bytes"])
        row = registration.register(base, told["path"], original, origin_kind=PACKED, state=state).source
        row.blob, row.parent = kept[source["id"]].sha256, _parent(made, source)
        row.save(update_fields=["blob", "parent"])
    if step.what is not What.ADD:
        return
    document = base.documents.get(path=told["path"])
    document.owner, document.band, document.authoritative = told["owner"], told["band"], told["authoritative"]
    document.review_by = told.get("review_by", "")
    if state not in PUBLISHED:
        document.state_reason, document.state_by = AS_THERE, made.package.instance_id
        document.state_at = timezone.now()
    document.save()


def _parent(made: Plan, source: forms.SourceRow) -> Source | None:
    """The archive or mail it lay in, where that is here; what is deleted takes with it what lay in it."""
    parent = made.package.source(source.get("parent_id") or "")
    return Source.objects.filter(base=made.base, pk=_source_id(made.base, parent)).first() if parent else None


def _source_id(base: KnowledgeBase, source: forms.SourceRow) -> str:
    return stable_id("src", base.namespace, source["path"], source["content_hash"])


def _decisions(made: Plan) -> Iterator[Decision]:
    for step in made.decisions:
        if step.what is What.ADD:
            yield _decision(made.base, step)


def _decision(base: KnowledgeBase, step: DecisionStep) -> Decision:
    row, anchor = step.decision, step.anchor
    target = ""
    if row["kind"] == "ruling":
        values = [side["value"] for side in anchor["sides"]]
        target = anchors.conflict_id(base.namespace, anchor["type"], anchor["attribute_key"], values)
    return Decision(
        id=step.record_id,
        base=base,
        kind=row["kind"],
        action=row["action"],
        anchor=anchor,
        winner=row["winner"],
        discriminator=row["discriminator"],
        assignee=row["assignee"],
        notes=row["notes"],
        actor=row["actor"],
        decided_at=decided_at(row),
        state=row["state"],
        target_id=target,
    )


def _origins(made: Plan) -> Iterator[Origin]:
    """Of everything that is taken in or is here already, under the producer's instance and those before it."""
    here = _here(made)
    told = [(kind, record_id, made.package.instance_id, record_id) for kind, record_id in here]
    told += [(o["kind"], o["record_id"], o["instance_id"], o["origin_id"]) for o in made.package.origins]
    for kind, record_id, instance_id, origin_id in told:
        record = here.get((kind, record_id), "")
        if record and record != origin_id:
            yield Origin(base=made.base, kind=kind, record_id=record, instance_id=instance_id, origin_id=origin_id)


def _here(made: Plan) -> dict[tuple[str, str], str]:
    """(kind, id in the package) to the id here."""
    base = made.base
    here = {("statement", origin): item for origin, item in made.statements.items()}
    for step in made.documents:
        if step.what is not What.KEEP:
            here["document", step.document["id"]] = stable_id("doc", base.namespace, step.document["path"])
    here |= {("source", origin): _source_id(base, source) for origin, source in made.sources.items()}
    for piece in made.package.evidence:
        source_id, item = here.get(("source", piece["source_id"])), made.statements.get(piece["statement_id"])
        if source_id and item:
            place = (item, source_id, piece["start"], piece["end"])
            here["evidence", piece["id"]] = stable_id("ev", base.namespace, *place)
    return here | {("decision", s.decision["id"]): s.record_id for s in made.decisions if s.what is What.ADD}


def _note(row: Import, made: Plan) -> None:
    counts = {str(what): sum(step.what is what for step in made.documents) for what in What}
    ReviewEvent.objects.create(
        id=random_id("rve"),
        base=made.base,
        target_id=row.pk,
        action="package_taken",
        before={},
        after={"documents": counts, "producer": made.package.instance_id, "sha256": row.sha256},
        actor=row.actor,
        at=timezone.now(),
    )


class _ByHand:
    """Writes statements that people made where the package comes from, as made by hand here."""

    def __init__(self, made: Plan, row: Import) -> None:
        self.made, self.row = made, row
        self.names: dict[str, list[str]] = defaultdict(list)
        for mention in made.package.mentions:
            self.names[mention["statement_id"]].append(mention["name"])
        self.spans: dict[str, list[Span]] = defaultdict(list)
        for piece in made.package.evidence:
            source = made.package.source(piece["source_id"])
            if source is not None:
                span = Span(_source_id(made.base, source), piece["start"], piece["end"])
                self.spans[piece["statement_id"]].append(span)

    def write(self, told: forms.StatementRow) -> bool:
        """False where what it rests on is not here, or where it instructs its reader: then nothing is written."""
        if guard.instructs(told["statement"]) or guard.hides(told["statement"]):
            return False
        base, row = self.made.base, self._row(told)
        try:
            with transaction.atomic():
                for span in self.spans[told["id"]]:
                    by_hand.cite(base, row, span)
                for name in dict.fromkeys(self.names[told["id"]]):
                    by_hand.mention(base, row, name)
                after = {"statement": row.text, "support": row.support}
                by_hand.write(base, row, Change("statement_brought", self.row.actor, {}, after))
        except SpanRefused:
            return False
        return True

    def _row(self, told: forms.StatementRow) -> Statement:
        content = {
            "type": told["type"],
            "text": told["statement"],
            "title": told["statement"][:200],
            "subject": told["subject"],
            "subject_origin": MANUAL,
            "attribute_key": told["attribute_key"],
            "attribute_value": told["attribute_value"],
            "frame": told["frame"],
            "support": told["support"],
            "support_reason": told["support_reason"],
            "confidence": told["confidence"],
            "effective_date": told["effective_date"],
            "extractor_name": MANUAL,
            "extractor_version": told["extractor_version"],
        }
        spans, named = self.spans[told["id"]], [n for n in self.names[told["id"]] if n != told["subject"]]
        return Statement(
            item_id=self.made.statements[told["id"]],
            base=self.made.base,
            recorded_at=timezone.now(),
            rev_from=self.made.base.current_revision,
            evidence_count=len(spans),
            content_hash=by_hand.content_hash(content, spans[0] if spans else None, named[0] if named else ""),
            **content,
        )
