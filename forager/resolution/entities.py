"""Which names are one entity, and why. Deterministic over the whole set of mentions, whatever their order.

What people decided comes first: names they joined are one, names they told apart never meet, whatever the texts say.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from forager.extraction import frames, lexicon
from forager.extraction.names import TITLES
from forager.resolution.name_links import Link, NamedAs, given_for, links, titles


@dataclass(frozen=True, slots=True)
class FoundAlias:
    """``separable`` says that it is a name of its own, which a person may take out again."""

    alias: str
    kind: str
    reason: str
    confidence: float
    separable: bool = False


@dataclass(frozen=True, slots=True)
class FoundEntity:
    type: str
    name: str
    aliases: tuple[FoundAlias, ...]
    mentions: int

    @property
    def names(self) -> frozenset[str]:
        """Every name of its own it goes by, folded."""
        return frozenset((lexicon.fold(self.name), *(lexicon.fold(a.alias) for a in self.aliases if a.separable)))


@dataclass(frozen=True, slots=True)
class Decided:
    """What people decided on names (all folded): ``joined`` are (name, name, reason), ``apart`` are pairs.

    ``stated`` are the pairs that the base's own vocabulary calls one.
    """

    joined: tuple[tuple[str, str, str], ...] = ()
    apart: frozenset[frozenset[str]] = frozenset()
    stated: tuple[tuple[str, str], ...] = ()


UNDECIDED = Decided()


class _Groups:
    """Names that are one so far. Two groups do not meet when a person told any of their names apart."""

    def __init__(self, names: Iterable[str], apart: Iterable[frozenset[str]]) -> None:
        self._members = {name: [name] for name in names}
        self._root = {name: name for name in self._members}
        self._apart: dict[str, set[str]] = defaultdict(set)
        for pair in apart:
            for name in pair:
                self._apart[name] |= pair - {name}

    def join(self, a: str, b: str) -> bool:
        """Whether it joined anything."""
        one, other = sorted((self._root[a], self._root[b]))
        mine, theirs = self._members[one], self._members[other]
        if one == other or any(self._apart.get(name, set()).intersection(theirs) for name in mine):
            return False
        for name in theirs:
            self._root[name] = one
        mine.extend(self._members.pop(other))
        return True

    def __iter__(self) -> Iterator[list[str]]:
        return (sorted(members) for members in self._members.values())


def resolve(named: Iterable[NamedAs], decided: Decided = UNDECIDED) -> list[FoundEntity]:
    """Entities with their other names, in name order."""
    names = _collected(named)
    groups = _Groups(sorted(names), decided.apart)
    why: dict[str, Link] = {}
    for link in (*_by_people(names, decided), *links(names)):
        if groups.join(link.a, link.b):
            why.setdefault(link.b, link)
            why.setdefault(link.a, link)
    found = (_with_short_form(_entity(keys, names, why), names) for keys in groups)
    return sorted((e for e in found if e.mentions), key=lambda e: (lexicon.fold(e.name), e.type))


def _by_people(names: dict[str, NamedAs], decided: Decided) -> Iterator[Link]:
    for a, b, reason in decided.joined:
        if a in names and b in names:
            yield Link(a, b, "merge", reason, 1.0)
    for a, b in decided.stated:
        if a in names and b in names:
            yield Link(a, b, "vocabulary", "the vocabulary of this base says so", 0.99)


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


def _entity(keys: list[str], names: dict[str, NamedAs], why: dict[str, Link]) -> FoundEntity:
    types = Counter({names[k].type: names[k].count + 1 for k in keys if names[k].type != "name"}) or Counter(["name"])
    canonical = min(keys, key=lambda k: (names[k].count == 0, _is_shortened(k), -len(k.split()), -names[k].count, k))
    aliases = [_alias(k, names, why) for k in keys if k != canonical]
    for key in keys:
        for kind, value in names[key].facts:
            if kind == "email":
                aliases.append(FoundAlias(value, "email", f"the address of {names[key].name}", 0.95))
    bare = " ".join(w for w in names[canonical].name.split() if lexicon.fold(w).strip(".,") not in TITLES)
    if titles(canonical) and " " in bare and lexicon.fold(bare) not in names:
        aliases.append(FoundAlias(bare, "short form", "without the title", 0.95))
    unique = {lexicon.fold(a.alias): a for a in aliases}
    return FoundEntity(
        _top(types), names[canonical].name, tuple(unique[k] for k in sorted(unique)), sum(names[k].count for k in keys)
    )


def _is_shortened(key: str) -> bool:
    words = key.split()
    is_short = bool(given_for(words[0])) or words[0].strip(".") in TITLES
    return is_short or any(len(w.strip(".")) == 1 for w in words)


def _alias(key: str, names: dict[str, NamedAs], why: dict[str, Link]) -> FoundAlias:
    link = why.get(key)
    if link is None:
        return FoundAlias(names[key].name, "other form", "joined through another name", 0.85, separable=True)
    return FoundAlias(names[key].name, link.kind, link.reason, link.confidence, separable=True)
