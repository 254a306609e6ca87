"""What the conflict pass compares: each typed value and each side taken, with the words around it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from forager.extraction import frames, lexicon, qualifiers, stances
from forager.extraction.model import Claim, Context, Frame, Polarity, Sentence, Value
from forager.extraction.names import TITLES
from forager.extraction.qualifiers import blanked, is_period, is_year
from forager.extraction.stems import stems
from forager.extraction.values import exact
from forager.parsing.document import Cell

BETWEEN_CLAUSES = re.compile(r"[,;]\s+(?:and\s+|und\s+|et\s+)?|\s+(?:and|und|et|but|aber|mais)\s+", re.IGNORECASE)
NAME_WORD = re.compile(
    r"(?<=[a-zäöüéèà,;] )[A-ZÄÖÜ][\w'’-]+|(?<![\w.,])\d{1,4}[a-zA-Z](?!\w)|(?<![\w-])[A-Z]{2,}[\w-]*"
)
LINK_TARGET = re.compile(r"(?<=\])\([^)\s]*\)")
MOST_VALUES = 12
CUE_REACH = 24
SPANNING = ("from", "von", "was", "not", "nicht")
"""Cues that also open a span or a plain denial: they count only beside a word of change."""
COMPARED = (
    "code", "date", "time", "money", "percent", "quantity", "number", "size", "version", "email", "url", "phone",
    "host", "name", "weekday", "frequency", *(f"kind:{kind}" for kind in lexicon.load("kinds")),
)  # fmt: skip
WORDS_TOO = ("id", "weekday", "kind:")
"""Values that are words of their sentence as well."""
TELLS_NOT = {"weekday": ("weekday",), "frequency": ("per",), "ordinal": ("ordinal",)}
"""Families of qualifiers that a claim of a type is itself about."""
IN_A_LIST_OF_HOURS = ("time", "money", "number", "quantity", "percent", "date", "frequency")
"""Beside such a value a weekday says when it holds."""


def of_sentence(
    sentence: Sentence,
    values: Sequence[Value],
    polarities: Sequence[Polarity],
    frame: Frame | None,
    context: Context,
) -> tuple[Claim, ...]:
    """Claims of a prose sentence or key–value line."""
    if frame is not None and frame.origin == "document":
        return ()  # what a document says of itself disagrees with nothing another document says of itself
    around, setting = context_stems(sentence, context), qualifiers.of_setting(sentence, context)
    quals = qualifiers.of_text(sentence.text, values, context.date) + setting + qualifiers.period(sentence.text, values)
    names = _names(sentence)
    named = frame is not None and frame.origin == "sentence" and _is_name(frame.subject, sentence, context)
    claims = [
        _claim(value, *_words(sentence, value, values, setting, quals), around, frame, is_named=named)
        for value in _compared(sentence, values, frame)
    ]
    claims = _corrected(sentence, claims, values)
    if frame and frame.value_type in ("text", "name"):
        claims.append(_phrase(frame, sentence, around, quals))
    if frame is not None and frame.rule == "key: value":
        claims.extend(stances.of_yes_or_no(frame.value_raw, frame.attribute, sentence, around, quals))
    claims = [replace(c, names=tuple(n for n in names if n in c.own)) for c in claims]
    assertive = all(c.type.startswith(WORDS_TOO) for c in claims)
    claims.extend(stances.of_sentence(sentence, values, polarities, around, quals, assertive=assertive))
    return tuple(claims)


def of_person(name: str, sentence: Sentence, values: Sequence[Value], context: Context) -> Claim:
    """Someone a sentence speaks of, and what it says of them: “Ada Lovelace speaks at the opening”."""
    rest = sentence.text.replace(name, " ")
    quals = qualifiers.of_text(sentence.text, values, context.date) + qualifiers.of_setting(sentence, context)
    value = " ".join(w for w in lexicon.fold(name).split() if w.strip(".") not in TITLES)
    own, around = stems(LINK_TARGET.sub(" ", rest), sentence.language), context_stems(sentence, context)
    return Claim("name", value, name, "", "", own, around, quals, shown=value)


def of_cell(
    value: Value,
    cell: Cell,
    row: str,
    named_beside: Sequence[str],
    sentence: Sentence,
    frame: Frame,
    context: Context,
) -> tuple[Claim, ...]:
    """The claims of one table cell: its head, its row's name and the words of the cells beside it are its words."""
    head, naming = stems(cell.head, sentence.language), stems(row, sentence.language)
    named = f"{row} {cell.head}"
    ids = tuple(v for v in exact.find(named) if v.type == "id")
    beside = () if value.type == "weekday" else qualifiers.of_days(sentence.text)
    quals = qualifiers.of_text(named, ids) + beside + qualifiers.of_setting(sentence, context)
    around = context_stems(sentence, context)
    beside_words = stems(" ".join(named_beside), sentence.language)
    claim = Claim(
        value.type, value.value, value.raw, value.unit, value.bound, _unique((*naming, *head, *beside_words)), around,
        qualifiers.without(quals, *TELLS_NOT.get(value.type, ())), head, naming, key_of(frame), shown=value.shown,
    )  # fmt: skip
    return (claim, *stances.of_yes_or_no(value.raw, named, sentence, around, quals))


