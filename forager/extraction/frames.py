"""``subject | attribute = value``: read from a sentence's own grammar, a key–value line or a table cell."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from forager.extraction import lexicon, names
from forager.extraction.model import Context, Frame, Polarity, Sentence, Value
from forager.extraction.phrases import Phrases
from forager.extraction.values import bounds
from forager.parsing.document import BlockKind

ARTICLE = re.compile(r"^(?:the|our|its|their|a|an|der|die|das|le|la|les|l['’]|new|current)\s+", re.IGNORECASE)
ADJUNCT = re.compile(r"^(?:from|since|as of|on|in|until|ab|seit|depuis|à partir du?)\s+[^,]*?\d{4},?\s+", re.IGNORECASE)
OF = re.compile(r"\s+(?:of|for|von|für|des|der|du|de la|de|pour)\s+", re.IGNORECASE)
POSSESSIVE = re.compile(r"^(?P<subject>.+?)['’]s?\s+(?P<attribute>[a-zäöüéèà][\w\s-]*)$")
COMPOUND = re.compile(
    r"^(?P<subject>(?:[A-ZÄÖÜ0-9][\w.-]*|[a-z0-9]+-[\w-]+)(?:\s+[A-ZÄÖÜ0-9][\w.-]*)*)\s+(?P<attribute>[a-zäöüéèà][\w\s-]*)$"
)
CLAUSE_END = re.compile(
    r"[.;!?]\s*$|[;(]|,\s"
    r"|\s(?:because|since|but|which|who|while|after|before|until|so that|weil|aber|car|mais|parce que)\s"
)
KEY_VALUE = re.compile(r"^(?P<key>[^:\n]{2,60}?)(?:\s*:\s+|\s*\.{3,}\s*|\s*…+\s*)(?P<rest>\S.*)$", re.DOTALL)
CODE_NAME = re.compile(r"^[A-Z]{1,6}[- ]?\d[\w-]*$|^[a-z0-9]+(?:-[a-z0-9]+)+$")
PARTICIPLE = re.compile(
    r"\s+(?:not\s+|now\s+|only\s+|always\s+)?(?P<verb>\w+(?:ed|en|ept|eld|old|uilt|ent|aid|ut|own))"
    r"\s+(?P<link>after|for|on|at|by|in|until|from|to|within|with|every|for at least|inside)\b",
    re.IGNORECASE,
)
AGENT = re.compile(
    r"\s+(?:\w+\s+)?(?P<verb>\w+(?:ed|en|ght|ade|un|ld|wn|ept))\s+(?:out\s+|over\s+|up\s+)?(?:by|from|von|bei|par|chez)\s+"
    r"(?:the\s+)?(?P<name>(?:(?:[A-ZÄÖÜ][\w’'-]*\.?|&|of|de|von|van)\s*){1,5})"
)
NAME_BEFORE = r"(?:[A-ZÄÖÜ][\w.’'-]*\s?){1,4}|I|we|she|he"
PLACE_LINKS = ("in", "at", "on", "inside", "to")
MAX_SUBJECT_WORDS = 8
MAX_VALUE_WORDS = 6
MAX_WORDS_BEFORE = 3


@dataclass(frozen=True, slots=True)
class _Predicate:
    kind: str
    cue: str
    start: int
    end: int


def slug(text: str) -> str:
    """``Project Falcon`` → ``falcon``, ``the launch date`` → ``launch_date``: the key two documents meet on."""
    every = re.findall(r"[\w.-]+", lexicon.fold(text))
    words = [w for w in every if w not in _small_words()] or every
    content = [w for w in words if w not in kind_words()] or words
    return "_".join(w.strip(".-") for w in content)[:120]


def read(sentence: Sentence, values: Sequence[Value], polarity: Sequence[Polarity], context: Context) -> Frame | None:
    """The frame of a prose sentence or key–value line, or None when no attribute with a value is said."""
    is_record = sentence.block.kind is BlockKind.KEY_VALUE or _looks_like_key_value(sentence)
    if is_record and not _only_introduces(sentence.text):
        return _key_value(sentence, values, context)
    found = _predicate(sentence.text)
    if found is None:
        return None
    if attribute := _inverse_of(found.cue):
        return _inverse(sentence, found, attribute)
    said = _said(sentence, found, values, context)
    if said is None:
        return None
    subject, attribute, value = said
    subject, origin = _resolve_subject(subject, sentence, context)
    if not subject:
        return None
    return Frame(
        subject=subject,
        origin=origin,
        attribute=attribute,
        value_raw=value.raw,
        value=value.value,
        value_type=value.type,
        unit=value.unit,
        bound=value.bound,
        polarity="-" if any(p.sign == "-" and p.dimension == "assertion" for p in polarity) else "+",
        modality="changed" if found.kind == "change" else "",
        rule=f"{found.kind}: {found.cue}",
        shown=value.shown,
        entry=value.entry,
    )


def _said(
    sentence: Sentence, found: _Predicate, values: Sequence[Value], context: Context
) -> tuple[str, str, Value] | None:
    """Subject (maybe empty), attribute and value around the predicate."""
    left = sentence.text[: found.start]
    done = _agent(sentence.text, found) or _participle(sentence.text, found, values)
    named = _left(left, found, context)
    if done:
        subject, attribute = named or (_bare(ADJUNCT.sub("", left.strip())), "")
        return f"{subject} {attribute}".strip(), done[0], done[1]
    value = _value_after(sentence.text, found.end, values)
    if value is None or named is None:
        return None
    subject, attribute = named
    if value.type == "text" and (_is_participle(value.raw) or not (subject or _is_concept(attribute))):
        return None
    return subject, attribute, value


def _only_introduces(text: str) -> bool:
    """“Reminder: …”, “Please note: …” name no attribute."""
    return lexicon.fold(text.partition(":")[0]).strip(" *_") in lexicon.load("words")["lead_words"]


def _looks_like_key_value(sentence: Sentence) -> bool:
    match = KEY_VALUE.match(sentence.text)
    return match is not None and len(match["key"].split()) <= 5 and len(match["rest"]) <= 120


def _key_value(sentence: Sentence, values: Sequence[Value], context: Context) -> Frame | None:
    match = KEY_VALUE.match(sentence.text)
    if match is None or is_missing(match["rest"]):
        return None
    key = match["key"].strip(" *_-•")
    at = match.start("rest")
    near = (v for v in values if at <= v.start and len(sentence.text[at : v.start].split()) < MAX_WORDS_BEFORE)
    value = next(near, None) or _text_value(sentence.text, at, whole=True)
    if value is None:
        return None
    subject, attribute, origin = "", key, ""
    if _is_of_document(key, match["rest"]) or sentence.block.location == "Front matter":
        subject, origin = context.title or context.name, "document"
    elif CODE_NAME.match(key) or names.name_type(key) in ("project", "service", "person", "organisation"):
        before = sentence.text[match.start("rest") : value.start].strip()
        subject, attribute, origin = key, before or value.type, "sentence"
    elif split := _of_or_compound(key, context):
        subject, attribute, origin = *split, "sentence"
    if not subject:
        subject, origin = _resolve_subject("", sentence, context)
    if not subject or not slug(attribute):
        return None
    return Frame(
        subject,
        origin,
        _bare(attribute),
        value.raw,
        value.value,
        value.type,
        value.unit,
        value.bound,
        rule="key: value",
        shown=value.shown,
        entry=value.entry,
    )


def _is_of_document(key: str, rest: str) -> bool:
    """A key that speaks of the document itself; a status only where it names a stage of writing (“Status: draft”)."""
    if lexicon.fold(key) in lexicon.load("words")["status_keys"]:
        return Phrases([w for ws in lexicon.load("qualifiers")["stage"].values() for w in ws]).search(rest) is not None
    return lexicon.fold(key) in _document_keys()


def is_missing(text: str) -> bool:
    """``n/a``, ``-``, ``TBD``: no value is not a value."""
    return lexicon.fold(text).strip(" .") in {str(w) for w in lexicon.load("words")["missing"]}


@cache
def _inverse_verbs() -> dict[str, str]:
    return {str(verb): attribute for verb, attribute in lexicon.load("predicates")["inverse"].items()}


def _inverse_of(cue: str) -> str:
    """The attribute of a verb, or of a whole phrase, whose value stands before it; "" for other ones."""
    folded = " ".join(cue.casefold().split())
    return _inverse_verbs().get(folded, "") or _inverse_verbs().get(folded.partition(" ")[0], "")


@cache
def _verbal() -> dict[str, str]:
    return {str(verb): attribute for verb, attribute in lexicon.load("predicates")["attribute_of_verb"].items()}


@cache
def _document_keys() -> frozenset[str]:
    return frozenset(lexicon.load("words")["document_keys"])


@cache
def _small_words() -> frozenset[str]:
    return frozenset(word for words in lexicon.load("words")["stop"].values() for word in words)


@cache
def kind_words() -> frozenset[str]:
    return frozenset(lexicon.load("words")["kinds"])


@cache
def _predicates() -> dict[str, Phrases]:
    return {kind: lexicon.pattern("predicates", kind) for kind in ("change", "verbs", "copula")}


def _predicate(text: str) -> _Predicate | None:
    """The first joining form with something before it; of two that start together the longer one."""
    hits = [
        _Predicate(kind, match.group(), match.start(), match.end())
        for kind, pattern in _predicates().items()
        if (match := next((m for m in pattern.finditer(text) if _joins(text, m)), None))
    ]
    return min(hits, key=lambda h: (h.start, -(h.end - h.start)), default=None)


def _joins(text: str, match: re.Match[str]) -> bool:
    """Something stands before it; “chairs”, “leads” are verbs behind a name only, as plurals sound like them."""
    before = text[: match.start()].strip()
    if match.group().split()[0].casefold() in _inverse_verbs():
        return re.fullmatch(NAME_BEFORE, _bare(ADJUNCT.sub("", before))) is not None
    return bool(before)


def _left(left: str, found: _Predicate, context: Context) -> tuple[str, str] | None:
    """Subject and attribute of what stands before the predicate; the subject may be empty."""
    text = _bare(ADJUNCT.sub("", left.strip().split(", ")[-1].strip()))
    if not text or len(text.split()) > MAX_SUBJECT_WORDS:
        return None
    if found.kind == "verbs":
        word = next((w for w in found.cue.casefold().split() if w in _verbal()), "")
        return (text, _verbal()[word]) if word else None
    split = _of_or_compound(text, context)
    if split:
        return split
    return ("", text) if _is_attribute(text) else None


def _of_or_compound(text: str, context: Context) -> tuple[str, str] | None:
    """(subject, attribute) of “the A of S”, “S's A” or “S A”; of several “of”s the one before a proper name."""
    splits = [(_bare(text[m.end() :]), _bare(text[: m.start()])) for m in OF.finditer(text)]
    splits = [(subject, attribute) for subject, attribute in splits if subject and _is_attribute(attribute)]
    for subject, attribute in splits:
        if subject[0].isupper() or CODE_NAME.match(subject.split()[0]):
            return subject, attribute
    for pattern in (POSSESSIVE, COMPOUND):
        match = pattern.match(text)
        if (
            match
            and _is_attribute(match["attribute"])
            and (pattern is POSSESSIVE or _is_named(match["subject"], context))
        ):
            return _bare(match["subject"]), _bare(match["attribute"])
    return splits[0] if splits else None


