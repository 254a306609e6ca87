"""How a sentence stands, read from how it is said: plainly, hedged, reported, asked or conditional."""

import re
from collections import defaultdict
from functools import lru_cache

from forager.extraction import lexicon
from forager.extraction.model import Polarity, Sentence, Standing
from forager.extraction.phrases import Phrases
from forager.extraction.stems import small_words

NEGATED_WITHIN = 3
RULES = ("permission", "obligation", "approval")
MAY_BE = re.compile(r"\bmay(?:\s+not)?\s+be\s+(?P<what>\w+)", re.IGNORECASE)
PARTICIPLE = re.compile(r"\w+(?:ed|en|ne|wn|pt|ld|id|de|ght|ent|ut|et|ung|ade|ead|aid|ept)|on|in", re.IGNORECASE)
SPEAKER = re.compile(
    r"(?i:according to|heard from|laut|selon|d'après)\s+(?P<after>[A-ZÄÖÜ][\w.-]+(?:\s+[A-ZÄÖÜ][\w.-]+)?)"
    r"|(?P<before>[A-ZÄÖÜ][\w.-]+(?:\s+[A-ZÄÖÜ][\w.-]+)?)\s+(?:said|says|told|claims|claimed|thinks|believes)\b"
)


def standing(sentence: Sentence) -> Standing:
    """The support of a sentence and the word that decided it."""
    text = sentence.text
    speaker = _speaker(text)
    if is_question(text):
        return Standing("unverified_claim", "a question asserts nothing")
    if cue := lexicon.pattern("standing", "hearsay").search(text):
        return Standing("unverified_claim", f"reported: “{cue.group()}”", speaker)
    hedge = lexicon.pattern("standing", "hedges").search(text) or _what_may_happen(text)
    if hedge:
        return Standing("uncertain_inference", f"hedged: “{hedge.group()}”", speaker)
    if is_conditional(text):
        return Standing("uncertain_inference", "conditional: it asserts nothing by itself")
    return Standing("direct_fact", "stated plainly")


def _what_may_happen(text: str) -> re.Match[str] | None:
    """“may be late”, “may be delayed”, but not “may be brought”, which permits."""
    for match in MAY_BE.finditer(text):
        happens = lexicon.fold(match["what"]) in lexicon.load("standing")["may_happen"]
        if happens or not PARTICIPLE.fullmatch(match["what"]):
            return match
    return None


def is_question(text: str) -> bool:
    return text.rstrip().rstrip("\"'”)").endswith("?")


def is_conditional(text: str) -> bool:
    """Whether it holds only if something else does. A rule with its condition behind (“you may … if …”) is a rule."""
    cue = lexicon.pattern("standing", "conditionals").search(text)
    if cue is None or "," in text[: cue.start()]:
        return False  # “Colin has the key, ring him if …”: what stands before the comma is said outright
    if text[cue.end() :].lstrip().lower().startswith(("possible", "needed", "required")):
        return False
    main = text[: cue.start()]
    return not any(lexicon.pattern("polarity", scale, sign).search(main) for scale in RULES for sign in ("+", "-"))


def statement_type(sentence: Sentence) -> str:
    """fact, decision, requirement, procedure, problem, lesson, risk, question or definition."""
    if is_question(sentence.text):
        return "question"
    for kind in ("definition", "decision", "requirement", "risk", "lesson", "problem"):
        if lexicon.pattern("standing", "types", kind).search(sentence.text):
            return kind
    starts = lexicon.pattern("standing", "types", "procedure").match(sentence.text)
    return "procedure" if starts else "fact"


def scales() -> tuple[str, ...]:
    """The scales on which two sentences can oppose each other."""
    return lexicon.scales()


def polarities(text: str) -> tuple[Polarity, ...]:
    """The scales a sentence takes a side on; the longest cue wins its place, a bare negation is ``assertion``."""
    pattern, sides_of = _cues(lexicon.current_digest())
    found = [
        _turned(Polarity(scale, sign, match.group(), match.start(), match.end()), text)
        for match in pattern.finditer(text)
        if not _is_attribute(match, text)
        for scale, sign in sides_of[lexicon.fold(match.group())]
    ]
    if not found:
        negation = lexicon.pattern("polarity", "negations").search(text)
        if negation:
            found.append(Polarity("assertion", "-", negation.group(), negation.start(), negation.end()))
    return tuple(found)


@lru_cache(maxsize=lexicon.VOCABULARIES)
def _cues(_vocabulary: str) -> tuple[Phrases, dict[str, tuple[tuple[str, str], ...]]]:
    """One pattern for the cues of all scales, and which side of which scale each takes."""
    sides: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for scale in scales():
        for sign, cues in lexicon.load("polarity")[scale].items():
            for cue in cues:
                sides[lexicon.fold(cue)].append((scale, sign))
    return Phrases(sides), {cue: tuple(taken) for cue, taken in sides.items()}


def _is_attribute(match: re.Match[str], text: str) -> bool:
    """“closed files”, “the approved plan”: one word before a noun describes it and takes no side."""
    if " " in match.group() or lexicon.fold(match.group()) not in lexicon.load("polarity")["attributes"]:
        return False
    before, after = text[: match.start()].split()[-1:], re.match(r"\s+([^\W\d_]+)", text[match.end() :])
    linked = bool(before) and lexicon.fold(before[0]) in lexicon.load("polarity")["linking"]
    return after is not None and not linked and lexicon.fold(after.group(1)) not in small_words()


def _turned(hit: Polarity, text: str) -> Polarity:
    """“has not yet been approved”: a negation close before turns the side."""
    before = " ".join(text[: hit.start].split()[-NEGATED_WITHIN:])
    if hit.sign == "-" or not lexicon.pattern("polarity", "negations").search(before):
        return hit
    return Polarity(hit.dimension, "-", hit.cue, hit.start, hit.end)


def _speaker(text: str) -> str:
    match = SPEAKER.search(text)
    return (match["after"] or match["before"]) if match else ""
