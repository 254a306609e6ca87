"""Which claims are worth weighing against each other: those that meet in a bucket of an inverted index.

Buckets are (family, word), so the cost follows the matches and not all pairs. Within a large bucket claims meet only
where no label, weekday, environment … or name tells them apart, which is most of what a large base would compare.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from forager.resolution import likeness, parting
from forager.resolution.equality import family
from forager.resolution.likeness import Surroundings
from forager.resolution.placed import Placed

TELLING, RARE = 3, 24
"""A claim is proposed by its rarest words and by every rare one; two that share none of these share too little."""
COMMON_STEM = 200
"""A stem borne by more claims of one family than this proposes no pairs by itself."""
SCARCE = 4
"""Of a kind that a source has no more of than this, two sources' claims meet by their surroundings too."""
COMMON_SETTING = 40
CORRECTED = ("date", "time", "money", "quantity", "version", "code", "phone", "email", "url", "host")
SMALL = 8
"""A bucket up to which looking for what divides it costs more than comparing all its pairs."""
NAMES = "name"
TOO_COMMON, DIVIDED = "a word too common to compare by", "another label or name, before comparing"

type Marks = Mapping[str, set[str]]


@dataclass(slots=True)
class Work:
    """What a pass did, for the record."""

    pairs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def candidates(claims: Sequence[Placed], around: Surroundings, work: Work) -> Iterator[tuple[Placed, Placed]]:
    """The pairs that are worth weighing, each once, in a fixed order."""
    marks = [_marks(placed) for placed in claims]
    seen: set[tuple[int, int]] = set()
    for (_, stem), members in sorted(_index(claims, around).items()):
        by_key = stem.startswith("key:")
        if len(members) > (COMMON_SETTING if stem.startswith("setting:") else COMMON_STEM) and not by_key:
            work.skipped[TOO_COMMON] += len(members)
            continue
        found = list(_undivided(members, marks, {NAMES} if by_key else set()))
        if (left_out := len(members) * (len(members) - 1) // 2 - len(found)) > 0:
            work.skipped[DIVIDED] += left_out
        seen.update(found)
    seen.update(_corrections(claims))
    for first, second in sorted(seen):
        if claims[first].item_id != claims[second].item_id:
            yield claims[first], claims[second]


def _index(claims: Sequence[Placed], around: Surroundings) -> dict[tuple[str, str], list[int]]:
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    borne = Counter((family(p.claim), stem) for p in claims for stem in p.claim.own)
    for at, placed in enumerate(claims):
        claim, group = placed.claim, family(placed.claim)
        if placed.key:
            index[group, f"key:{placed.key}"].append(at)
        rarest = sorted(claim.own, key=lambda s: (borne[group, s], s))
        for stem in (s for n, s in enumerate(rarest) if n < TELLING or borne[group, s] <= RARE):
            index[group, stem].append(at)
        if around.kinds[placed.origin.source_id, likeness.kind_of(claim)] <= SCARCE:
            for stem in {*claim.own, *claim.context}:
                index[likeness.kind_of(claim), f"setting:{stem}"].append(at)
    return index


def _corrections(claims: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Each claim that names an old value, with every claim that states it."""
    correcting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, placed in enumerate(claims):
        if placed.claim.replaces:
            correcting[family(placed.claim), placed.claim.replaces].append(at)
    for at, placed in enumerate(claims):
        if placed.claim.type in CORRECTED and not placed.claim.replaces:
            for other in correcting.get((family(placed.claim), placed.claim.value), ()):
                yield min(at, other), max(at, other)


def _marks(placed: Placed) -> Marks:
    """What a claim's own sentence says of each family that parts claims by itself, and its names."""
    own = {group: values for group, values in parting.own_families(placed.claim).items() if group not in parting.PERIOD}
    return {**own, NAMES: set(placed.claim.names)} if placed.claim.names else own


def _undivided(members: Sequence[int], marks: Sequence[Marks], done: set[str]) -> Iterator[tuple[int, int]]:
    """Pairs of a bucket, earlier first, without those that ``parting`` would part by one family of marks at sight."""
    if len(members) <= SMALL or not (by := _most_telling(members, marks, done)):
        yield from ((a, b) for at, a in enumerate(members) for b in members[at + 1 :])
        return
    groups: dict[str, list[int]] = defaultdict(list)
    bare: list[int] = []
    for one in members:
        for value in marks[one].get(by, ()):
            groups[value].append(one)
        if by not in marks[one]:
            bare.append(one)
    for group in (*groups.values(), bare):
        yield from _undivided(group, marks, {*done, by})
    bearing = [one for one in members if by in marks[one]]
    yield from ((a, b) if a < b else (b, a) for a in bare for b in bearing)


def _most_telling(members: Sequence[int], marks: Sequence[Marks], done: set[str]) -> str:
    """The family that most members bear, where it is most of them."""
    borne = Counter(group for one in members for group in marks[one] if group not in done)
    if not borne:
        return ""
    most = min(borne, key=lambda group: (-borne[group], group))
    return most if 2 * borne[most] >= len(members) else ""
