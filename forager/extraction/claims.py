"""What the conflict pass compares: each typed value and each side taken, with the words around it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from forager.extraction import frames, lexicon
from forager.extraction.model import Claim, Context, Frame, Polarity, Sentence, Value
from forager.extraction.names import TITLES
from forager.extraction.stems import stems
from forager.extraction.values import exact
from forager.extraction.values.dates import MONTH_NAMES
from forager.parsing.document import Cell

DAYS = {
    "monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5", "saturday": "6", "sunday": "7",
    "montag": "1", "dienstag": "2", "mittwoch": "3", "donnerstag": "4", "freitag": "5", "samstag": "6", "sonntag": "7",
    "lundi": "1", "mardi": "2", "mercredi": "3", "jeudi": "4", "vendredi": "5", "samedi": "6", "dimanche": "7",
}  # fmt: skip
DAY = re.compile(r"(?<!\w)(" + "|".join(DAYS) + r")(?:s|e|en)?(?!\w)", re.IGNORECASE)
YEAR = re.compile(r"(?<![\d.,/-])((?:19|20)\d{2})(?:/\d{2})?(?![\d.,/-]?\d)")
LABEL = re.compile(r"(?<!\w)(?P<noun>[A-Za-zÄÖÜäöüß]{3,})\s+(?P<mark>\d{1,4}[A-Za-z]?|[A-Z]\d{0,4})(?!\w|[.,:]\d|\s*%)")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "ground")
ORDINAL = re.compile(r"(?<!\w)(" + "|".join(ORDINALS) + r")(?!\w)", re.IGNORECASE)
BETWEEN_CLAUSES = re.compile(r"[,;]\s+(?:and\s+|und\s+|et\s+)?|\s+(?:and|und|et|but|aber|mais)\s+", re.IGNORECASE)
MOST_VALUES = 12
CUE_REACH = 24
SPANNING = ("from", "von", "was", "not", "nicht")
"""Cues that also open a span or a plain denial: they count only beside a word of change."""
YES_OR_NO = dict.fromkeys(("yes", "ja", "oui", "true", "y", "✓", "x"), "+") | dict.fromkeys(
    ("no", "nein", "non", "false", "n", "✗"), "-"
)
COMPARED = (
    "code",
    "date",
    "time",
    "money",
    "percent",
    "quantity",
    "number",
    "version",
    "email",
    "url",
    "phone",
    "host",
    "name",
)


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
    around = context_stems(sentence, context)
    own = _own(sentence, values)
    quals = qualifiers(sentence.text, values) + _settings(sentence, context)
    compared = [v for v in values if v.type in COMPARED and not _is_period(sentence.text, v)]
    if len(compared) > MOST_VALUES:
        compared = []  # a run of data, not a sentence that states something
    if any(not _is_year(v) for v in compared):
        compared = [v for v in compared if not _is_year(v) or (frame is not None and frame.value == v.value)]
    outdated = _outdated(sentence, compared)
    if outdated:
        compared = [v for v in compared if v not in outdated]
    claims = [
        _claim(value, (_clause(sentence, value, values) or own) + _counted(sentence, value), around, quals, frame)
        for value in compared
    ]
    claims = [
        replace(c, replaces=v.value, change=True) if c.type == v.type else c for c in claims for v in outdated[:1]
    ] or claims
    if frame and frame.value_type in ("text", "name"):
        claims.append(_phrase(frame, sentence, values, around, quals))
    if frame is not None and frame.rule == "key: value":
        claims.extend(of_yes_or_no(frame.value_raw, frame.attribute, "", sentence, context))
    claims.extend(_polarity(sentence, values, polarities, around, quals, assertive=not claims))
    return tuple(claims)


def of_person(name: str, sentence: Sentence, values: Sequence[Value], context: Context) -> Claim:
    """The one person a sentence speaks of, and what it says of them: “Ada Lovelace speaks at the opening”."""
    rest = _blanked(sentence.text.replace(name, " "), [])
    quals = qualifiers(sentence.text, values) + _settings(sentence, context)
    value = " ".join(w for w in lexicon.fold(name).split() if w.strip(".") not in TITLES)
    return Claim("name", value, name, "", "", stems(rest, sentence.language), context_stems(sentence, context), quals)


def of_cell(value: Value, cell: Cell, row: str, sentence: Sentence, frame: Frame, context: Context) -> Claim:
    """The claim of one table cell: its head and its row's name are its words."""
    head, naming = stems(cell.head, sentence.language), stems(row, sentence.language)
    named = f"{row} {cell.head}"
    quals = qualifiers(named, tuple(v for v in exact.find(named) if v.type == "id")) + _settings(sentence, context)
    around = context_stems(sentence, context)
    return Claim(
        value.type,
        value.value,
        value.raw,
        value.unit,
        value.bound,
        _unique((*naming, *head)),
        around,
        quals,
        head,
        naming,
        key_of(frame),
    )


