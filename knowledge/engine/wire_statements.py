"""Wire to records: statements with their evidence, entities, conflicts and search answers."""

from knowledge.engine.wire import MalformedWireError, Row
from knowledge.records import (
    Alias,
    Conflict,
    Entity,
    EntityRef,
    Entry,
    Evidence,
    Frame,
    Hit,
    Relation,
    Route,
    Ruling,
    SearchResult,
    Side,
    Statement,
    Suggestion,
)
from knowledge.vocabulary import Band, ConflictStatus, Status, Support


def read_statement(row: Row) -> Statement:
    """A support or status this build does not know becomes *unknown*; an unknown band becomes tenant."""
    frame = row.maybe_row("frame")
    return Statement(
        id=row.id(),
        base_id=row.id("project_id"),
        type=row.maybe_words("type"),
        subject=row.maybe_words("subject"),
        subject_origin=row.maybe_words("subject_origin"),
        text=row.words("statement"),
        attribute_key=row.maybe_words("attribute_key"),
        attribute_value=row.maybe_words("attribute_value"),
        frame=_frame(frame) if frame else None,
        support=Support.read(row.words("support")),
        support_label_raw=row.words("support"),
        support_reason=row.maybe_words("support_reason"),
        confidence=row.share("confidence"),
        status=Status.read(row.words("status")),
        band=Band.read(row.raw("scope")),
        entity_ids=row.words_list("entity_ids"),
        effective_date=row.maybe_words("effective_date"),
        recorded_at=row.moment("recorded_at"),
        extractor=_extractor(row),
        review_status=row.maybe_words("review_status"),
        superseded_by=row.maybe_id("superseded_by"),
        evidence_count=row.maybe_number("evidence_count"),
        origins=row.maybe_number("origins"),
        document_ids=row.words_list("document_ids"),
        source_ids=row.words_list("source_ids"),
        conflict_ids=row.words_list("conflict_ids"),
        entities=tuple(read_entity_ref(entity) for entity in row.maybe_rows("entities")),
        relations=tuple(_relation(relation) for relation in row.maybe_rows("relationships")),
        evidence=tuple(read_evidence(evidence) for evidence in row.maybe_rows("evidence")),
        entries=tuple(_entry(entry) for entry in row.maybe_rows("entries")),
        flags=row.words_list("flags"),
    )


def _relation(row: Row) -> Relation:
    return Relation(row.id(), row.words("type"), row.id("from_id"), row.id("to_id"))


def _extractor(row: Row) -> str:
    return " ".join(filter(None, (row.maybe_words("extractor_name"), row.maybe_words("extractor_version"))))


def _frame(row: Row) -> Frame:
    return Frame(
        subject=row.maybe_words("subject"),
        attribute=row.maybe_words("attribute"),
        value_raw=row.maybe_words("value_raw"),
        value=row.maybe_words("value"),
        unit=row.maybe_words("unit"),
        polarity=row.maybe_words("polarity"),
        modality=row.maybe_words("modality"),
        qualifiers=row.words_list("qualifiers"),
        valid_from=row.maybe_words("valid_from"),
        valid_to=row.maybe_words("valid_to"),
        speaker=row.maybe_words("speaker"),
        value_type=row.maybe_words("value_type"),
        bound=row.maybe_words("bound"),
        rule=row.maybe_words("rule"),
    )


def _entry(row: Row) -> Entry:
    return Entry(row.words("what"), row.maybe_words("word"), row.words("entry"), row.maybe_flag("added"))


def read_evidence(row: Row) -> Evidence:
    start, end = row.number("start"), row.number("end")
    if not 0 <= start <= end:
        raise MalformedWireError("evidence span is not one")
    return Evidence(
        id=row.id(),
        statement_id=row.id("target_id"),
        document_id=row.id("document_id"),
        source_id=row.id("source_id"),
        source_name=row.words("source_name"),
        source_path=row.maybe_words("source_path"),
        source_type=row.maybe_words("source_type"),
        version=row.maybe_words("version"),
        text_hash=row.maybe_words("text_hash"),
        representation=row.maybe_words("representation"),
        segmentation=row.maybe_words("segmentation"),
        chunk_id=row.maybe_words("chunk_id"),
        location=row.maybe_words("location"),
        start=start,
        end=end,
        excerpt=row.maybe_words("excerpt"),
        excerpt_hash=row.maybe_words("excerpt_hash"),
        extractor=_extractor(row),
        confidence=row.share("confidence"),
        missing=row.maybe_flag("missing_excerpt"),
    )