def _is_named(subject: str, context: Context) -> bool:
    """A first word is capital in any sentence: a name must be known, have two words, or look like a code."""
    return bool(CODE_NAME.match(subject)) or " " in subject or lexicon.fold(subject) in map(lexicon.fold, context.known)


def _is_attribute(text: str) -> bool:
    """Lower-case common words, at most five, at least one of content."""
    words = text.split()
    return 0 < len(words) <= 5 and not any(w[0].isdigit() for w in words) and bool(slug(text))


def _is_participle(raw: str) -> bool:
    """“deleted”, “kept for …”: what was done to it is no value of it."""
    return re.match(r"\w+(?:ed|ept|eld|ught)\b", raw) is not None


def _is_concept(attribute: str) -> bool:
    """Whether the attribute's last word is one the vocabulary knows."""
    return lexicon.fold(attribute).split()[-1] in lexicon.concept_of()


def _bare(text: str) -> str:
    text = text.strip(" ,.;:*_-•\"'“”")
    return ARTICLE.sub("", ARTICLE.sub("", text)).strip()


def _value_after(text: str, at: int, values: Sequence[Value]) -> Value | None:
    """The first typed value after the predicate in its clause, with nothing of content between; else a short phrase."""
    end = _clause_end(text, at)
    for value in values:
        if at <= value.start < end and _only_small_words(text[at : value.start]):
            return value
    return _text_value(text, at, end=min((_before(text, v.start) for v in values if at < v.start < end), default=end))


