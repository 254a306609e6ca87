"""What changed between two versions of a document: parts added, removed or said otherwise."""

import difflib
from dataclasses import dataclass
from typing import Literal

from forager.model.models import SourceText

MOST = 200
MOST_PARTS = 5000
WORDS = 400


@dataclass(frozen=True, slots=True)
class Changed:
    """``location`` is where it stands in the newer version, or stood when it is gone."""

    kind: Literal["added", "removed", "changed"]
    before: str
    after: str
    location: str


def between(before: SourceText | None, after: SourceText | None) -> list[Changed]:
    """At most ``MOST`` changes in the order of the newer text; none without an earlier version."""
    if before is None or after is None:
        return []
    old, new = _parts(before), _parts(after)
    matcher = difflib.SequenceMatcher(None, [t for t, _ in old], [t for t, _ in new], autojunk=len(new) > WORDS)
    found: list[Changed] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            found.extend(_pairs(old[i1:i2], new[j1:j2]))
        if len(found) >= MOST:
            break
    return found[:MOST]


def _pairs(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> list[Changed]:
    both = min(len(old), len(new))
    found = [Changed("changed", o[0], n[0], n[1]) for o, n in zip(old, new, strict=False)]
    found.extend(Changed("removed", text, "", place) for text, place in old[both:])
    found.extend(Changed("added", "", text, place) for text, place in new[both:])
    return found


def _parts(stored: SourceText) -> list[tuple[str, str]]:
    blocks = stored.blocks[:MOST_PARTS]
    return [(stored.text[b["start"] : b["end"]][:WORDS], b["location"]) for b in blocks]
