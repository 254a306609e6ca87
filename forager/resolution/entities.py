"""Which names are one entity, and why. Deterministic over the whole set of mentions, whatever their order."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
class FoundAlias:
    alias: str
    kind: str
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class FoundEntity:
    type: str
    name: str
    aliases: tuple[FoundAlias, ...]
    mentions: int


@dataclass(frozen=True, slots=True)
class _Link:
    a: str
    b: str
    kind: str
    reason: str
    confidence: float


def resolve(named: Iterable[NamedAs]) -> list[FoundEntity]:
    """Entities with their other names, in name order."""
    names = _collected(named)
    parent = {key: key for key in names}
    why: dict[str, _Link] = {}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for link in _links(names):
        a, b = root(link.a), root(link.b)
        if a != b:
            parent[max(a, b)] = min(a, b)
            why.setdefault(link.b, link)
            why.setdefault(link.a, link)
    groups: dict[str, list[str]] = defaultdict(list)
    for key in sorted(names):
        groups[root(key)].append(key)
    found = [_with_short_form(_entity(keys, names, why), names) for keys in groups.values()]
    return sorted(found, key=lambda e: (lexicon.fold(e.name), e.type))


def _with_short_form(entity: FoundEntity, names: dict[str, NamedAs]) -> FoundEntity:
    """“Project Kite” also answers to “Kite”, unless that is a name of its own."""
    words = entity.name.split()
    short = " ".join(w for w in words if lexicon.fold(w) not in frames.kind_words())
    if entity.type == "person" or short in ("", entity.name) or lexicon.fold(short) in names:
        return entity
    alias = FoundAlias(short, "short form", "without the word of its kind", 0.9)
    return replace(entity, aliases=tuple(sorted((*entity.aliases, alias), key=lambda a: lexicon.fold(a.alias))))


def _collected(named: Iterable[NamedAs]) -> dict[str, NamedAs]:
    """One entry a folded name: the spelling and type seen most often, all counts and facts together."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    types: dict[str, Counter[str]] = defaultdict(Counter)
    facts: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in named:
        key = lexicon.fold(one.name)
        spellings[key][one.name] += one.count
        types[key][one.type] += one.count
        facts[key].update(one.facts)
    for key in list(facts):
        for kind, value in facts[key]:
            if kind in ("alias", "acronym") and lexicon.fold(value) not in spellings:
                spellings[lexicon.fold(value)][value] += 0
                types[lexicon.fold(value)][_top(types[key])] += 0
    return {
        key: NamedAs(_top(spellings[key]), _surest(types[key]), spellings[key].total(), tuple(sorted(facts[key])))
        for key in spellings
    }


def _surest(types: Counter[str]) -> str:
    """One mention that says what a name is outweighs many that do not."""
    return _top(Counter({t: n for t, n in types.items() if t != "name"}) or types)


def _top(counter: Counter[str]) -> str:
    return min(counter, key=lambda value: (-counter[value], value))


def _links(names: dict[str, NamedAs]) -> Iterator[_Link]:
    """Surest first."""
    yield from _stated(names)
    yield from _by_email(names)
    yield from _by_kind(names)
    yield from _by_first_word(names)
    yield from _by_person(names)


def _stated(names: dict[str, NamedAs]) -> Iterator[_Link]:
    for key, one in sorted(names.items()):
        for kind, value in one.facts:
            if kind in ("alias", "acronym") and lexicon.fold(value) in names:
                reason = "the text says so" if kind == "alias" else "the text spells the acronym out"
                yield _Link(key, lexicon.fold(value), kind, reason, 0.98)


def _by_email(names: dict[str, NamedAs]) -> Iterator[_Link]:
    by_address: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        for kind, value in one.facts:
            if kind == "email":
                by_address[value].append(key)
    for address, keys in sorted(by_address.items()):
        for other in keys[1:]:
            yield _Link(keys[0], other, "email", f"the same address {address}", 0.95)


def _by_kind(names: dict[str, NamedAs]) -> Iterator[_Link]:
    """“Project Falcon” and “Falcon”: equal but for the word of its kind. “Falcon team” is something else."""
    by_slug: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        if one.type != "person":
            by_slug[frames.slug(one.name)].append(key)
    for slug, keys in sorted(by_slug.items()):
        main = min(keys, key=lambda k: (not _kinds_in(k), -names[k].count, k))
        for other in keys:
            if slug and other != main and (not _kinds_in(other) or _kinds_in(other) == _kinds_in(main)):
                yield _Link(main, other, "short form", "equal but for the word of its kind", 0.92)


