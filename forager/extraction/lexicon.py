"""The word lists as data: loaded once, matched on word borders, longest entry first."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "de", "fr")


@cache
def load(name: str) -> dict[str, Any]:
    """One data file, e.g. ``load("standing")``. All is text: “no” and “on” are words here, not truth values."""
    loaded = yaml.load((DATA / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
    if not isinstance(loaded, dict):
        raise TypeError(f"{name}.yaml is not a mapping")
    return loaded


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Matches any of the words or phrases, whole words only, the longest first, whatever the case."""
    ordered = sorted({str(w).strip() for w in words}, key=lambda w: (-len(w), w))
    body = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in ordered)
    return re.compile(rf"(?<![\w'’])(?:{body})(?![\w])", re.IGNORECASE)


@cache
def pattern(name: str, *path: str) -> re.Pattern[str]:
    """The list at a place of a data file, all languages together, as one pattern."""
    here: Any = load(name)
    for part in path:
        here = here[part]
    return any_of(_flat(here))


@cache
def keys(name: str, *path: str) -> re.Pattern[str]:
    """The words a mapping of a data file is keyed by, as one pattern."""
    return any_of(mapping(name, *path))


@cache
def mapping(name: str, *path: str) -> Mapping[str, str]:
    """A mapping of a data file from words, folded."""
    here: Any = load(name)
    for part in path:
        here = here[part]
    return {fold(str(word)): str(value) for word, value in here.items()}


@cache
def concept_of(name: str = "concepts") -> Mapping[str, str]:
    """Every word or phrase of a concept file to its concept, folded."""
    return {fold(word): concept for concept, words in load(name).items() for word in words}


def fold(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _flat(here: Any) -> list[str]:
    if isinstance(here, Mapping):
        return [word for part in here.values() for word in _flat(part)]
    return [str(word) for word in here]
