"""Which of our languages a stretch of text is in, by its most common small words."""

import re
from functools import cache

from forager.extraction import lexicon

WORD = re.compile(r"[^\W\d_]+")


@cache
def _small_words(language: str) -> frozenset[str]:
    return frozenset(lexicon.load("words")["stop"][language])


def language_of(text: str, default: str = "en") -> str:
    words = [w.casefold() for w in WORD.findall(text[:2000])]
    counts = {language: sum(w in _small_words(language) for w in words) for language in lexicon.LANGUAGES}
    best = max(lexicon.LANGUAGES, key=lambda language: counts[language])
    return best if counts[best] > counts.get(default, 0) else default
