"""What was understood of a question: identifiers kept whole, stop words out, repeats kept."""

import re
from dataclasses import dataclass

from forager.extraction import lexicon
from forager.extraction.values import dates

WORD = re.compile(r"[\w][\w'’./@-]*")
IDENTIFIER = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w.-]+$")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    dates: tuple[str, ...]


def understand(text: str) -> ParsedQuery:
    """All words when none but stop words were asked."""
    found = [w.strip(".'’-/") for w in WORD.findall(text)]
    found = [w.removesuffix("'s").removesuffix("’s") for w in found if w]
    stop = {word for words in lexicon.load("words")["stop"].values() for word in words}
    content = [w for w in found if w.casefold() not in stop] or found
    return ParsedQuery(
        words=tuple(content),
        identifiers=tuple(w for w in content if IDENTIFIER.match(w)),
        dates=tuple(v.value for v in dates.find(text, "")),
    )
