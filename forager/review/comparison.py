"""What a run changed: the statements of two revisions side by side, each difference with its reason.

A rule change touches statements through their rows: the extractor's version stands on each. What differs by that
version alone is counted, not listed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forager.model.models import Evidence, KnowledgeBase, Statement

COMPARED = (
    "type", "text", "subject", "subject_origin", "attribute_key", "attribute_value", "frame", "entries", "flags",
    "support", "support_reason", "confidence", "effective_date",
)  # fmt: skip
BATCH = 400


@dataclass(frozen=True, slots=True)
class Difference:
    """``kind`` is added, changed or gone; ``fields`` names what differs of a changed one."""

    kind: str
    item_id: str
    text: str
    reason: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``relabelled`` counts statements that differ by the extractor's version alone."""

    differences: tuple[Difference, ...]
    relabelled: int
    same: int


@dataclass(frozen=True, slots=True)
class _Span:
    base: KnowledgeBase
    before: int
    after: int


def compare(base: KnowledgeBase, before: int, after: int) -> Comparison:
    """Statements visible at ``after`` against those at ``before``, by id."""
    span = _Span(base, before, after)
    old, new = (_hashes(base, revision) for revision in (before, after))
    moved = [i for i in old.keys() & new.keys() if old[i] != new[i]]
    changed, relabelled = _changed(span, sorted(moved))
    recompared = _recompared(span, (old.keys() & new.keys()) - set(moved))
    differences = [
        *_one_sided(span, "added", new.keys() - old.keys()),
        *changed,
        *recompared,
        *_one_sided(span, "gone", old.keys() - new.keys()),
    ]
    same = len(old.keys() & new.keys()) - len(changed) - len(recompared) - relabelled
    return Comparison(tuple(differences), relabelled, same)


def _hashes(base: KnowledgeBase, revision: int) -> dict[str, str]:
    rows = Statement.objects.at(revision).filter(base=base)
    return dict(rows.values_list("item_id", "content_hash"))


def _rows(base: KnowledgeBase, revision: int, ids: list[str]) -> dict[str, Statement]:
    rows = Statement.objects.at(revision).filter(base=base)
    found: dict[str, Statement] = {}
    for at in range(0, len(ids), BATCH):
        found |= {row.item_id: row for row in rows.filter(item_id__in=ids[at : at + BATCH])}
    return found


def _changed(span: _Span, ids: list[str]) -> tuple[list[Difference], int]:
    """The changed ones, and how many differ by the extractor's version alone."""
    old, new = _rows(span.base, span.before, ids), _rows(span.base, span.after, ids)
    found, relabelled = [], 0
    for identity in ids:
        one, other = old[identity], new[identity]
        fields = tuple(name for name in COMPARED if getattr(one, name) != getattr(other, name))
        if not fields:
            relabelled += 1
            continue
        found.append(Difference("changed", identity, other.text, _versions(one, other), fields))
    return found, relabelled


def _versions(one: Statement, other: Statement) -> str:
    if one.extractor_version != other.extractor_version:
        return f"read by {other.extractor_name} {other.extractor_version} instead of {one.extractor_version}"
    return "read again by the same rules: its surroundings, evidence or the base's words changed"


def _recompared(span: _Span, ids: Iterable[str]) -> list[Difference]:
    """Statements that say the same, of which another value is compared now."""
    old, new = _claims(span.base, span.before), _claims(span.base, span.after)
    hit = sorted({item for (item, key), claims in new.items() if (item, key) in old and old[item, key] != claims})
    wanted = [i for i in hit if i in set(ids)]
    texts = {i: row.text for i, row in _rows(span.base, span.after, wanted).items()}
    reason = "the sentence is read the same, what is compared of it is not"
    return [Difference("changed", i, texts[i], reason, ("what is compared",)) for i in wanted]


def _claims(base: KnowledgeBase, revision: int) -> dict[tuple[str, str], object]:
    rows = Evidence.objects.at(revision).filter(base=base)
    return {(item, key): claims for item, key, claims in rows.values_list("item_id", "evidence_id", "claims")}


def _one_sided(span: _Span, kind: str, ids: Iterable[str]) -> Iterator[Difference]:
    listed = sorted(ids)
    there, other = (span.after, span.before) if kind == "added" else (span.before, span.after)
    rows, paths = _rows(span.base, there, listed), _sources(span.base, there, listed)
    read_then = _read_at(span.base, other)
    for identity in listed:
        reason = _why(kind, sorted(paths[identity]), read_then)
        yield Difference(kind, identity, rows[identity].text, reason)


def _sources(base: KnowledgeBase, revision: int, ids: list[str]) -> dict[str, set[tuple[str, str]]]:
    """(path, source id) of what each statement rests on."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    rows = Evidence.objects.at(revision).filter(base=base)
    for at in range(0, len(ids), BATCH):
        for item, path, source in rows.filter(item_id__in=ids[at : at + BATCH]).values_list(
            "item_id", "source__path", "source_id"
        ):
            found[item].add((path, source))
    return found


def _read_at(base: KnowledgeBase, revision: int) -> dict[str, set[str]]:
    """The sources that gave statements at a revision, by path."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = Evidence.objects.at(revision).filter(base=base).values_list("source__path", "source_id").distinct()
    for path, source in rows:
        found[path].add(source)
    return found


def _why(kind: str, rests_on: list[tuple[str, str]], read_then: dict[str, set[str]]) -> str:
    if not rests_on:
        return "it rests on nothing that is still there"
    path, source = rests_on[0]
    if source in read_then.get(path, set()):
        return f"the same text of {path} is read differently"
    if kind == "added":
        return f"{path} has a new version" if path in read_then else f"{path} is new"
    return f"{path} says it no longer" if path in read_then else f"{path} is gone"
