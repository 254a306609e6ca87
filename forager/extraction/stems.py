"""Words as the comparison sees them: an attribute concept where one is known, else a stem cut to six letters."""

import re
from functools import cache, lru_cache

import snowballstemmer

from forager.extraction import lexicon
from forager.extraction.phrases import Phrases

TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
STEM_LETTERS = 6


@cache
def _stemmers() -> dict[str, "snowballstemmer.stemmer"]:
    names = {"en": "english", "de": "german", "fr": "french"}
    return {language: snowballstemmer.stemmer(name) for language, name in names.items()}


@cache
def small_words() -> frozenset[str]:
    return frozenset(word for words in lexicon.load("words")["stop"].values() for word in words)


@lru_cache(maxsize=lexicon.VOCABULARIES)
def _phrases(_vocabulary: str) -> Phrases:
    return Phrases(word for word in lexicon.concept_of() if " " in word or "-" in word)


def stem(word: str, language: str = "en") -> str:
    """The concept of a word as ``=concept``, else its stem. Identifiers (with digits) stay whole."""
    return _stem(word, language, lexicon.current_digest())


@lru_cache(maxsize=65536)
def _stem(word: str, language: str, _vocabulary: str) -> str:
    folded = lexicon.fold(word)
    concept = lexicon.concept_of().get(folded)
    if concept:
        return f"={concept}"
    if any(ch.isdigit() for ch in folded):
        return folded
    return str(_stemmers()[language].stemWord(folded))[:STEM_LETTERS]


@lru_cache(maxsize=65536)
def _of_word(word: str, language: str, vocabulary: str) -> tuple[str, ...]:
    """“employee-family” is two words; what holds a digit or is a concept as a whole stays one. None of a small word."""
    word = word.removesuffix("'s").removesuffix("’s")
    whole = "-" not in word or any(ch.isdigit() for ch in word) or lexicon.fold(word) in lexicon.concept_of()
    parts = [word] if whole else word.split("-")
    content = [p for p in parts if lexicon.fold(p) not in small_words() and (len(p) > 1 or p.isdigit())]
    return tuple(_stem(part, language, vocabulary) for part in content)


def stems(text: str, language: str = "en") -> tuple[str, ...]:
    """Distinct content stems of a text in order; phrases that are concepts count as one."""
    vocabulary = lexicon.current_digest()
    phrases = _phrases(vocabulary)
    found = [f"={lexicon.concept_of()[lexicon.fold(match.group())]}" for match in phrases.finditer(text)]
    for word in TOKEN.findall(phrases.sub(" ", text)):
        found += _of_word(word, language, vocabulary)
    return tuple(dict.fromkeys(found))
