"""Which entries of the word lists a statement was read by, so that a person can see and correct them."""

from collections.abc import Iterator
from dataclasses import dataclass

from forager.extraction import lexicon
from forager.extraction.model import Claim, Extracted, Frame
from forager.extraction.stems import TOKEN


@dataclass(frozen=True, slots=True)
class Entry:
    """``what`` it decided (attribute, value, side), the ``word`` that matched, and the ``entry`` that holds it.

    ``added`` says that the word is the base's own and in none of the built-in lists.
    """

    what: str
    word: str
    entry: str
    added: bool = False


def of(one: Extracted) -> tuple[Entry, ...]:
    """Attribute, value and sides, each once, in that order."""
    found = [*_of_frame(one.frame), *(entry for claim in one.claims for entry in _of_side(claim, one.text))]
    return tuple(dict.fromkeys(found))


def _of_frame(frame: Frame | None) -> Iterator[Entry]:
    if frame is None:
        return
    yield from _of_attribute(frame.attribute)
    if frame.entry:
        yield Entry("value", frame.value_raw, frame.entry)


def _of_attribute(attribute: str) -> Iterator[Entry]:
    """The whole attribute where it is a concept, else each of its words that is one."""
    words = [attribute, *(m.group() for m in TOKEN.finditer(attribute))]
    concepts = lexicon.concept_of()
    for word in words:
        concept = concepts.get(lexicon.fold(word))
        if concept:
            own = lexicon.fold(word) in map(lexicon.fold, lexicon.built_in("concepts").get(concept, ()))
            yield Entry("attribute", word, f"concepts/{concept}", added=not own)
            if word == attribute:
                return


def _of_side(claim: Claim, text: str) -> Iterator[Entry]:
    """The cue of each side that the sentence takes; a plain “it is so” has none."""
    scale = claim.type.removeprefix("polarity:")
    if scale == claim.type or scale not in lexicon.scales():
        return
    cue = lexicon.pattern("polarity", scale, claim.value).search(text)
    if cue is not None:
        known = lexicon.built_in("polarity").get(scale, {}).get(claim.value, ())
        own = lexicon.fold(cue.group()) in map(lexicon.fold, known)
        yield Entry("side", cue.group(), f"polarity/{scale}/{claim.value}", added=not own)