def key_of(frame: Frame) -> str:
    return f"{frames.slug(frame.subject)}|{frames.slug(frame.attribute)}"


def context_stems(sentence: Sentence, context: Context) -> tuple[str, ...]:
    name = re.sub(r"\.\w{1,5}$", "", context.name.rpartition("/")[2])
    around = [context.title, *sentence.block.section, sentence.block.lead_in, re.sub(r"[\W_\d]+", " ", name)]
    return _stems_around(" ".join([*around, *context.known]), sentence.language)


@lru_cache(maxsize=1024)
def _stems_around(text: str, language: str) -> tuple[str, ...]:
    """The sentences of one section share their surroundings."""
    return stems(text, language)


def _compared(sentence: Sentence, values: Sequence[Value], frame: Frame | None) -> list[Value]:
    """The values a sentence states: no run of data, no year beside a value, no day that only says when."""
    found = [v for v in values if v.type in COMPARED and not is_period(sentence.text, v)]
    if len(found) > MOST_VALUES:
        return []
    if any(v.type in IN_A_LIST_OF_HOURS and not is_year(v) for v in found):
        framed = frame.value if frame is not None else None
        found = [v for v in found if v.type != "weekday" and (not is_year(v) or framed == v.value)]
    return found


def _words(
    sentence: Sentence, value: Value, values: Sequence[Value], setting: tuple[str, ...], whole: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Own words and qualifiers of a value: those of its clause where it has one of its own, else the sentence's."""
    span = _clause(sentence, value, values)
    if span is None:
        others = [v for v in values if not v.type.startswith(WORDS_TOO) or v is value]
        own, quals = _content(blanked(sentence.text, others), sentence.language), whole
    else:
        start, end = span
        inside = [v for v in values if start <= v.start < end]
        text = blanked(sentence.text, [v for v in inside if not v.type.startswith(WORDS_TOO) or v is value])[start:end]
        own = _content(text, sentence.language)
        moved = [replace(v, start=v.start - start, end=v.end - start) for v in inside]
        quals = _clause_qualifiers(sentence.text[start:end], moved, whole) + setting
    told = qualifiers.without(quals, *TELLS_NOT.get(value.type, ()))
    return (*own, *_counted(sentence, value)), told + qualifiers.of_limits(value, values)


def _clause_qualifiers(text: str, values: Sequence[Value], whole: tuple[str, ...]) -> tuple[str, ...]:
    """A clause's own, and of the families it says nothing of those of its sentence."""
    own = qualifiers.of_text(text, values)
    families = {q.partition(":")[0] for q in own}
    return own + tuple(q for q in whole if q[0] != "@" and q.partition(":")[0] not in families)


def _names(sentence: Sentence) -> tuple[str, ...]:
    """Stems of what is written with a capital inside the sentence, where nouns are small, and of marks like 12a."""
    if sentence.language == "de":
        return ()
    words = [m.group() for m in NAME_WORD.finditer(sentence.text) if m.start() > 0 or m.group()[1:2].isupper()]
    return stems(" ".join(words), sentence.language)


def _is_name(subject: str, sentence: Sentence, context: Context) -> bool:
    """A first word is capital in any sentence; there it must be one of the document's names."""
    if not subject[:1].isupper() or sentence.language == "de":
        return False
    return subject in context.known or not sentence.text.lstrip(" \"'“*").startswith(subject)


def _content(text: str, language: str) -> tuple[str, ...]:
    return stems(lexicon.pattern("bounds").sub(" ", LINK_TARGET.sub(" ", text)), language)


def _claim(
    value: Value,
    own: tuple[str, ...],
    quals: tuple[str, ...],
    around: tuple[str, ...],
    frame: Frame | None,
    *,
    is_named: bool,
) -> Claim:
    framed = frame is not None and frame.value == value.value and frame.value_raw == value.raw
    key = key_of(frame) if frame is not None and framed else ""
    change = frame is not None and framed and frame.modality == "changed"
    return Claim(
        value.type, value.value, value.raw, value.unit, value.bound, _unique(own), around, quals,
        key=key, change=change, shown=value.shown, is_named=is_named and bool(key),
    )  # fmt: skip


def _corrected(sentence: Sentence, claims: list[Claim], values: Sequence[Value]) -> list[Claim]:
    """Without the value that a correction does away with, and with that one as what the other replaces."""
    old = _outdated(sentence, [v for v in values if v.type in {c.type for c in claims}])
    if old is None:
        return claims
    left = [c for c in claims if (c.type, c.value, c.raw) != (old.type, old.value, old.raw)]
    return [replace(c, replaces=old.value, change=True) if c.type == old.type else c for c in left]


def _outdated(sentence: Sentence, compared: Sequence[Value]) -> Value | None:
    """“instead of 12 June read 19 June”, “has moved from March to April”."""
    for value in compared:
        if sum(v.type == value.type for v in compared) != 2:
            continue
        before = sentence.text[max(0, value.start - CUE_REACH) : value.start].rstrip(" \"“'(")
        cue = next(
            (m for m in lexicon.pattern("predicates", "outdated").finditer(before) if m.end() == len(before)), None
        )
        if cue and (
            cue.group().casefold() not in SPANNING
            or lexicon.pattern("predicates", "change_words").search(sentence.text)
        ):
            return value
    return None


def _phrase(frame: Frame, sentence: Sentence, around: tuple[str, ...], quals: tuple[str, ...]) -> Claim:
    """An untyped value; what is asked of whom are its words."""
    text = sentence.text.replace(frame.value_raw, " ")
    asked = (s for s in stems(frame.attribute, sentence.language) if s[0] == "=")
    own = _unique((*stems(text, sentence.language), *asked))
    return Claim(
        frame.value_type, frame.value, frame.value_raw, "", "", own, around, quals,
        key=key_of(frame), change=frame.modality == "changed", shown=frame.shown or frame.value,
    )  # fmt: skip


def _clause(sentence: Sentence, value: Value, values: Sequence[Value]) -> tuple[int, int] | None:
    """The place of the value's own clause, where a sentence gives several of one type: “A costs 22, B costs 12”."""
    if sum(v.type == value.type for v in values) < 2:
        return None
    cuts = [0, *(m.end() for m in BETWEEN_CLAUSES.finditer(sentence.text)), len(sentence.text)]
    start, end = max(c for c in cuts if c <= value.start), min(c for c in cuts if c >= value.end)
    inside = [v for v in values if v.type != "id" and start <= v.start < end]
    own = _content(blanked(sentence.text, inside)[start:end], sentence.language)
    return (start, end) if len(own) > 1 and sum(v.type == value.type for v in inside) == 1 else None


def _counted(sentence: Sentence, value: Value) -> tuple[str, ...]:
    """For a bare number the first noun after it says what is counted; it counts as a word of its own."""
    if value.type != "number":
        return ()
    after = sentence.text[value.end : value.end + 30].split()
    return tuple(f"#{s}" for s in stems(after[0], sentence.language)[:1]) if after else ()


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
