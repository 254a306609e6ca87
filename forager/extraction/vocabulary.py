"""What a knowledge base may add to the word lists: checked in full before any of it is kept."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forager.extraction import lexicon
from forager.extraction.lexicon import Vocabulary

NAME = re.compile(r"[a-z][a-z_]{1,29}")
MOST_ROWS = 200
MOST_WORDS = 60
LONGEST = 60


class VocabularyRefused(ValueError):
    """``field`` says where, the message what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def read(given: Mapping[str, Any], *, digest: str) -> Vocabulary:
    """The additions as the reader takes them: ``{concepts: {name: [word]}, opposites: {…}, aliases: [[a, b]]}``."""
    concepts = tuple((name, tuple(words)) for name, words in sorted(given["concepts"].items()))
    opposites = tuple((name, tuple(row["yes"]), tuple(row["no"])) for name, row in sorted(given["opposites"].items()))
    aliases = tuple((a, b) for a, b in given["aliases"])
    if not (concepts or opposites or aliases):
        return lexicon.BUILT_IN
    return Vocabulary(digest, concepts, opposites, aliases)


def check(given: Mapping[str, Any]) -> dict[str, Any]:
    """The additions cleaned; ``VocabularyRefused`` names the first thing that is wrong."""
    return {
        "concepts": _concepts(given.get("concepts", {})),
        "opposites": _opposites(given.get("opposites", {})),
        "aliases": _aliases(given.get("aliases", [])),
    }


def _concepts(given: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    known = {lexicon.fold(w): name for name, words in lexicon.built_in("concepts").items() for w in words}
    taken: dict[str, str] = {}
    cleaned = {}
    for name, words in sorted(_few("concepts", given).items()):
        field = f"concepts.{_name('concepts', name)}"
        cleaned[name] = _words(field, words)
        for word in cleaned[name]:
            other = known.get(word, taken.get(word, name))
            if other != name:
                raise VocabularyRefused(field, f"“{word}” already means {other}. A word has one concept.")
            taken[word] = name
    return cleaned


def _opposites(given: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, dict[str, list[str]]]:
    lists = lexicon.built_in("polarity")
    built_in = [name for name, row in lists.items() if isinstance(row, dict) and set(row) == {"+", "-"}]
    known = {(lexicon.fold(w)): (name, sign) for name in built_in for sign in ("+", "-") for w in lists[name][sign]}
    taken: dict[str, tuple[str, str]] = {}
    cleaned = {}
    for name, row in sorted(_few("opposites", given).items()):
        field = f"opposites.{_name('opposites', name)}"
        if name in lists and name not in built_in:
            raise VocabularyRefused(field, "This name is taken. Choose another.")
        is_new = name not in built_in
        cleaned[name] = {key: _words(f"{field}.{key}", row[key], may_be_empty=not is_new) for key in ("yes", "no")}
        for key, sign in (("yes", "+"), ("no", "-")):
            for word in cleaned[name][key]:
                other = known.get(word, taken.get(word, (name, sign)))
                if other != (name, sign):
                    raise VocabularyRefused(f"{field}.{key}", f"“{word}” already stands on the scale {other[0]}.")
                taken[word] = (name, sign)
    return cleaned


def _aliases(given: Sequence[Sequence[str]]) -> list[list[str]]:
    if len(given) > MOST_ROWS:
        raise VocabularyRefused("aliases", f"At most {MOST_ROWS} pairs.")
    cleaned: dict[frozenset[str], list[str]] = {}
    for at, pair in enumerate(given):
        field = f"aliases.{at}"
        names = [_printable(field, name) for name in pair]
        folded = frozenset(lexicon.fold(name) for name in names)
        if len(names) != 2 or len(folded) != 2:
            raise VocabularyRefused(field, "A pair is two names that differ.")
        cleaned.setdefault(folded, names)
    return list(cleaned.values())


def _few[V](field: str, given: Mapping[str, V]) -> Mapping[str, V]:
    if len(given) > MOST_ROWS:
        raise VocabularyRefused(field, f"At most {MOST_ROWS} entries.")
    return given


def _name(field: str, name: str) -> str:
    if not NAME.fullmatch(name):
        raise VocabularyRefused(field, "A name is 2 to 30 small letters and underscores.")
    return name


def _words(field: str, words: Iterable[str], *, may_be_empty: bool = False) -> list[str]:
    cleaned = list(dict.fromkeys(lexicon.fold(_printable(field, word)) for word in words))
    if not (cleaned or may_be_empty) or len(cleaned) > MOST_WORDS:
        raise VocabularyRefused(field, f"Give 1 to {MOST_WORDS} words.")
    return cleaned


def _printable(field: str, word: str) -> str:
    """Words stand in patterns and on pages: no controls, no hidden marks, and letters to match."""
    text = " ".join(word.split())
    if not text.isprintable() or not any(c.isalpha() for c in text) or len(text) > LONGEST:
        raise VocabularyRefused(field, f"A word is up to {LONGEST} printable signs with a letter among them.")
    return text
