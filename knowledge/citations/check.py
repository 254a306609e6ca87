"""Each sentence of an answer against what it cites of one context. Findings say where, and which words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from knowledge.citations import words
from knowledge.citations.claims import Claim, claims_of
from knowledge.context.model import Fact, KnowledgeContext
from knowledge.vocabulary import Support

UNSURE = (Support.UNCERTAIN_INFERENCE, Support.UNVERIFIED_CLAIM, Support.UNKNOWN)


class Kind(StrEnum):
    NEVER_ADMITTED = "never_admitted"
    QUOTE_DIFFERS = "quote_differs"
    NUMBER_DIFFERS = "number_differs"
    DATE_DIFFERS = "date_differs"
    NAME_UNKNOWN = "name_unknown"
    SUPPORT_RAISED = "support_raised"
    DENIAL_DIFFERS = "denial_differs"
    ONE_SIDE_ONLY = "one_side_only"
    UNRESOLVED_USED = "unresolved_used"


@dataclass(frozen=True, slots=True)
class Finding:
    """``sentence`` of the answer, ``what`` in it is at fault, ``cited`` the statements it was compared with."""

    kind: Kind
    sentence: str
    what: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Ids in the order of first mention. ``unsourced`` are sentences that cite nothing; they are told, not judged."""

    cited_and_admitted: tuple[str, ...]
    cited_never_admitted: tuple[str, ...]
    admitted_uncited: tuple[str, ...]
    unsourced: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Something was cited, and nothing was found wrong with any sentence that cites."""
        return bool(self.cited_and_admitted) and not self.findings


def check_citations(answer: str, context: KnowledgeContext) -> Report:
    """Compares an answer with the context that was given for it; deterministic, and looks at nothing else."""
    facts = {fact.statement.id: fact for fact in context.facts}
    claims = claims_of(answer, context.metadata.scope)
    cited = tuple(dict.fromkeys(key for claim in claims for key in claim.cited))
    foreign = tuple(dict.fromkeys(url for claim in claims for url in claim.foreign))
    known = _known_words(context)
    findings = [finding for claim in claims for finding in _of_claim(claim, facts, known)]
    return Report(
        cited_and_admitted=tuple(key for key in cited if key in facts),
        cited_never_admitted=(*(key for key in cited if key not in facts), *foreign),
        admitted_uncited=tuple(key for key in facts if key not in cited),
        unsourced=tuple(claim.text for claim in claims if not claim.cited and not claim.foreign),
        findings=(*findings, *_one_sided(claims, cited, context)),
    )


def _of_claim(claim: Claim, facts: dict[str, Fact], known: frozenset[str]) -> Iterator[Finding]:
    for url in (*(key for key in claim.cited if key not in facts), *claim.foreign):
        yield Finding(Kind.NEVER_ADMITTED, claim.text, url, claim.cited)
    held = [facts[key] for key in claim.cited if key in facts]
    if not held or not claim.text:
        return
    texts = [text for fact in held for text in _texts(fact)]
    yield from _quotes(claim, texts)
    yield from _values(claim, texts)
    for name in sorted(words.names(claim.text) - known - _words_of(texts)):
        yield Finding(Kind.NAME_UNKNOWN, claim.text, name, claim.cited)
    yield from _standing(claim, held)


def _texts(fact: Fact) -> tuple[str, ...]:
    """What a fact says, as its statement and as its excerpts, with the day it holds from."""
    return (fact.statement.text, fact.statement.effective_date, *(piece.excerpt for piece in fact.evidence))


def _words_of(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in words.words(text))


def _known_words(context: KnowledgeContext) -> frozenset[str]:
    """Names that the context itself gives: entities with their aliases, sources, and the question's own words."""
    entities = (name for entity in context.entities for name in (entity.name, *entity.aliases))
    told = (*entities, *(source.name for source in context.sources), context.metadata.query)
    return _words_of([" ".join(told)])


def _quotes(claim: Claim, texts: Sequence[str]) -> Iterator[Finding]:
    """Quoted words stand in a cited excerpt to the letter; only white space may differ."""
    flat = [" ".join(text.split()) for text in texts]
    for quote in claim.quotes:
        bare = " ".join(quote.split()).rstrip(".,;:")
        if not any(bare in text for text in flat):
            yield Finding(Kind.QUOTE_DIFFERS, claim.text, quote, claim.cited)


def _values(claim: Claim, texts: Sequence[str]) -> Iterator[Finding]:
    days, _ = words.days_and_rest(claim.text)
    there = [day for text in texts for day in words.days_and_rest(text)[0]]
    for day in sorted(days):
        if not any(_is_day(day, other) for other in there):
            year = f"{day[0]}-" if day[0] else ""
            yield Finding(Kind.DATE_DIFFERS, claim.text, f"{year}{day[1]:02}-{day[2]:02}", claim.cited)
    held = frozenset(number for text in texts for number in words.numbers(text))
    years = {str(day[0]) for day in there if day[0]}
    for number in sorted(words.numbers(claim.text) - held - years):
        yield Finding(Kind.NUMBER_DIFFERS, claim.text, number, claim.cited)


def _is_day(asked: tuple[int, int, int], told: tuple[int, int, int]) -> bool:
    """One day; a year that only one of them names parts nothing."""
    return asked[1:] == told[1:] and (asked[0] == told[0] or not (asked[0] and told[0]))


def _standing(claim: Claim, held: Sequence[Fact]) -> Iterator[Finding]:
    hedged = words.hedges(claim.text)
    if not hedged and all(fact.statement.support in UNSURE for fact in held):
        yield Finding(Kind.SUPPORT_RAISED, claim.text, held[0].statement.support.value, claim.cited)
    elif not hedged and all(words.hedges(fact.statement.text) for fact in held):
        yield Finding(Kind.SUPPORT_RAISED, claim.text, held[0].statement.text, claim.cited)
    if len(held) == 1 and words.denies(claim.text) != words.denies(" ".join(_texts(held[0]))):
        yield Finding(Kind.DENIAL_DIFFERS, claim.text, held[0].statement.text, claim.cited)
    if not hedged and any(fact.unlocated for fact in held):
        yield Finding(Kind.UNRESOLVED_USED, claim.text, "no supporting text could be located", claim.cited)


def _one_sided(claims: Sequence[Claim], cited: Sequence[str], context: KnowledgeContext) -> Iterator[Finding]:
    """A contested fact is used and no other side of its conflict is named anywhere in the answer."""
    by_label = {fact.label: fact.statement.id for fact in context.facts}
    for entry in context.conflicts:
        sides = [by_label[label] for label in entry.facts if label in by_label]
        used = [key for key in sides if key in cited]
        if len(used) == 1:
            sentence = next(claim.text for claim in claims if used[0] in claim.cited)
            others = ", ".join(key for key in sides if key not in used) or "a side that is not shown"
            yield Finding(Kind.ONE_SIDE_ONLY, sentence, others, (used[0],))
