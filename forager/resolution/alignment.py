"""Which claims speak of the same thing: one attribute key, a correction or enough likeness, and nothing parts them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from forager.extraction.model import Claim
from forager.resolution import likeness
from forager.resolution.likeness import Surroundings
from forager.resolution.pairing import Work, candidates
from forager.resolution.parting import one_key, parted, under_another_heading
from forager.resolution.placed import Placed

SURE, LIKELY, JOINS = 0.5, 0.25, 0.12
"""From a likeness of LIKELY on, a pair is matched when each is the other's best; from SURE on, unless another is much
better. From JOINS on two claims may say the same, which only ever adds a witness to a side."""
PULSE_PAIRS = 50_000
MUCH_BETTER = 0.9
TWIN_SHARE = 0.6
"""A sentence that is said again elsewhere has found its like; what is far less alike is about something else."""
TWO_WORDS, THREE_WORDS, HALF, AGAIN, WHOLLY = 0.5, 0.75, 0.5, 0.7, 0.99
ROW_COVERED, ROW_SURE = 0.8, 0.9


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two claims about one thing, and how surely (1.0 is an equal attribute key)."""

    a: Placed
    b: Placed
    score: float
    reason: str
    is_matched: bool = True
    """Whether nothing else in the two sources fits either of them (much) better."""
    is_long: bool = False
    """Whether they stand in long documents, where much sounds alike: there only a matched pair says the same."""


def align(claims: Sequence[Placed], work: Work, pulse: Callable[[], None] = lambda: None) -> Iterator[Aligned]:
    """All pairs that may speak of one thing, each once, in a fixed order."""
    around = likeness.surroundings(claims)
    pairs: list[Aligned] = []
    for a, b in candidates(claims, around, work):
        work.pairs += 1
        if work.pairs % PULSE_PAIRS == 0:
            pulse()
        if why := parted(a, b):
            work.skipped[why] += 1
        elif under_another_heading(a, b, around.sections):
            work.skipped["another section"] += 1
        elif _on_another_matter(a, b, around):
            work.skipped["another matter"] += 1
        elif (pair := score(a, b, around)) is not None:
            pairs.append(pair)
    yield from _well_matched(pairs, claims)


def _well_matched(pairs: Sequence[Aligned], claims: Sequence[Placed]) -> Iterator[Aligned]:
    """All pairs, told which stand: sure ones that nothing fits much better, likely ones that nothing fits better.

    What the other source says in the very same words fits best of all.
    """
    best: dict[tuple[int, str], float] = defaultdict(float)
    verbatim: dict[str, set[str]] = defaultdict(set)
    for placed in claims:
        verbatim[placed.item_id].add(placed.origin.source_id)
    anywhere: dict[int, float] = defaultdict(float)
    for pair in pairs:
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            at = (id(one), other.origin.source_id)
            best[at] = max(best[at], pair.score)
            anywhere[id(one)] = max(anywhere[id(one)], pair.score)
    for pair in pairs:
        for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
            if other.origin.source_id in verbatim[one.item_id] - {one.origin.source_id}:
                best[id(one), other.origin.source_id] = 1.0
    for pair in pairs:
        ends = ((pair.a, pair.b), (pair.b, pair.a))
        share = MUCH_BETTER if pair.score >= SURE else 1.0
        fits = all(best[id(one), other.origin.source_id] * share <= pair.score for one, other in ends)
        fits = fits and pair.score >= TWIN_SHARE * max(anywhere[id(pair.a)], anywhere[id(pair.b)])
        yield replace(pair, is_matched=pair.score >= 1 or (fits and pair.score >= LIKELY))


def score(a: Placed, b: Placed, around: Surroundings) -> Aligned | None:
    """How surely two claims speak of one thing; None when they do not."""
    if one_key(a, b):
        return Aligned(a, b, 1.0, f"both state {a.key.replace('|', ' | ')}")
    if _corrects(a.claim, b.claim) or _corrects(b.claim, a.claim):
        return Aligned(a, b, 0.95, "a correction names the value that the other states")
    found = likeness.features(a, b, around)
    if (found.get("two cells") and not found.get("one cell")) or _says_too_little(found):
        return None
    likely = max(likeness.probability(found), _of_its_row(a.claim, b.claim, found), _said_again(found))
    is_long = bool(found["long"])
    pair = Aligned(a, b, likely, _reason(a.claim, b.claim, found), is_long=is_long)
    return pair if likely >= (LIKELY if is_long else JOINS) else None


def _on_another_matter(a: Placed, b: Placed, around: Surroundings) -> bool:
    """In documents that share no matter only one key, a correction or mostly the same words make two claims meet."""
    sources = sorted({a.origin.source_id, b.origin.source_id})
    if len(sources) == 1 or around.matters.are_one(*sources):
        return False
    corrects = _corrects(a.claim, b.claim) or _corrects(b.claim, a.claim)
    return not (one_key(a, b) or corrects or likeness.mostly_alike(a.claim, b.claim, around.weights))


def _says_too_little(found: likeness.Features) -> bool:
    """In long documents: two ordinary words in common, names alone, or sections on matters of their own."""
    if not found["long"]:
        return False
    few_words = found["words shared"] <= TWO_WORDS and found["own shared"] < HALF
    named = bool(found.get("is name")) and not found["one concept"]
    section = bool(found["sections apart"]) and found["own shared by both"] < AGAIN
    return few_words or named or section or (bool(found["other section"]) and found["own shared by both"] < HALF)


def _of_its_row(a: Claim, b: Claim, found: likeness.Features) -> float:
    """A sentence that names a table's row and the head of its column speaks of that cell, in one document too."""
    cell, prose = (a, b) if a.row else (b, a)
    said = not set(cell.row).isdisjoint(prose.own)
    named = said and found.get("head met", 0.0) and found.get("row met", 0.0) >= ROW_COVERED
    return ROW_SURE * found["row met"] if named and a.type == b.type and cell.head else 0.0


def _said_again(found: likeness.Features) -> float:
    """Nearly the same sentence in another document: what differs is the value."""
    both, words = found["own shared by both"], found["words shared"]
    again = (both >= AGAIN and words >= THREE_WORDS) or (both >= WHOLLY and words >= TWO_WORDS)
    again = again and not found["same source"]
    return ROW_SURE * found["own shared by both"] if again else 0.0


def _reason(a: Claim, b: Claim, found: likeness.Features) -> str:
    if found.get("one cell"):
        return "the same row and column of two tables"
    shared = sorted(s.strip("=#") for s in set(a.own) & set(b.own))
    if not shared:
        return "the only values of their kind in two documents on one subject"
    return f"both speak of {', '.join(shared)}"


def _corrects(correction: Claim, other: Claim) -> bool:
    """It names the other's value as the old one, and they share a word, their own or around them."""
    if not correction.replaces or correction.replaces != other.value or correction.unit != other.unit:
        return False
    return bool({*correction.own, *correction.context} & {*other.own, *other.context})
