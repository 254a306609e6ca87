"""What was understood of a question: identifiers kept whole, stop words out, repeats kept, fields taken out."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forager.extraction import lexicon
from forager.extraction.stems import small_words
from forager.extraction.values import dates
from forager.search.backend import Wanted

WORD = re.compile(r"[\w][\w'’./@-]*")
IDENTIFIER = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w.-]+$")
FIELD = re.compile(
    r"(?<!\S)(?P<name>type|support|status|subject|attribute|entity|path):(?:\"(?P<q>[^\"]+)\"|(?P<v>\S+))"
)
FACET_OF = {"attribute": "attribute_key"}
MIN_BEGINNING = 3
MOST_WORDS, MOST_REPEATS = 256, 8
"""What a question is cut to: every word and every repeat of one costs a walk through the index."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """``words`` are what is looked for; ``fields`` (facet → value) narrow it; ``dates`` are canonical."""

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    dates: tuple[str, ...]
    fields: Mapping[str, str]
    beginning: str = ""
    only_common: bool = False

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.words, self.beginning, self.only_common)


def understand(text: str) -> ParsedQuery:
    """All words when none but stop words were asked. The last word may still be being typed when nothing follows it."""
    fields = {FACET_OF.get(m["name"], m["name"]): m["q"] or m["v"] for m in FIELD.finditer(text)}
    said = FIELD.sub(" ", text)
    found = [w.strip(".'’-/") for w in WORD.findall(said)]
    found = [w.removesuffix("'s").removesuffix("’s") for w in found if w]
    telling = [w for w in found if w.casefold() not in small_words()]
    content = _bounded(telling or found)
    last = content[-1] if content else ""
    is_open = len(last) >= MIN_BEGINNING and last.isalnum() and said.endswith(last)
    return ParsedQuery(
        words=tuple(content),
        identifiers=tuple(w for w in content if IDENTIFIER.match(w)),
        dates=tuple(v.value for v in dates.find(said, "")),
        fields={name: lexicon.fold(value) if name == "status" else value for name, value in fields.items()},
        beginning=last if is_open and telling else "",
        only_common=not telling,
    )


def _bounded(words: Sequence[str]) -> list[str]:
    met: Counter[str] = Counter()
    kept = []
    for word in words:
        met[word.casefold()] += 1
        if met[word.casefold()] <= MOST_REPEATS:
            kept.append(word)
    return kept[:MOST_WORDS]