def _before(text: str, at: int) -> int:
    """Where the words that lead to a value begin: “in Hall C | for ten years”."""
    words = list(re.finditer(r"\S+", text[:at]))
    while (
        words and (word := lexicon.fold(words[-1].group())) and (word in _small_words() or word in bounds.bound_words())
    ):
        at = words.pop().start()
    return at


def _only_small_words(between: str) -> bool:
    words = re.findall(r"[\w.-]+", lexicon.fold(between))
    return len(words) <= 4 and all(w in _small_words() or w in bounds.bound_words() for w in words)


def _text_value(text: str, at: int, *, whole: bool = False, end: int | None = None) -> Value | None:
    if end is None:
        end = len(text) if whole else _clause_end(text, at)
    raw = text[at:end].strip(" \t\r\n,.;:")
    if not raw or len(raw.split()) > MAX_VALUE_WORDS or is_missing(raw):
        return None
    start = text.index(raw, at)
    kind = "name" if re.fullmatch(r"(?:[A-ZÄÖÜ][\w.’'-]*\s?){1,4}", raw) else "text"
    return Value(kind, lexicon.fold(_bare(raw)), raw, start, start + len(raw), entry="phrase")


def _clause_end(text: str, at: int) -> int:
    match = CLAUSE_END.search(text, at)
    return match.start() if match else len(text)


