"""From aligned claims to conflicts with sides. Found and described here, never resolved."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from forager.extraction.stems import TOKEN, stem
from forager.resolution.alignment import Aligned, align
from forager.resolution.equality import Verdict, compare, is_exact
from forager.resolution.pairing import Work
from forager.resolution.parting import parted
from forager.resolution.placed import Placed

UNTYPED = ("text", "name")
MANY_VALUES = 5
"""Phrases for one attribute above which it is one that has many, as an office has many duties."""
KEY_WORDS = 4
"""Of the words that name a conflict without a key; a mark with a digit (“176a”) always names it too."""
THIRD_SIDE = 0.8
"""A further value joins a conflict when it is about as surely about the same thing."""


@dataclass(frozen=True, slots=True)
class FoundSide:
    """One distinct value and every claim that states it, in a fixed order."""

    value: str
    value_raw: str
    members: tuple[Placed, ...]

    @property
    def origins(self) -> int:
        """Independent origins: copies and forwards of one text are one."""
        return len({m.origin.origin_id for m in self.members})


@dataclass(frozen=True, slots=True)
class FoundConflict:
    type: str
    key: str
    sides: tuple[FoundSide, ...]
    why: str

    @property
    def subject(self) -> str:
        return self.key.partition("|")[0]

    @property
    def attribute(self) -> str:
        return self.key.partition("|")[2]

    @property
    def description(self) -> str:
        values = " vs ".join(side.value for side in self.sides)
        if self.type == "contradiction":
            return f'Opposite statements were made about "{self.attribute}" of {self.subject}: {values}'
        return f'{len(self.sides)} different values were stated for "{self.attribute}" of {self.subject}: {values}'


def detect(claims: Sequence[Placed], pulse: Callable[[], None] = lambda: None) -> tuple[list[FoundConflict], Work]:
    """All conflicts among the claims, and what was compared. Independent of the order of ``claims``.

    ``pulse`` is called every so many pairs; what it raises ends the pass.
    """
    ordered = _once(sorted(claims, key=lambda p: (p.item_id, p.origin.path, p.span, p.claim.type, p.claim.value)))
    work = Work()
    pairs = list(align(ordered, work, pulse))
    differing, equal, listed = [], _verbatim(ordered), _listed(ordered)
    for pair in pairs:
        verdict = compare(pair.a.claim, pair.b.claim)
        if verdict is Verdict.DIFFER and pair.is_matched and _disputable(pair, listed):
            differing.append(pair)
        elif verdict is Verdict.EQUAL and (pair.is_matched or not pair.is_long):
            equal[id(pair.a)].add(id(pair.b))
            equal[id(pair.b)].add(id(pair.a))
    by_id = {id(p): p for p in ordered}
    return _grouped(_without_satisfied(differing, _by_place(ordered)), equal, by_id), work


def _once(claims: Iterable[Placed]) -> list[Placed]:
    """What one source says several times in the same words is one claim of it."""
    said: dict[tuple[str, str, str, str, str], Placed] = {}
    for placed in claims:
        claim = placed.claim
        said.setdefault((placed.item_id, placed.origin.source_id, claim.type, claim.value, claim.unit), placed)
    return list(said.values())


def _verbatim(claims: Iterable[Placed]) -> dict[int, set[int]]:
    """The same words in several sources say the same: each links to the next."""
    equal: dict[int, set[int]] = defaultdict(set)
    last: dict[tuple[str, str, str, str], Placed] = {}
    for placed in claims:
        at = (placed.item_id, placed.claim.type, placed.claim.value, placed.claim.unit)
        if before := last.get(at):
            equal[id(before)].add(id(placed))
            equal[id(placed)].add(id(before))
        last[at] = placed
    return equal


def _listed(claims: Iterable[Placed]) -> set[tuple[str, str]]:
    """Sources and keys under which a source gives several phrases, or all sources together give many: they list
    them, and another's is one more."""
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    anywhere: dict[str, set[str]] = defaultdict(set)
    for placed in claims:
        if placed.key and placed.claim.type in UNTYPED:
            said[placed.origin.source_id, placed.key].add(placed.claim.value)
            anywhere[placed.key].add(placed.claim.value)
    return {at for at, values in said.items() if len(values) > 1 or len(anywhere[at[1]]) > MANY_VALUES}


