"""What taking in a package would do to a base: which documents it adds or brings further, and what stays as it is.

A document that is here in a version the package does not know is newer here, and is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from forager.extraction import claims as claim_words
from forager.extraction import lexicon, vocabulary
from forager.extraction.vocabulary import VocabularyRefused
from forager.interchange import forms
from forager.interchange.deciding import Decisions, DecisionStep, What
from forager.interchange.opening import Package, frame_of
from forager.model.ids import digest, stable_id
from forager.model.models import Document, KnowledgeBase, Source, Statement
from forager.model.statements import MANUAL
from forager.pipeline import recording
from forager.pipeline.vocabularies import words_of

BATCH = 400


@dataclass(frozen=True, slots=True)
class DocumentStep:
    """``versions`` are taken in, in this order; there are none where the document is skipped or kept."""

    document: forms.DocumentRow
    what: What
    why: str
    versions: Sequence[forms.SourceRow] = ()


@dataclass(frozen=True)
class Plan:
    base: KnowledgeBase
    package: Package
    documents: Sequence[DocumentStep]
    decisions: Sequence[DecisionStep]
    by_hand: Sequence[forms.StatementRow]
    statements: dict[str, str]
    """Of what is taken in: the id of the package to the id here."""
    known: frozenset[str]
    """Ids here of statements that are here already."""

    @cached_property
    def sources(self) -> dict[str, forms.SourceRow]:
        """The versions that are taken in, by their id in the package."""
        return {row["id"]: row for step in self.documents for row in step.versions}


def plan(base: KnowledgeBase, package: Package) -> Plan:
    documents = [*_documents(base, package)]
    taken = {row["id"] for step in documents for row in step.versions}
    resting: dict[str, list[str]] = {}
    for piece in package.evidence:
        resting.setdefault(piece["statement_id"], []).append(piece["source_id"])
    by_hand = [row for row in package.statements if row["extractor_name"] == MANUAL]
    read = [
        row
        for row in package.statements
        if row["extractor_name"] != MANUAL and taken.intersection(resting.get(row["id"], ()))
    ]
    brought = words_brought(base, package)
    words = vocabulary.read(brought["words"], digest=brought["digest"]) if brought else words_of(base)
    with lexicon.using(words):
        statements = {row["id"]: item_id(base, row) for row in (*read, *by_hand)}
    known = frozenset(_known(base, list(statements.values())))
    decisions = [*Decisions(base, package).steps()]
    return Plan(base, package, documents, decisions, by_hand, statements, known)


def words_brought(base: KnowledgeBase, package: Package) -> dict[str, Any]:
    """The own words a package was read with, as a base that holds nothing yet takes them up; else none."""
    told = package.manifest["project"].get("words")
    if not told or base.source_count or base.next_vocabulary or base.vocabulary:
        return {}
    try:
        cleaned = vocabulary.check(told)
    except (VocabularyRefused, AttributeError, TypeError):
        return {}
    return {"words": cleaned, "digest": digest(cleaned)}


def item_id(base: KnowledgeBase, row: forms.StatementRow) -> str:
    """The id the statement has here, where it is made from the same content in the base's own namespace."""
    frame, text = frame_of(row), lexicon.fold(row["statement"])
    if row["extractor_name"] == MANUAL:
        return stable_id("ki", base.namespace, MANUAL, text, row["attribute_key"], row["attribute_value"])
    key = claim_words.key_of(frame) if frame else ""
    value = (frame.shown or frame.value) if frame else row["attribute_value"]
    return recording.identity(base, row["statement"], key, value)


def _known(base: KnowledgeBase, items: Sequence[str]) -> Iterator[str]:
    for at in range(0, len(items), BATCH):
        some = Statement.objects.pending().filter(base=base, item_id__in=items[at : at + BATCH])
        yield from some.values_list("item_id", flat=True)


def _documents(base: KnowledgeBase, package: Package) -> Iterator[DocumentStep]:
    readable = {row["source_id"] for row in package.texts}
    versions: dict[str, list[forms.SourceRow]] = {}
    for row in sorted(package.sources, key=lambda row: row["sequence"]):
        versions.setdefault(row["document_id"], []).append(row)
    here: dict[str, list[str]] = {}
    ours = Source.objects.filter(base=base).order_by("path", "sequence")
    for path, content in ours.values_list("document__path", "content_hash"):
        here.setdefault(path, []).append(content)
    deleted = set(Document.objects.filter(base=base, state="deleted").values_list("path", flat=True))
    for document in package.documents:
        theirs = versions.get(document["id"], [])
        if document["path"] in deleted:
            yield DocumentStep(document, What.KEEP, "It was deleted here, and stays so.")
        else:
            yield _document(document, theirs, readable, here.get(document["path"], []))


def _document(
    document: forms.DocumentRow, theirs: Sequence[forms.SourceRow], readable: set[str], ours: Sequence[str]
) -> DocumentStep:
    hashes = [row["content_hash"] for row in theirs]
    if not any(row["id"] in readable for row in theirs):
        return DocumentStep(document, What.SKIP, "The package has no text of it.")
    if ours and hashes and hashes[-1] in ours:
        newer = hashes[-1] != ours[-1]
        return DocumentStep(
            document,
            What.KEEP if newer else What.SKIP,
            "A later version is here." if newer else "It is here already.",
        )
    if ours and ours[-1] not in hashes:
        return DocumentStep(document, What.KEEP, "Another version is here, which the package does not know.")
    fresh = theirs[hashes.index(ours[-1]) + 1 :] if ours else theirs
    taken = [row for row in fresh if row["id"] in readable]
    if not taken:
        return DocumentStep(document, What.SKIP, "The package has no text of its newest version.")
    return DocumentStep(document, What.UPDATE if ours else What.ADD, "", taken)