def of_yes_or_no(text: str, attribute: str, row: str, sentence: Sentence, context: Context) -> tuple[Claim, ...]:
    """“Pets: no”: the attribute is denied on whatever scale the other document speaks of it."""
    sign = YES_OR_NO.get(lexicon.fold(text).strip(" .!"))
    if sign is None:
        return ()
    own = stems(f"{row} {attribute}", sentence.language)
    around, quals = (
        context_stems(sentence, context),
        qualifiers(f"{row} {attribute}", ()) + _settings(sentence, context),
    )
    scales = [scale for scale in lexicon.load("polarity") if scale not in ("negations", "labels")]
    labels = lexicon.load("polarity")["labels"]
    return tuple(Claim(f"polarity:{s}", sign, labels[s][sign], "", "", own, around, quals) for s in scales)


def key_of(frame: Frame) -> str:
    return f"{frames.slug(frame.subject)}|{frames.slug(frame.attribute)}"


def context_stems(sentence: Sentence, context: Context) -> tuple[str, ...]:
    name = re.sub(r"\.\w{1,5}$", "", context.name.rpartition("/")[2])
    around = [context.title, *sentence.block.section, sentence.block.lead_in, re.sub(r"[\W_\d]+", " ", name)]
    return stems(" ".join([*around, *context.known]), sentence.language)


def qualifiers(text: str, values: Sequence[Value]) -> tuple[str, ...]:
    """``family:value`` of everything in the text that tells two otherwise equal claims apart."""
    found = {f"weekday:{day}" for day in _single_weekdays(text, values)}
    found |= {f"id:{v.value}" for v in values if v.type == "id"}
    found |= {f"{noun}:{mark}" for noun, mark in _labels(text, values)}
    found |= {f"ordinal:{m.group(1).casefold()}" for m in ORDINAL.finditer(text)}
    blank = _blanked(text, values)
    found |= {f"year:{m.group(1)}" for m in YEAR.finditer(blank)}
    found |= {f"year:{v.value[:4]}" for v in values if _is_year(v) or (v.type == "date" and _is_period(text, v))}
    for family, kinds in _families().items():
        found |= {f"{family}:{kind}" for kind, pattern in kinds.items() if pattern.search(text)}
    return tuple(sorted(found))


def _settings(sentence: Sentence, context: Context) -> tuple[str, ...]:
    """Qualifiers of the headings and the title, marked ``@``: they hold where the sentence says nothing else."""
    name = re.sub(r"[\W_]+", " ", context.name.rpartition("/")[2].partition(".")[0])
    around = " / ".join([context.title, *sentence.block.section, sentence.block.lead_in])
    dated = {q for q in qualifiers(name, ()) if not q.startswith("year:")}  # a file's year is when, not for when
    return tuple(f"@{q}" for q in sorted({*qualifiers(around, ()), *dated}))


def _single_weekdays(text: str, values: Sequence[Value]) -> set[str]:
    """Weekdays that limit a sentence: not one that goes with a date, not a span of them."""
    days = list(DAY.finditer(text))
    ends = {v.start for v in values if v.type == "date"}
    alone = [d for d in days if not any(0 <= start - d.end() <= 6 for start in ends)]
    spans = any(
        re.fullmatch(r"\s*(?:-|–|to|bis|au|à|through)\s*", text[a.end() : b.start()]) for a, b in pairwise(alone)
    )
    return set() if spans else {DAYS[d.group(1).casefold()] for d in alone}


def _labels(text: str, values: Sequence[Value]) -> set[tuple[str, str]]:
    """“rack B”, “unit 9”, “Freezer F3”: a thing told apart from others of its kind."""
    words = lexicon.load("words")
    plain = (
        {str(w) for w in words["unlabelled"]} | {w for stop in words["stop"].values() for w in stop} | set(MONTH_NAMES)
    )
    return {
        (f"label {lexicon.fold(m['noun'])}", m["mark"].casefold())
        for m in LABEL.finditer(text)
        if lexicon.fold(m["noun"]) not in plain
        and not re.fullmatch(r"(?:19|20)\d\d", m["mark"])
        and not any(v.type not in ("id", "number") and v.start < m.end() and m.start("mark") < v.end for v in values)
    }


