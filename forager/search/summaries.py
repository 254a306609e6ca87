"""What a source is about, taken from its own words: title, headings, and the sentences that weigh most. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forager.extraction import segment
from forager.extraction.model import Sentence
from forager.parsing.document import Block, BlockKind, Document, Excluded
from forager.search import words

type Span = Mapping[str, Any]

PROSE = ("paragraph", "list_item")
HEADS = ("title", "heading")
MOST_SENTENCES = 3
MOST_HEADINGS = 12
MOST_CHARACTERS = 40_000
"""Of a long source its beginning is summed up, where authors say what it is about."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some words of a source with where they stand; ``text == stored text[start:end]``."""

    text: str
    start: int
    end: int
    location: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    title: str
    headings: tuple[str, ...]
    sentences: tuple[Stretch, ...]

    @property
    def words(self) -> frozenset[str]:
        return words.stems("\n".join((self.title, *self.headings, *(s.text for s in self.sentences))))


def summarise(title: str, text: str, blocks: Sequence[Mapping[str, Any]], excluded: Sequence[Span]) -> Summary:
    """``blocks`` and ``excluded`` as stored; sentences come in reading order. Utterances and tables are no prose."""
    told = [b for b in blocks if not any(b["start"] < e["end"] and e["start"] < b["end"] for e in excluded)]
    heads = [text[b["start"] : b["end"]].strip("# \n") for b in told if b["kind"] in HEADS]
    prose = tuple(_block(b) for b in blocks if b["kind"] in PROSE and b["start"] <= MOST_CHARACTERS)
    document = Document(text, prose, "", "", excluded=tuple(Excluded(e["start"], e["end"], "") for e in excluded))
    return Summary(
        title=title,
        headings=tuple(dict.fromkeys(h for h in heads if h and h != title))[:MOST_HEADINGS],
        sentences=tuple(sorted(_heaviest(list(segment.sentences(document))), key=lambda s: s.start)),
    )


def _block(row: Mapping[str, Any]) -> Block:
    return Block(row["start"], row["end"], BlockKind(row["kind"]), row["location"], row["locator"])


def _heaviest(sentences: Sequence[Sentence]) -> list[Stretch]:
    """The sentences whose words the source uses most, for their length."""
    said = [words.stems(s.text) for s in sentences]
    counts = Counter(word for one in said for word in one)
    weights = [sum(counts[w] for w in one) / (len(one) + 4) ** 0.5 for one in said]
    order = sorted((at for at in range(len(sentences)) if said[at]), key=lambda at: (-weights[at], at))
    chosen = [sentences[at] for at in order[:MOST_SENTENCES]]
    return [Stretch(s.text, s.start, s.end, s.block.location) for s in chosen]
