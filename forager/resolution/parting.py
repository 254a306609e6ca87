"""What keeps two claims apart however alike they sound: another weekday, year, draft, subject or attribute."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache

from forager.extraction import lexicon
from forager.extraction.model import Claim
from forager.extraction.stems import small_words
from forager.resolution import likeness
from forager.resolution.placed import Placed

ONE_SIDED = {
    "occasion": "one occasion only",
    "reading": "a reading, not a rule",
    "shift": "a shift, not a value",
    "tax": "with or without tax",
}
PERIOD = ("from", "to")
"""Families that part two claims when only one of them has one."""
HEADED = {"environment", "stage", "year", "season", "tax"}
"""Families that part two claims by their headings alone."""
FEW_DAYS, MANY_DAYS = 2, 4


def parted(a: Placed, b: Placed) -> str:
    """Why two claims cannot be about one thing, or ''."""
    return next((reason for reason in _reasons(a, b) if reason), "")


def under_another_heading(a: Placed, b: Placed, sections: Mapping[str, Set[str]]) -> bool:
    """The headings are of one pattern (“Colorado sick leave”, “Oregon sick leave”) and one of the sources has both."""
    ours, theirs = a.claim.section, b.claim.section
    if ours == theirs or not (theirs in sections[a.origin.source_id] or ours in sections[b.origin.source_id]):
        return False
    left, right = (set(lexicon.fold(section).split()) - small_words() for section in (ours, theirs))
    return bool(left & right and left - right and right - left)


def one_key(a: Placed, b: Placed) -> bool:
    """Both state one attribute of one subject, under the entity's own name."""
    return bool(a.key) and a.key == b.key


def _reasons(a: Placed, b: Placed) -> Iterator[str]:
    own_a, set_a = _families(a.claim.qualifiers)
    own_b, set_b = _families(b.claim.qualifiers)
    yield _other_days(own_a, own_b) or _other_days(own_a | set_a, own_b | set_b, both=True)
    if _other_period(own_a, own_b, b.origin.date) or _other_period(own_b, own_a, a.origin.date):
        yield "another period"
    contrast = _clash(own_a, own_b) or _clash(own_a, set_b) or _clash(set_a, own_b) or _clash(set_a, set_b, HEADED)
    yield f"another {contrast}" if contrast else ""
    if one_key(a, b):
        return
    yield from _one_sided(own_a | set_a, own_b | set_b)
    if a.claim.names and b.claim.names and set(a.claim.names).isdisjoint(b.claim.names):
        yield "another name"
    if _other_subject(a, b):
        yield "another subject"
    if _other_attribute(a.claim, b.claim):
        yield "another attribute"


def _one_sided(left: dict[str, set[str]], right: dict[str, set[str]]) -> Iterator[str]:
    if _draft_only(left, right):
        yield "a draft, not a decision"
    for family, reason in ONE_SIDED.items():
        if (family in left) != (family in right):
            yield reason


def _other_attribute(a: Claim, b: Claim) -> bool:
    """Both name attributes that exclude each other (an owner is no contact, a start no end) and none in common."""
    asked_a, asked_b = likeness.concepts(a), likeness.concepts(b)
    if not asked_a.isdisjoint(asked_b):
        return False
    return any(
        not group.isdisjoint(asked_a) and not group.isdisjoint(asked_b)
        for group in ({f"={concept}" for concept in names} for names in lexicon.load("likeness")["exclusive"].values())
    )


def _draft_only(left: dict[str, set[str]], right: dict[str, set[str]]) -> bool:
    stages = (left.get("stage", set()), right.get("stage", set()))
    return {"draft"} in stages and set() in stages


def _other_subject(a: Placed, b: Placed) -> bool:
    """Both sentences name what they are about, each by a proper name, and the names share no word."""
    if not (a.claim.is_named and b.claim.is_named):
        return False
    left, right = (set(p.key.partition("|")[0].split("_")) for p in (a, b))
    return left.isdisjoint(right)


def _other_period(left: dict[str, set[str]], right: dict[str, set[str]], date: str) -> bool:
    """It holds only from a day on (or until one), and the other speaks for a time before (or after) it."""
    begins, ends = left.get("from"), left.get("to")
    said = right.get("from") or right.get("to")
    if begins and (right.get("to") or (date and not said)):
        return min(begins) > (max(right["to"]) if right.get("to") else date)
    if begins and right.get("from"):
        return begins != right["from"]
    return bool(ends and not said and date and date > max(ends))


def _other_days(left: dict[str, set[str]], right: dict[str, set[str]], *, both: bool = False) -> str:
    """Other weekdays; or one or two days on one side only, which is an exception."""
    days_a, days_b = left.get("weekday", set()), right.get("weekday", set())
    if both and not (days_a and days_b):
        return ""
    if days_a and days_b:
        exception = min(len(days_a), len(days_b)) <= FEW_DAYS < MANY_DAYS <= max(len(days_a), len(days_b))
        return "another weekday" if days_a.isdisjoint(days_b) or exception else ""
    return "a rule for one weekday only" if 0 < len(days_a | days_b) <= FEW_DAYS else ""


def _clash(left: dict[str, set[str]], right: dict[str, set[str]], among: set[str] | None = None) -> str:
    """The first family in which both say something and nothing in common."""
    shared = (left.keys() & right.keys() & (among if among is not None else left.keys())) - set(PERIOD)
    return next((f for f in sorted(shared) if left[f].isdisjoint(right[f])), "")


def own_families(claim: Claim) -> Mapping[str, set[str]]:
    """What the claim's own sentence says of each family of qualifiers."""
    return _families(claim.qualifiers)[0]


@lru_cache(maxsize=65536)
def _families(qualifiers: tuple[str, ...]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Qualifiers by family: the sentence's own, and those of its headings where it has none of that family."""
    own: dict[str, set[str]] = defaultdict(set)
    setting: dict[str, set[str]] = defaultdict(set)
    for qualifier in qualifiers:
        group, _, value = qualifier.removeprefix("@").partition(":")
        (setting if qualifier.startswith("@") else own)[group].add(value)
    return own, {group: values for group, values in setting.items() if group not in own}