@cache
def _families() -> dict[str, dict[str, re.Pattern[str]]]:
    return {
        family: {kind: lexicon.any_of(words) for kind, words in kinds.items()}
        for family, kinds in lexicon.load("qualifiers").items()
    }


def _claim(
    value: Value, own: tuple[str, ...], around: tuple[str, ...], quals: tuple[str, ...], frame: Frame | None
) -> Claim:
    framed = frame is not None and frame.value == value.value and frame.value_raw == value.raw
    key = key_of(frame) if frame is not None and framed else ""
    change = frame is not None and framed and frame.modality == "changed"
    return Claim(
        value.type, value.value, value.raw, value.unit, value.bound, _unique(own), around, quals, key=key, change=change
    )


def _outdated(sentence: Sentence, compared: Sequence[Value]) -> list[Value]:
    """The value a correction does away with: “instead of 12 June read 19 June”, “has moved from March to April”."""
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
            return [value]
    return []


def _phrase(
    frame: Frame, sentence: Sentence, values: Sequence[Value], around: tuple[str, ...], quals: tuple[str, ...]
) -> Claim:
    """An untyped value; what is asked of whom are its words."""
    text = sentence.text.replace(frame.value_raw, " ")
    asked = (s for s in stems(frame.attribute, sentence.language) if s[0] == "=")
    own = _unique((*stems(text, sentence.language), *asked))
    return Claim(
        frame.value_type, frame.value, frame.value_raw, "", "", own, around, quals,
        key=key_of(frame), change=frame.modality == "changed",
    )  # fmt: skip


def _is_year(value: Value) -> bool:
    return value.type == "date" and len(value.value) == 4


def _own(sentence: Sentence, values: Sequence[Value]) -> tuple[str, ...]:
    text = _blanked(sentence.text, [v for v in values if v.type != "id"])
    return stems(lexicon.pattern("bounds").sub(" ", text), sentence.language)


def _blanked(text: str, values: Iterable[Value]) -> str:
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    return text


def _clause(sentence: Sentence, value: Value, values: Sequence[Value]) -> tuple[str, ...]:
    """The words of the value's own clause, where a sentence gives several of one type: “A costs 22, B costs 12”."""
    if sum(v.type == value.type for v in values) < 2:
        return ()
    cuts = [0, *(m.end() for m in BETWEEN_CLAUSES.finditer(sentence.text)), len(sentence.text)]
    start = max(c for c in cuts if c <= value.start)
    end = min(c for c in cuts if c >= value.end)
    inside = [v for v in values if v.type != "id" and start <= v.start < end]
    text = _blanked(sentence.text, inside)[start:end]
    own = stems(lexicon.pattern("bounds").sub(" ", text), sentence.language)
    return own if len(own) > 1 and sum(v.type == value.type for v in inside) == 1 else ()


def _counted(sentence: Sentence, value: Value) -> tuple[str, ...]:
    """For a bare number the first noun after it says what is counted; it counts as a word of its own."""
    if value.type != "number":
        return ()
    after = sentence.text[value.end : value.end + 30].split()
    return tuple(f"#{s}" for s in stems(after[0], sentence.language)[:1]) if after else ()


def _is_period(text: str, value: Value) -> bool:
    """A date that only says when the sentence holds: “from 1 June 2026 Hamid owns …”, “until …:”."""
    if value.type != "date":
        return False
    before = text[: value.start].rstrip().casefold()
    opens = before in ("from", "since", "as of", "ab", "seit", "depuis", "on", "as from")
    return opens and value.end < len(text) - 10


def _polarity(
    sentence: Sentence,
    values: Sequence[Value],
    polarities: Sequence[Polarity],
    around: tuple[str, ...],
    quals: tuple[str, ...],
    *,
    assertive: bool,
) -> list[Claim]:
    text = _blanked(sentence.text, [v for v in values if v.type != "id"])
    labels = lexicon.load("polarity")["labels"]
    claims = []
    for side in polarities:
        words = stems(text[: side.start] + " " + text[side.end :], sentence.language)
        label = labels[side.dimension][side.sign]
        claims.append(Claim(f"polarity:{side.dimension}", side.sign, label, "", "", words, around, quals))
    if not polarities and assertive:
        label = labels["assertion"]["+"]
        claims.append(Claim("polarity:assertion", "+", label, "", "", stems(text, sentence.language), around, quals))
    return claims


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
