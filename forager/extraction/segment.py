"""Blocks to sentences, each with exact offsets. Headings give context and are no sentences of their own."""

import re
from collections.abc import Iterator

import sentencex

from forager.extraction import lexicon
from forager.extraction.language import language_of
from forager.extraction.model import Sentence
from forager.extraction.stems import small_words
from forager.extraction.values.dates import MONTH_NAMES
from forager.parsing.document import Block, BlockKind, Document

PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE)
WHOLE = (BlockKind.KEY_VALUE, BlockKind.TABLE_ROW, BlockKind.MAIL_HEADER)
MIN_LETTERS = 3
MAX_SENTENCE = 1500
LINE = re.compile(r"[^\n]+")
WRAP_WIDTH = 65
SHORT_SHARE = 0.75
GREETING = lexicon.pattern("words", "salutations")
ORDINAL_END = re.compile(r"(?:^|\D)\d{1,2}\.\s*$")
ABBREVIATION_END = re.compile(
    r"(?<!\w)(?:approx|ca|no|nr|art|abs|dr|mr|mrs|ms|prof|st|vs|e\.g|i\.e|z\.b|bzw|inkl|incl|excl|est|max|min|tel|"
    r"dept|fig|sec|p|pp|env|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.\s*$",
    re.IGNORECASE,
)


def sentences(document: Document) -> Iterator[Sentence]:
    """All candidate statements of a document in reading order; excluded text gives none."""
    language = language_of(document.text)
    for block in document.blocks:
        if block.kind in PROSE or (block.kind is BlockKind.KEY_VALUE and block.end - block.start > MAX_SENTENCE):
            yield from _prose(document, block, language)
        elif block.kind in WHOLE and not _is_excluded(document, block.start, block.end):
            yield _sentence(document, block, block.start, block.end, language)


def _prose(document: Document, block: Block, language: str) -> Iterator[Sentence]:
    text = document.text[block.start : block.end]
    for start, end in _spans(text, language):
        if sum(ch.isalpha() for ch in text[start:end]) < MIN_LETTERS:
            continue
        if not _is_excluded(document, block.start + start, block.start + end):
            yield _sentence(document, block, block.start + start, block.start + end, language)


def _sentence(document: Document, block: Block, start: int, end: int, language: str) -> Sentence:
    text = document.text[start:end]
    return Sentence(start, end, text, block, language_of(text, language))


def _is_excluded(document: Document, start: int, end: int) -> bool:
    return any(start < e.end and e.start < end for e in document.excluded)


def _spans(text: str, language: str) -> list[tuple[int, int]]:
    """Sentence spans without surrounding white space; cuts inside dates and abbreviations are mended."""
    found = [span for start, end in _runs(text) for span in _sentences_in(text, start, end, language)]
    return [piece for span in found for piece in _pieces(text, *span)]


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """No sentence is longer than ``MAX_SENTENCE``: what is, is cut at a space, so that no reader's cost runs away.

    A stretch without any space (encoded data, a minified line) says nothing and gives nothing.
    """
    while end - start > MAX_SENTENCE:
        cut = text.rfind(" ", start, start + MAX_SENTENCE)
        if cut <= start:
            start = next((at for at in range(start, end) if text[at].isspace()), end)
        else:
            yield _trim(text, start, cut)
            start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def _runs(text: str) -> list[tuple[int, int]]:
    """Stretches that are one flow of words: a line that stands by itself (a greeting, a list line) is its own."""
    lines = [(m.start(), m.end()) for m in LINE.finditer(text)]
    width = max((end - start for start, end in lines), default=0)
    runs: list[tuple[int, int]] = []
    for start, end in lines:
        if runs and not _stands_alone(text[runs[-1][0] : runs[-1][1]].splitlines()[-1], text[start:end], width):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def _stands_alone(line: str, following: str, width: int) -> bool:
    """A wrapped line is about as long as the longest; a short one before a capital or a digit ends by itself."""
    line, following = line.strip(), following.strip()
    if not line or not following:
        return True
    if line.endswith(",") and len(line.split()) <= 6 and GREETING.match(line):
        return True
    starts = following[0].isupper() or following[0].isdigit() or following[0] in "-•*–"
    short = width < WRAP_WIDTH or len(line) < SHORT_SHARE * width
    goes_on = line.endswith((",", "-", "–")) or lexicon.fold(line.split()[-1]) in small_words()
    return starts and short and not goes_on


def _sentences_in(text: str, run_start: int, run_end: int, language: str) -> list[tuple[int, int]]:
    part = text[run_start:run_end]
    cuts = [
        (run_start + b["start_index"], run_start + b["end_index"])
        for b in sentencex.get_sentence_boundaries(language, part)
    ]
    joined: list[tuple[int, int]] = []
    for start, end in cuts:
        if joined and _belongs_together(text[joined[-1][0] : joined[-1][1]], text[start:end]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [_trim(text, start, end) for start, end in joined if text[start:end].strip()]


def _belongs_together(before: str, after: str) -> bool:
    first = after.split(maxsplit=1)[0] if after.strip() else ""
    if "\n\n" in before[-2:]:
        return False
    if ORDINAL_END.search(before):
        return first.strip(".,").casefold() in MONTH_NAMES or first[:1].islower()
    if ABBREVIATION_END.search(before):
        return True
    return first[:1].islower() or not before.rstrip().endswith((".", "!", "?", ":", "…", '"', "”", ")", "。"))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