def read_entity_ref(row: Row) -> EntityRef:
    return EntityRef(id=row.id(), name=row.words("canonical_name"), type=row.maybe_words("type"))


def read_entity(row: Row) -> Entity:
    return Entity(
        id=row.id(),
        type=row.maybe_words("type"),
        name=row.words("canonical_name"),
        aliases=tuple(_alias(alias) for alias in row.maybe_rows("aliases")),
        mention_count=row.maybe_number("mention_count"),
        statement_count=row.maybe_number("knowledge_count"),
    )


def _alias(row: Row) -> Alias:
    return Alias(
        alias=row.words("alias"),
        kind=row.maybe_words("kind"),
        reason=row.maybe_words("reason"),
        confidence=row.share("confidence"),
        separable=row.maybe_flag("separable"),
    )


def read_conflict(row: Row) -> Conflict:
    suggested, resolution = row.maybe_row("suggested_resolution"), row.maybe_row("resolution")
    return Conflict(
        id=row.id(),
        type=row.words("type"),
        subject=row.maybe_words("subject"),
        attribute_key=row.maybe_words("attribute_key"),
        status=ConflictStatus.read(row.words("status")),
        description=row.maybe_words("description"),
        why=row.maybe_words("why"),
        sides=tuple(_side(side) for side in row.rows("sides")),
        statement_ids=row.words_list("item_ids"),
        source_ids=row.words_list("source_ids"),
        suggestion=Suggestion(suggested.maybe_words("winner_id"), suggested.words("reason")) if suggested else None,
        ruling=_ruling(resolution) if resolution else None,
        assignee=row.maybe_words("assignee"),
        digest=row.words("digest"),
        detected_at=row.moment("detected_at"),
        statements=tuple(read_statement(item) for item in row.maybe_rows("items")),
        certainty=row.maybe_words("certainty") or "dispute",
    )


def _side(row: Row) -> Side:
    return Side(
        id=row.id(),
        value=row.maybe_words("value"),
        value_raw=row.maybe_words("value_raw"),
        statement_ids=row.words_list("item_ids"),
        source_ids=row.words_list("source_ids"),
        origins=row.maybe_number("origins"),
        digest=row.maybe_words("digest"),
    )


def _ruling(row: Row) -> Ruling:
    discriminator = row.maybe_row("discriminator")
    return Ruling(
        action=row.words("action"),
        winner_id=row.maybe_id("winner_id"),
        discriminator_kind=discriminator.maybe_words("kind") if discriminator else "",
        discriminator_value=discriminator.maybe_words("value") if discriminator else "",
        notes=row.maybe_words("notes"),
        actor=row.maybe_words("actor"),
        decided_at=row.moment("decided_at"),
    )


def read_search(row: Row) -> SearchResult:
    return SearchResult(
        query=row.words("query"),
        backend=row.maybe_words("backend"),
        index_version=row.maybe_words("index_version"),
        strategy=row.maybe_words("strategy"),
        view_id=row.maybe_words("view_id"),
        took_ms=row.measure("took_ms"),
        entities=tuple(read_entity_ref(entity) for entity in row.maybe_rows("entities")),
        hits=tuple(read_hit(hit) for hit in row.rows("knowledge")),
    )


def read_hit(row: Row) -> Hit:
    return Hit(
        statement=read_statement(row.row("item")),
        score=row.measure("score"),
        snippet=row.maybe_words("snippet"),
        why=row.maybe_words("why"),
        routes=tuple(
            Route(
                route=route.words("route"),
                method=route.maybe_words("method"),
                rank=route.number("rank"),
                score=route.measure("score"),
            )
            for route in row.maybe_rows("routes")
        ),
    )
