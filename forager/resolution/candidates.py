"""Entities that may be one, but not surely: proposed to a person, each with its reason, never joined here.

Every rule finds its pairs through a bucket (a word, a letter left out, a set of initials), so the cost follows the
matches and not all pairs.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from forager.extraction import lexicon
from forager.extraction.names import ORGANISATION
from forager.resolution.entities import FoundEntity
from forager.resolution.name_links import NamedAs, People, person_words

MOST = 500
"""Proposed in one base; a person cannot read more."""
MOST_FITS = 4
"""A short form that fits more people than this says nothing about any of them."""
SHORTEST = 5
"""Letters a word needs before one of them may differ by mistake."""
ACRONYM = re.compile(r"[A-Z]{3,8}")
LINKING = frozenset(("of", "for", "and", "the", "&", "und", "für", "der", "de", "du", "la", "et"))
SURENESS = {"spelling": 0.6, "acronym": 0.5, "order": 0.6, "legal form": 0.5, "short form": 0.4, "look-alike": 0.3}
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι", "aeopcyxijsdhlabezhikmnoptyxoi")
"""Cyrillic and Greek letters that a reader takes for Latin ones."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two entities by their places in the list they were found in, ``a`` before ``b``."""

    a: FoundEntity
    b: FoundEntity
    kind: str
    reason: str

    @property
    def confidence(self) -> float:
        return SURENESS[self.kind]


@dataclass(frozen=True, slots=True)
class _Names:
    """Every name by its folded form: as written, its entity's type, and which entity has it."""

    written: Mapping[str, str]
    types: Mapping[str, str]
    owner: Mapping[str, int]


type _Pairs = Iterator[tuple[str, str, str, str]]
"""(a folded name, another, kind, reason)"""


def candidates(found: Sequence[FoundEntity]) -> list[Candidate]:
    """The surest first, each pair of entities once, whatever the order of ``found``."""
    ordered = sorted(found, key=lambda e: (lexicon.fold(e.name), e.type))
    owner = {name: at for at, entity in enumerate(ordered) for name in sorted(entity.names)}
    written = {lexicon.fold(n): n for e in ordered for n in (e.name, *(a.alias for a in e.aliases if a.separable))}
    names = _Names(written, {name: ordered[at].type for name, at in owner.items()}, owner)
    best: dict[tuple[int, int], Candidate] = {}
    for rule in RULES:
        for left, right, kind, reason in rule(names):
            one, other = sorted((owner[left], owner[right]))
            if one != other and _could_be_one(ordered[one].type, ordered[other].type):
                best.setdefault((one, other), Candidate(ordered[one], ordered[other], kind, reason))
    listed = sorted(best.values(), key=lambda c: (-c.confidence, lexicon.fold(c.a.name), lexicon.fold(c.b.name)))
    return listed[:MOST]


def _could_be_one(a: str, b: str) -> bool:
    return a == b or "name" in (a, b)


def _look_alikes(names: _Names) -> _Pairs:
    """“Paypal” with Cyrillic letters: it looks the same and may be a trick, so a person looks at it."""
    for key in sorted(names.written):
        plain = lexicon.fold(names.written[key].translate(LOOK_ALIKES))
        if plain != key and plain in names.written:
            yield key, plain, "look-alike", "they look the same but are written with letters of another script"


def _spellings(names: _Names) -> _Pairs:
    """Equal but for one letter of one long word. Numbers and codes are told apart by a single sign, so never them."""
    buckets: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in sorted(names.written):
        if names.types[key] not in ("identifier", "service") and not any(c.isdigit() for c in key):
            for bucket in _with_a_letter_less(_plain(key).split()):
                buckets[bucket].append(key)
    for keys in buckets.values():
        for left, right in _pairs(keys):
            if _one_letter_apart(_plain(left), _plain(right)):
                yield left, right, "spelling", "their names differ by one letter"


def _with_a_letter_less(words: list[str]) -> Iterator[tuple[str, ...]]:
    for at, word in enumerate(words):
        if len(word) >= SHORTEST:
            for shorter in (word, *(f"{word[:cut]}{word[cut + 1 :]}" for cut in range(len(word)))):
                yield (*words[:at], shorter, *words[at + 1 :], str(at))


def _one_letter_apart(a: str, b: str) -> bool:
    """One letter changed, left out, added, or two neighbours swapped; not in front, where names really differ."""
    if a == b or a[0] != b[0] or abs(len(a) - len(b)) > 1:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest = (a[start + 1 :] == b[start + 1 :], a[start + 1 :] == b[start:], a[start:] == b[start + 1 :])
    swapped = a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
    return any(rest) or swapped


def _orders(names: _Names) -> _Pairs:
    """“Smith Robert” and “Robert Smith”."""
    yield from _shared(
        names.written, lambda key: " ".join(sorted(words)) if len(words := person_words(key)) > 1 else "",
        "order", "they have the same words in another order",
    )  # fmt: skip


def _legal_forms(names: _Names) -> _Pairs:
    """“Acme GmbH” and “Acme AG”: one house or two, the names alone do not say."""
    firms = {k: w for k, w in names.written.items() if names.types[k] in ("organisation", "name")}

    def bare(key: str) -> str:
        rest = " ".join(ORGANISATION.sub(" ", key).split())
        return rest if rest != key else ""

    yield from _shared(firms, bare, "legal form", "their names are equal but for the legal form")


def _acronyms(names: _Names) -> _Pairs:
    """“FRB” beside “Flight Readiness Board”, where no text spells it out."""
    spelled: dict[str, list[str]] = defaultdict(list)
    for key in sorted(names.written):
        words = [w for w in key.split() if w not in LINKING]
        if len(words) > 1:
            spelled["".join(w[0] for w in words)].append(key)
    for key in sorted(names.written):
        if ACRONYM.fullmatch(names.written[key]) and 0 < len(spelled[key]) <= MOST_FITS:
            for other in spelled[key]:
                yield key, other, "acronym", "its letters are the initials of the other's words"


def _short_forms(names: _Names) -> _Pairs:
    """A bare surname or an initial that fits several people: no text says whom it means."""
    people = People({key: NamedAs(names.written[key], names.types[key], 1) for key in names.written})
    for key in sorted(names.written):
        fits = people.that_fit(key) if names.types[key] in ("person", "name") else []
        if 1 < len(fits) <= MOST_FITS and not people.is_one(fits):
            others = len({names.owner[other] for other in fits} - {names.owner[key]}) - 1
            for other in fits:
                yield key, other, "short form", _fits_too(others)


def _fits_too(others: int) -> str:
    if not others:
        return "the short form fits nobody else"
    return f"the short form fits, but {'another' if others == 1 else f'{others} others'} too"


def _shared(written: Iterable[str], mark: Callable[[str], str], kind: str, reason: str) -> _Pairs:
    buckets: dict[str, list[str]] = defaultdict(list)
    for key in sorted(written):
        if found := mark(key):
            buckets[found].append(key)
    for _, keys in sorted(buckets.items()):
        for left, right in _pairs(keys):
            yield left, right, kind, reason


def _pairs(keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All pairs of a small bucket; a large one says nothing."""
    unique = list(dict.fromkeys(keys))
    if len(unique) <= MOST_FITS + 1:
        yield from ((left, right) for at, left in enumerate(unique) for right in unique[at + 1 :])


def _plain(key: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c))


RULES: Sequence[Callable[[_Names], _Pairs]] = (
    _look_alikes, _spellings, _orders, _legal_forms, _acronyms, _short_forms,
)  # fmt: skip
