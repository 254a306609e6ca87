"""Which names the texts themselves tie together, surest first, each tie with its reason."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from forager.extraction import frames, lexicon
from forager.extraction.names import TITLES


@dataclass(frozen=True, slots=True)
class NamedAs:
    """A name as mentioned, how often, and what the texts say of it (``email``, ``alias``, ``acronym``)."""

    name: str
    type: str
    count: int
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    a: str
    b: str
    kind: str
    reason: str
    confidence: float


def links(names: dict[str, NamedAs]) -> Iterator[Link]:
    """Surest first."""
    yield from _stated(names)
    yield from _by_email(names)
    yield from _by_kind(names)
    yield from _by_first_word(names)
    yield from _by_person(names)


def _stated(names: dict[str, NamedAs]) -> Iterator[Link]:
    for key, one in sorted(names.items()):
        for kind, value in one.facts:
            if kind in ("alias", "acronym") and lexicon.fold(value) in names:
                reason = "the text says so" if kind == "alias" else "the text spells the acronym out"
                yield Link(key, lexicon.fold(value), kind, reason, 0.98)


def _by_email(names: dict[str, NamedAs]) -> Iterator[Link]:
    by_address: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        for kind, value in one.facts:
            if kind == "email":
                by_address[value].append(key)
    for address, keys in sorted(by_address.items()):
        for other in keys[1:]:
            yield Link(keys[0], other, "email", f"the same address {address}", 0.95)


def _by_kind(names: dict[str, NamedAs]) -> Iterator[Link]:
    """“Project Falcon” and “Falcon”: equal but for the word of its kind. “Falcon team” is something else."""
    by_slug: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        if one.type != "person":
            by_slug[frames.slug(one.name)].append(key)
    for slug, keys in sorted(by_slug.items()):
        main = min(keys, key=lambda k: (not kinds_in(k), -names[k].count, k))
        for other in keys:
            if slug and other != main and (not kinds_in(other) or kinds_in(other) == kinds_in(main)):
                yield Link(main, other, "short form", "equal but for the word of its kind", 0.92)


def kinds_in(key: str) -> frozenset[str]:
    return frozenset(key.split()) & frames.kind_words()


def _by_first_word(names: dict[str, NamedAs]) -> Iterator[Link]:
    """“Northwind” for “Northwind Composites”, where only one longer name begins so."""
    longer: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        if one.type in ("organisation", "name") and len(key.split()) > 1 and not kinds_in(key):
            longer[key.split()[0]].append(key)
    for first, keys in sorted(longer.items()):
        if len(keys) == 1 and first in names and names[first].type == "name":
            yield Link(keys[0], first, "short form", f"only {names[keys[0]].name} begins so", 0.85)


def _by_person(names: dict[str, NamedAs]) -> Iterator[Link]:
    """Initials, nicknames and bare names, only where exactly one full name fits."""
    people = People(names)
    for key, one in sorted(names.items()):
        fits = people.that_fit(key) if one.type in ("person", "name") else []
        if people.is_one(fits):
            yield Link(fits[0], key, "short form", f"only {names[fits[0]].name} fits", 0.85)


class People:
    """The full names of persons, found by their first and last words so that the cost follows the matches."""

    def __init__(self, names: dict[str, NamedAs]) -> None:
        listed = {k: person_words(k) for k, one in sorted(names.items()) if one.type == "person"}
        self._full = {k: words for k, words in listed.items() if len(words) > 1}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for key, words in self._full.items():
            for word in {words[0], words[-1]}:
                self._by_word[word].append(key)

    def that_fit(self, key: str) -> list[str]:
        """The full names a shorter or other form can stand for; a title on both narrows a bare surname down."""
        words = person_words(key)
        if not words:
            return []
        asked = {words[-1], *(given_for(words[0]) if len(words) == 1 else ())}
        near = sorted({other for word in asked for other in self._by_word[word]})
        fits = [other for other in near if other != key and fits_name(words, self._full[other])]
        titled = [other for other in fits if titles(key) and titles(key) <= titles(other)]
        return titled if len(words) == 1 and titled else fits

    def is_one(self, fits: list[str]) -> bool:
        """Whether they are one person's name, with a title or without."""
        return len({tuple(self._full[f]) for f in fits}) == 1


def person_words(key: str) -> list[str]:
    """Name words without titles; marks on letters are written or not (“Wójcik”, “Wojcik”)."""
    plain = "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c)).replace("ł", "l")
    return [w.strip(".,") for w in plain.split() if w.strip(".,") not in TITLES]


def titles(key: str) -> frozenset[str]:
    return frozenset(w.strip(".,") for w in key.split()) & frozenset(TITLES)


def fits_name(words: list[str], full: list[str]) -> bool:
    """Whether a shorter or other form can be this full name."""
    if words == full:
        return True
    if len(words) == 1:
        return words[0] == full[-1] or words[0] == full[0] or is_nickname(words[0], full[0])
    if words[-1] != full[-1]:
        return False
    first, theirs = words[0], full[0]
    return (len(first) == 1 and theirs.startswith(first)) or is_nickname(first, theirs)


@cache
def nicknames() -> dict[str, frozenset[str]]:
    return {given: frozenset(short) for given, short in lexicon.load("nicknames").items()}


def is_nickname(short: str, given: str) -> bool:
    return short in nicknames().get(given, frozenset())


@cache
def _given_names_of() -> dict[str, frozenset[str]]:
    given: dict[str, set[str]] = defaultdict(set)
    for name, every in nicknames().items():
        for short in every:
            given[short].add(name)
    return {short: frozenset(names) for short, names in given.items()}


def given_for(short: str) -> frozenset[str]:
    return _given_names_of().get(short, frozenset())
