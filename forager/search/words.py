"""Words as the full-text index has them: letters and digits, without marks, by their Porter stem, common words out."""

import re
import unicodedata
from functools import cache, lru_cache

import snowballstemmer

from forager.extraction.stems import small_words

TOKEN = re.compile(r"[^\W_]+")


def stems(text: str) -> frozenset[str]:
    """The distinct content stems of a text."""
    return frozenset(stem(word) for word in _tokens(text) if word not in small_words())


@lru_cache(maxsize=8192)
def forms(text: str) -> frozenset[str]:
    """The distinct stems of a text, those of common words, too."""
    return frozenset(map(stem, _tokens(text)))


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text.casefold())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    if not word.isascii():
        word = "".join(ch for ch in unicodedata.normalize("NFD", word) if not unicodedata.combining(ch))
    return str(_porter().stemWord(word))


@cache
def _porter() -> "snowballstemmer.stemmer":
    return snowballstemmer.stemmer("porter")