def _participle(text: str, found: _Predicate, values: Sequence[Value]) -> tuple[str, Value] | None:
    """“are deleted after 30 days”, “were stored in Annex 2”: the participle is the attribute."""
    match = PARTICIPLE.match(text, found.end) if found.kind == "copula" else None
    if match is None:
        return None
    value = _value_after(text, match.end(), values)
    if value is None or (value.type in ("text", "name") and not _is_place(match["verb"], match["link"])):
        return None
    return ("location" if value.type in ("text", "name") else match["verb"].casefold()), value


def _agent(text: str, found: _Predicate) -> tuple[str, Value] | None:
    """“is given by Ada Lovelace”, “are bought from Northwind Ltd”: the one behind the verb is its value."""
    match = AGENT.match(text, found.end) if found.kind == "copula" else None
    if match is None:
        return None
    raw = match["name"].strip(" .,;:")
    start = match.start("name")
    return match["verb"].casefold(), Value("name", lexicon.fold(raw), raw, start, start + len(raw), entry="agent")


def _is_place(verb: str, link: str) -> bool:
    return link.casefold() in PLACE_LINKS and lexicon.concept_of().get(lexicon.fold(verb)) in (
        "location",
        "storage",
        "delivery",
    )


def _inverse(sentence: Sentence, found: _Predicate, attribute: str) -> Frame | None:
    """“Hamid owns billing-sync”: the subject stands behind, the value before."""
    value = _bare(ADJUNCT.sub("", sentence.text[: found.start].strip()))
    subject = _bare(sentence.text[found.end : _clause_end(sentence.text, found.end)])
    if not value or lexicon.fold(value) in _small_words():
        return None
    if not subject or len(value.split()) > 4 or len(subject.split()) > MAX_SUBJECT_WORDS:
        return None
    return Frame(subject, "sentence", attribute, value, lexicon.fold(value), "name", rule=f"verb: {found.cue}")


def _resolve_subject(subject: str, sentence: Sentence, context: Context) -> tuple[str, str]:
    """The sentence's own subject, else the nearest heading, else the document's title; with which it was."""
    if subject and lexicon.fold(subject) not in _small_words():
        return subject, "sentence"
    for heading in reversed(sentence.block.section):
        if name := _known_name(heading, context):
            return name, "heading"
    if name := _known_name(context.title, context):
        return name, "title"
    if sentence.block.section:
        return sentence.block.section[-1], "heading"
    if context.title:
        return context.title, "title"
    stem = re.sub(r"\.\w{1,5}$", "", context.name.rpartition("/")[2])
    return re.sub(r"[\W_]+", " ", stem).strip(), "title"


def _known_name(heading: str, context: Context) -> str:
    """The longest name of the document that stands in a heading, whole or without its kind ("Project")."""
    words = set(slug(heading).split("_"))
    inside = [name for name in context.known if set(slug(name).split("_")) <= words]
    return max(inside, key=lambda name: (len(name), name), default="")