def _kinds_in(key: str) -> frozenset[str]:
    return frozenset(key.split()) & frames.kind_words()


def _by_first_word(names: dict[str, NamedAs]) -> Iterator[_Link]:
    """“Northwind” for “Northwind Composites”, where only one longer name begins so."""
    longer: dict[str, list[str]] = defaultdict(list)
    for key, one in sorted(names.items()):
        if one.type in ("organisation", "name") and len(key.split()) > 1 and not _kinds_in(key):
            longer[key.split()[0]].append(key)
    for first, keys in sorted(longer.items()):
        if len(keys) == 1 and first in names and names[first].type == "name":
            yield _Link(keys[0], first, "short form", f"only {names[keys[0]].name} begins so", 0.85)


def _by_person(names: dict[str, NamedAs]) -> Iterator[_Link]:
    """Initials, nicknames and bare names, only where exactly one full name fits."""
    full = {
        k: _person_words(k) for k, one in sorted(names.items()) if one.type == "person" and len(_person_words(k)) > 1
    }
    for key, one in sorted(names.items()):
        words = _person_words(key)
        if one.type not in ("person", "name") or not words:
            continue
        fits = [other for other, theirs in full.items() if other != key and _fits(words, theirs)]
        titled = [other for other in fits if _titles(key) and _titles(key) <= _titles(other)]
        fits = titled if len(words) == 1 and titled else fits
        if len({tuple(full[f]) for f in fits}) == 1:
            yield _Link(fits[0], key, "short form", f"only {names[fits[0]].name} fits", 0.85)


def _person_words(key: str) -> list[str]:
    """Name words without titles; marks on letters are written or not (“Wójcik”, “Wojcik”)."""
    plain = "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c)).replace("ł", "l")
    return [w.strip(".,") for w in plain.split() if w.strip(".,") not in TITLES]


def _titles(key: str) -> frozenset[str]:
    return frozenset(w.strip(".,") for w in key.split()) & frozenset(TITLES)


def _fits(words: list[str], full: list[str]) -> bool:
    """Whether a shorter or other form can be this full name."""
    if words == full:
        return True
    if len(words) == 1:
        return words[0] == full[-1] or words[0] == full[0] or _is_nickname(words[0], full[0])
    if words[-1] != full[-1]:
        return False
    first, theirs = words[0], full[0]
    return (len(first) == 1 and theirs.startswith(first)) or _is_nickname(first, theirs)


@cache
def _nicknames() -> dict[str, frozenset[str]]:
    return {given: frozenset(short) for given, short in lexicon.load("nicknames").items()}


def _is_nickname(short: str, given: str) -> bool:
    return short in _nicknames().get(given, frozenset())


def _entity(keys: list[str], names: dict[str, NamedAs], why: dict[str, _Link]) -> FoundEntity:
    types = Counter({names[k].type: names[k].count + 1 for k in keys if names[k].type != "name"}) or Counter(["name"])
    canonical = min(keys, key=lambda k: (names[k].count == 0, _is_shortened(k), -len(k.split()), -names[k].count, k))
    aliases = [_alias(k, names, why) for k in keys if k != canonical]
    for key in keys:
        for kind, value in names[key].facts:
            if kind == "email":
                aliases.append(FoundAlias(value, "email", f"the address of {names[key].name}", 0.95))
    bare = " ".join(w for w in names[canonical].name.split() if lexicon.fold(w).strip(".,") not in TITLES)
    if _titles(canonical) and " " in bare and lexicon.fold(bare) not in keys:
        aliases.append(FoundAlias(bare, "short form", "without the title", 0.95))
    unique = {lexicon.fold(a.alias): a for a in aliases}
    return FoundEntity(
        _top(types), names[canonical].name, tuple(unique[k] for k in sorted(unique)), sum(names[k].count for k in keys)
    )


def _is_shortened(key: str) -> bool:
    words = key.split()
    given = {short for all_short in _nicknames().values() for short in all_short}
    return any(len(w.strip(".")) == 1 for w in words) or words[0] in given or words[0].strip(".") in TITLES


def _alias(key: str, names: dict[str, NamedAs], why: dict[str, _Link]) -> FoundAlias:
    link = why.get(key)
    if link is None:
        return FoundAlias(names[key].name, "other form", "joined through another name", 0.85)
    return FoundAlias(names[key].name, link.kind, link.reason, link.confidence)
