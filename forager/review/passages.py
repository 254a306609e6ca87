"""An excerpt in its surroundings, checked against the stored text as it is now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from forager.model.models import SourceText

AROUND = 200
MOST = 100
"""Excerpts a page can hold; what lies beyond is read on the source's own page."""

type State = Literal["whole", "moved", "missing"]


@dataclass(frozen=True, slots=True)
class Passage:
    evidence_id: str
    before: str
    after: str
    state: State


def around(evidence: Iterable[Mapping[str, Any]], *, width: int = AROUND) -> list[Passage]:
    """Of each excerpt the words before and after it inside its block, at most ``width`` characters, cut at a word."""
    listed = list(evidence)[:MOST]
    stored = SourceText.objects.in_bulk({each["source_id"] for each in listed})
    return [_passage(each, stored.get(each["source_id"]), width) for each in listed]


def _passage(evidence: Mapping[str, Any], stored: SourceText | None, width: int) -> Passage:
    start, end = evidence["start"], evidence["end"]
    if stored is None or evidence["missing_excerpt"]:
        return Passage(evidence["id"], "", "", "missing")
    if stored.text[start:end] != evidence["excerpt"]:
        return Passage(evidence["id"], "", "", "moved")
    low, high = _block(stored, start, end)
    before, after = stored.text[max(low, start - width) : start], stored.text[end : min(high, end + width)]
    if start - width > low:
        before = "… " + before.partition(" ")[2]
    if end + width < high:
        after = after.rpartition(" ")[0] + " …"
    return Passage(evidence["id"], before, after, "whole")


def _block(stored: SourceText, start: int, end: int) -> tuple[int, int]:
    for block in stored.blocks:
        if block["start"] <= start and end <= block["end"]:
            return block["start"], block["end"]
    return 0, len(stored.text)