def _disputable(pair: Aligned, listed: Set[tuple[str, str]]) -> bool:
    """A vague value opens no conflict, two subjects read from headings none by key alone, and one document that gives
    an attribute several phrases or rows lists them."""
    if not (is_exact(pair.a.claim) and is_exact(pair.b.claim)):
        return False
    untyped = pair.a.claim.type in UNTYPED
    if untyped and any((end.origin.source_id, end.key) in listed for end in (pair.a, pair.b)):
        return False
    from_headings = {pair.a.subject_origin, pair.b.subject_origin} <= {"heading", "title"}
    if pair.a.origin.source_id == pair.b.origin.source_id and pair.score >= 1:
        records = bool(pair.a.claim.row and pair.b.claim.row)  # a log has many rows of one name
        return not (untyped or from_headings or records)
    return not (from_headings and untyped and pair.score >= 1)


def _by_place(claims: Iterable[Placed]) -> dict[tuple[str, tuple[int, int]], list[Placed]]:
    places = defaultdict(list)
    for placed in claims:
        places[placed.origin.source_id, placed.span].append(placed)
    return places


def _without_satisfied(
    pairs: Iterable[Aligned], places: Mapping[tuple[str, tuple[int, int]], list[Placed]]
) -> list[Aligned]:
    """Drops a pair when either claim finds its equal in the other's very sentence (“20 chairs and 5 tables”)."""

    def satisfied(claim: Placed, other: Placed) -> bool:
        beside = places[other.origin.source_id, other.span]
        return any(
            m.claim.type == claim.claim.type and compare(m.claim, claim.claim) is Verdict.EQUAL
            for m in beside
            if m.claim is not other.claim
        )

    return [p for p in pairs if not (satisfied(p.a, p.b) or satisfied(p.b, p.a))]


def _grouped(pairs: list[Aligned], equal: dict[int, set[int]], by_id: dict[int, Placed]) -> list[FoundConflict]:
    """The surest pair first; equal claims join its sides; a further value joins when it differs from all of them."""
    differs = defaultdict(set)
    strength: dict[tuple[int, int], float] = {}
    for pair in pairs:
        differs[id(pair.a)].add(id(pair.b))
        differs[id(pair.b)].add(id(pair.a))
        strength[id(pair.a), id(pair.b)] = strength[id(pair.b), id(pair.a)] = pair.score
    found: list[FoundConflict] = []
    used: set[frozenset[str]] = set()
    for pair in sorted(pairs, key=lambda p: (-p.score, p.a.item_id, p.b.item_id, p.a.claim.value, p.b.claim.value)):
        if frozenset((pair.a.item_id, pair.b.item_id)) in used:
            continue
        sides = [_side(pair.a, equal, by_id, {id(pair.b)}), _side(pair.b, equal, by_id, {id(pair.a)})]
        sides = _parted_sides(sides)
        for other in sorted(differs[id(pair.a)] | differs[id(pair.b)], key=lambda i: by_id[i].item_id):
            as_sure = max(strength.get((other, id(end)), 0.0) for end in (pair.a, pair.b)) >= THIRD_SIDE * pair.score
            if as_sure and all(_differs_from(by_id[other], side, differs) for side in sides):
                sides.append(_side(by_id[other], equal, by_id, {id(m) for side in sides for m in side}))
        used.update(
            frozenset((x.item_id, y.item_id)) for i, s in enumerate(sides) for t in sides[i + 1 :] for x in s for y in t
        )
        found.append(_conflict(sides, pair.reason))
    return _merged(found)


def _differs_from(other: Placed, side: list[Placed], differs: dict[int, set[int]]) -> bool:
    """A further value is none of a side and stands against a member of it, or against the value of every member."""
    members = {id(m) for m in side}
    if id(other) in members:
        return False
    return bool(differs[id(other)] & members) or all(
        compare(other.claim, m.claim) is Verdict.DIFFER and not parted(other, m) for m in side
    )


