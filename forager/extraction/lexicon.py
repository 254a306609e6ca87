"""The word lists as data: loaded once, matched on word borders, longest entry first.

A knowledge base may add words to some lists (``Vocabulary``). They count inside ``using`` alone: every cache here and
in ``stems`` is kept by the vocabulary's digest, so two bases read by one process never see each other's words.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from forager.extraction.phrases import Phrases

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "de", "fr")
VOCABULARIES = 32
"""How many vocabularies the caches keep; an older one is made again when it is needed."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a base adds: words to attribute concepts, opposite cues to scales, pairs of names that are one.

    ``digest`` is empty for the built-in lists alone; equal digests mean equal words.
    """

    digest: str = ""
    concepts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    opposites: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


BUILT_IN = Vocabulary()
_current: ContextVar[Vocabulary] = ContextVar("vocabulary", default=BUILT_IN)


@contextmanager
def using(vocabulary: Vocabulary) -> Iterator[None]:
    """Reads with the words of a base until it ends."""
    token = _current.set(vocabulary)
    try:
        yield
    finally:
        _current.reset(token)


def current_digest() -> str:
    """What a cache over words must be kept by."""
    return _current.get().digest


@cache
def built_in(name: str) -> dict[str, Any]:
    """One data file as it is, without what a base adds. “no” and “on” are words here, not truth values."""
    loaded = yaml.load((DATA / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
    if not isinstance(loaded, dict):
        raise TypeError(f"{name}.yaml is not a mapping")
    return loaded


def load(name: str) -> dict[str, Any]:
    """One data file, e.g. ``load("standing")``, with what the base in use adds to it."""
    extend = EXTENDED.get(name)
    return built_in(name) if extend is None or not current_digest() else _extended(name, current_digest())


@lru_cache(maxsize=len(LANGUAGES) * VOCABULARIES)
def _extended(name: str, _digest: str) -> dict[str, Any]:
    return EXTENDED[name](built_in(name), _current.get())


def _more_concepts(lists: dict[str, Any], added: Vocabulary) -> dict[str, Any]:
    return lists | {concept: [*lists.get(concept, ()), *words] for concept, words in added.concepts}


def _more_opposites(lists: dict[str, Any], added: Vocabulary) -> dict[str, Any]:
    """A new scale is called by its first words; a single word before a noun only describes it, as built-in ones do."""
    every, labels, attributes = dict(lists), dict(lists["labels"]), list(lists["attributes"])
    for scale, yes, no in added.opposites:
        known = lists.get(scale, {"+": [], "-": []})
        every[scale] = {"+": [*known["+"], *yes], "-": [*known["-"], *no]}
        labels.setdefault(scale, {"+": every[scale]["+"][0], "-": every[scale]["-"][0]})
        attributes += [word for word in (*yes, *no) if " " not in word]
    return every | {"labels": labels, "attributes": attributes}


EXTENDED = {"concepts": _more_concepts, "polarity": _more_opposites}
"""The lists a base may add to."""


def scales() -> tuple[str, ...]:
    """The scales on which two sentences can oppose each other."""
    return _scales(current_digest())


@lru_cache(maxsize=VOCABULARIES)
def _scales(_digest: str) -> tuple[str, ...]:
    return tuple(name for name, row in load("polarity").items() if isinstance(row, dict) and set(row) == {"+", "-"})


def pattern(name: str, *path: str) -> Phrases:
    """The list at a place of a data file, all languages together, as one pattern."""
    return _pattern(current_digest() if name in EXTENDED else "", name, path)


@lru_cache(maxsize=4096)
def _pattern(_digest: str, name: str, path: tuple[str, ...]) -> Phrases:
    here: Any = load(name)
    for part in path:
        here = here[part]
    return Phrases(_flat(here))


@cache
def keys(name: str, *path: str) -> Phrases:
    """The words a mapping of a data file is keyed by, as one pattern."""
    return Phrases(mapping(name, *path))


@cache
def mapping(name: str, *path: str) -> Mapping[str, str]:
    """A mapping of a data file from words, folded; of a file that no base adds to."""
    here: Any = built_in(name)
    for part in path:
        here = here[part]
    return {fold(str(word)): str(value) for word, value in here.items()}


def concept_of(name: str = "concepts") -> Mapping[str, str]:
    """Every word or phrase of a concept file to its concept, folded."""
    return _concept_of(current_digest() if name in EXTENDED else "", name)


@lru_cache(maxsize=VOCABULARIES)
def _concept_of(_digest: str, name: str) -> Mapping[str, str]:
    return {fold(word): concept for concept, words in load(name).items() for word in words}


def fold(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _flat(here: Any) -> list[str]:
    if isinstance(here, Mapping):
        return [word for part in here.values() for word in _flat(part)]
    return [str(word) for word in here]
