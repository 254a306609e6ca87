"""A context in words, the same bytes every time. Labels and lines are ours; everything else passes ``quoting``."""

from collections.abc import Iterator, Mapping

from knowledge.context.model import ConflictEntry, Fact, KnowledgeContext, Metadata, RelatedEntity
from knowledge.context.quoting import inline, line, quoted
from knowledge.records import Evidence
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import ConflictStatus, Status

EVIDENCE_LIMIT = 5
"""Places shown for one fact; the rest are counted."""
CANDIDATE = "candidate"
SHOWN_SUCCESSOR = "a later statement not shown"
NO_EVIDENCE = (
    "  Evidence: NONE — this statement is UNRESOLVED. Its supporting text could not be",
    "            located. Do not rely on it without checking the source yourself.",
)
CONTESTED = "CONFLICTS DETECTED — the sources disagree. Do not report either side as settled."
NOTHING = (
    "NO FACTS FOUND",
    "  The knowledge base was searched and holds nothing on this question. This is not permission",
    "  to assume an answer: say that the sources do not tell.",
)
CITE = (
    "CITABLE SOURCES",
    "  Cite every fact you use by its line below. Whatever has no line here is unsourced: say so.",
)


def render(context: KnowledgeContext) -> str:
    """Ends with a line break. Time taken and counts of candidates never enter it."""
    blocks = [_header(context.metadata)]
    if context.conflicts:
        blocks.append([CONTESTED])
        blocks.extend(_conflict(entry, context) for entry in context.conflicts)
    if context.facts:
        names = {source.id: source.name for source in context.sources}
        blocks.append(["FACTS"])
        blocks.extend(_fact(fact, names) for fact in context.facts)
    elif not context.metadata.truncated:
        blocks.append(list(NOTHING))
    blocks.extend(_closing(context))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _header(metadata: Metadata) -> list[str]:
    lines = ["KNOWLEDGE CONTEXT", f"Query: {quoted(metadata.query)}", f"Scope: {_scope(metadata.scope)}"]
    if metadata.as_of:
        lines.append(f"As of: {inline(metadata.as_of)}. What held that day; it may have changed since.")
    lines.extend(f"Degraded: {inline(sentence)}" for sentence in metadata.degradation)
    if metadata.truncated:
        lines.append(f"Truncated: {_left_out(metadata)} left out for length. What is absent here may still exist.")
    return lines


def _scope(scope: KnowledgeScope) -> str:
    return f"{scope.level.value} {inline(scope.base_id)}"


def _left_out(metadata: Metadata) -> str:
    counts = ((metadata.left_out, "fact"), (metadata.conflicts_left_out, "conflict"))
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    total = metadata.left_out + metadata.conflicts_left_out
    return f"{' and '.join(parts)} {'was' if total == 1 else 'were'}"


def _conflict(entry: ConflictEntry, context: KnowledgeContext) -> list[str]:
    conflict = entry.conflict
    about = inline(conflict.attribute_key or conflict.subject)
    unresolved = "POSSIBLE, NOT CONFIRMED" if conflict.certainty == CANDIDATE else "UNRESOLVED"
    state = unresolved if conflict.status is ConflictStatus.OPEN else "UNKNOWN STATE"
    lines = [f"[CONFLICT-{entry.label}] {inline(conflict.type)} on {about} — {state}"]
    if conflict.description:
        lines.append(f"  {line(conflict.description)}")
    lines.append(f"  Competing statements: {_competing(entry, context.metadata.scope)}")
    if conflict.suggestion and conflict.suggestion.reason:
        lines.append(f"  Suggested (NOT APPLIED): {inline(conflict.suggestion.reason)}")
    return lines


def _competing(entry: ConflictEntry, scope: KnowledgeScope) -> str:
    """Labels of those shown, and what became of the others."""
    parts = [", ".join(f"FACT-{label}" for label in entry.facts)] if entry.facts else []
    if entry.left_out:
        parts.append(f"left out for length: {', '.join(_citation(scope, key) for key in entry.left_out)}")
    if entry.unshown:
        parts.append(f"{entry.unshown} not shown")
    return "; ".join(parts) or "none shown"


def _fact(fact: Fact, names: Mapping[str, str]) -> list[str]:
    lines = [f"[FACT-{fact.label}] {inline(fact.statement.text)}", f"  {_standing(fact)}"]
    if fact.statement.superseded_by or fact.statement.status is Status.SUPERSEDED:
        successor = f"FACT-{fact.successor}" if fact.successor else SHOWN_SUCCESSOR
        lines.append(f"  Superseded by: {successor}")
    if fact.unlocated:
        return [*lines, *NO_EVIDENCE]
    lines.append("  Evidence:")
    for piece in fact.evidence[:EVIDENCE_LIMIT]:
        lines.extend(_evidence(piece, names))
    more = len(fact.evidence) - EVIDENCE_LIMIT
    if more > 0:
        lines.append(f"    - and {more} more {'place' if more == 1 else 'places'} not shown")
    return lines


def _standing(fact: Fact) -> str:
    """A fact in an open conflict is never shown as active."""
    statement = fact.statement
    status = Status.DISPUTED if fact.contested and statement.status is Status.ACTIVE else statement.status
    parts = [
        f"Support: {statement.support.label}",
        f"Confidence: {statement.confidence:.2f}",
        f"Status: {status.value.upper()}",
    ]
    if statement.effective_date:
        parts.append(f"Effective: {inline(statement.effective_date)}")
    return "   ".join(parts)


def _evidence(piece: Evidence, names: Mapping[str, str]) -> Iterator[str]:
    place = f" ({inline(piece.location)})" if piece.location else ""
    yield f"    - {inline(names.get(piece.source_id, piece.source_name))}{place}"
    yield f"      {quoted(piece.excerpt)}"


def _closing(context: KnowledgeContext) -> Iterator[list[str]]:
    if context.entities:
        yield ["RELATED ENTITIES", *(f"  {_entity(entity)}" for entity in context.entities)]
    if context.sources:
        yield ["SOURCES", *(f"  {line(source.name)}" for source in context.sources)]
    if context.facts:
        scope = context.metadata.scope
        yield [*CITE, *(f"  {_citation(scope, fact.statement.id)} — FACT-{fact.label}" for fact in context.facts)]


def _entity(entity: RelatedEntity) -> str:
    kind = f" ({inline(entity.type)})" if entity.type else ""
    also = f" — also: {', '.join(inline(alias) for alias in entity.aliases)}" if entity.aliases else ""
    return f"{line(entity.name)}{kind}{also}"


def _citation(scope: KnowledgeScope, statement_id: str) -> str:
    return f"knowledge:{inline(scope.slug)}/{inline(statement_id)}"