def _side(start: Placed, equal: dict[int, set[int]], by_id: dict[int, Placed], barred: set[int]) -> list[Placed]:
    """Everything equal to ``start``, directly or through an exact equal; a vague value passes nothing on."""
    side, todo = {id(start): start}, [id(start)]
    while todo:
        for other in equal[todo.pop()] - barred:
            if other not in side:
                side[other] = by_id[other]
                if is_exact(by_id[other].claim):
                    todo.append(other)
    return list(side.values())


def _parted_sides(sides: list[list[Placed]]) -> list[list[Placed]]:
    """A claim that fits both sides (an ambiguous date) decides nothing and is left out."""
    both = {id(m) for m in sides[0]} & {id(m) for m in sides[1]}
    return [[m for m in side if id(m) not in both] for side in sides]


def _conflict(sides: list[list[Placed]], reason: str) -> FoundConflict:
    members = [m for side in sides for m in side]
    kind = "contradiction" if members[0].claim.type.startswith("polarity") else "attribute_mismatch"
    made = [_found_side(side) for side in sides]
    return FoundConflict(kind, _key(members), tuple(sorted(made, key=lambda s: (s.value, s.value_raw))), reason)


def _found_side(side: list[Placed]) -> FoundSide:
    ordered = tuple(sorted(side, key=lambda p: (p.item_id, p.origin.path, p.span)))
    exact = next((p for p in ordered if is_exact(p.claim)), ordered[0])
    if exact.claim.type.startswith("polarity"):
        return FoundSide(exact.claim.raw, exact.claim.raw, ordered)
    return FoundSide(exact.claim.shown, exact.claim.raw, ordered)


def _key(members: Sequence[Placed]) -> str:
    """The attribute key most members share, else one made of the words they share."""
    keys = sorted(m.key for m in members if m.key)
    if keys:
        return max(dict.fromkeys(keys), key=lambda k: (keys.count(k), [-ord(c) for c in k]))
    shared = set(members[0].claim.own).intersection(*(m.claim.own for m in members[1:]))
    first = min(members, key=lambda m: m.item_id)
    said = [w for w in TOKEN.findall(first.statement) if stem(w) in shared]
    words = [w for at, w in enumerate(said) if at < KEY_WORDS or any(c.isdigit() for c in w)]
    kind = first.claim.type.rpartition(":")[2]
    return f"{'_'.join(w.casefold() for w in words) or 'statement'}|{kind}"


def _merged(found: list[FoundConflict]) -> list[FoundConflict]:
    """One conflict for one key and set of values, however many pairs led to it."""
    by_identity: dict[tuple[str, str, tuple[str, ...]], FoundConflict] = {}
    for conflict in found:
        identity = (conflict.type, conflict.key, tuple(s.value for s in conflict.sides))
        known = by_identity.get(identity)
        by_identity[identity] = conflict if known is None else _joined(known, conflict)
    every = [by_identity[i] for i in sorted(by_identity)]
    holding: dict[int, list[FoundConflict]] = defaultdict(list)
    for conflict in every:
        for member in {id(m) for side in conflict.sides for m in side.members}:
            holding[member].append(conflict)
    return [c for c in every if not any(_within(c, o) for o in holding[id(c.sides[0].members[0])] if o is not c)]


def _within(part: FoundConflict, whole: FoundConflict) -> bool:
    """All its sides are sides of a conflict with more of them."""
    if len(part.sides) >= len(whole.sides):
        return False
    sides = [{id(m) for m in side.members} for side in whole.sides]
    return all(any({id(m) for m in side.members} <= other for other in sides) for side in part.sides)


def _joined(a: FoundConflict, b: FoundConflict) -> FoundConflict:
    sides = tuple(
        FoundSide(x.value, x.value_raw, tuple(dict.fromkeys((*x.members, *y.members))))
        for x, y in zip(a.sides, b.sides, strict=True)
    )
    return FoundConflict(a.type, a.key, sides, a.why)
