"""What the conflict pass compares: each typed value and each side taken, with the words around it."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from forager.extraction import frames, lexicon
from forager.extraction.model import Claim, Context, Frame, Polarity, Sentence, Value
from forager.extraction.stems import stems
from forager.parsing.document import Cell

DAYS = {
    "monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5", "saturday": "6", "sunday": "7",
    "montag": "1", "dienstag": "2", "mittwoch": "3", "donnerstag": "4", "freitag": "5", "samstag": "6", "sonntag": "7",
    "lundi": "1", "mardi": "2", "mercredi": "3", "jeudi": "4", "vendredi": "5", "samedi": "6", "dimanche": "7",
}  # fmt: skip
DAY = re.compile(r"(?<!\w)(" + "|".join(DAYS) + r")(?:s|e|en)?(?!\w)", re.IGNORECASE)
YEAR = re.compile(r"(?<![\d.,/-])((?:19|20)\d{2})(?:/\d{2})?(?![\d.,/-]?\d)")
LABEL = re.compile(
    r"(?<!\w)(unit|room|floor|building|phase|lot|level|gate|line|version|site|zone|team|class|grade|step|item|section)\s+([A-Z]?\d+[A-Z]?|[A-Z])(?!\w)",
    re.IGNORECASE,
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "ground")
ORDINAL = re.compile(r"(?<!\w)(" + "|".join(ORDINALS) + r")(?!\w)", re.IGNORECASE)
COMPARED = (
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
    quals = qualifiers(sentence.text, values)
    claims = [
        _claim(value, own + _counted(sentence, value), around, quals, frame)
        for value in values
        if value.type in COMPARED and not _is_period(sentence.text, value)
    ]
    if frame and frame.value_type in ("text", "name"):
        claims.append(
            Claim(
                frame.value_type, frame.value, frame.value_raw, "", "", own, around, quals,
                key=key_of(frame), change=frame.modality == "changed",
            )
        )  # fmt: skip
    claims.extend(_polarity(sentence, values, polarities, around, quals, assertive=not claims))
    return tuple(claims)


def of_cell(value: Value, cell: Cell, row: str, sentence: Sentence, frame: Frame, context: Context) -> Claim:
    """The claim of one table cell: its head and its row's name are its words."""
    head, naming = stems(cell.head, sentence.language), stems(row, sentence.language)
    quals = qualifiers(f"{row} {cell.head}", ())
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


def key_of(frame: Frame) -> str:
    return f"{frames.slug(frame.subject)}|{frames.slug(frame.attribute)}"


def context_stems(sentence: Sentence, context: Context) -> tuple[str, ...]:
    name = re.sub(r"\.\w{1,5}$", "", context.name.rpartition("/")[2])
    text = " ".join([context.title, *sentence.block.section, sentence.block.lead_in, re.sub(r"[\W_\d]+", " ", name)])
    return stems(text, sentence.language)


def qualifiers(text: str, values: Sequence[Value]) -> tuple[str, ...]:
    """``family:value`` of everything in the text that tells two otherwise equal claims apart."""
    found = {f"weekday:{DAYS[m.group(1).casefold()]}" for m in DAY.finditer(text)}
    found |= {f"id:{v.value}" for v in values if v.type == "id"}
    found |= {f"label:{m.group(1).casefold()} {m.group(2).casefold()}" for m in LABEL.finditer(text)}
    found |= {f"ordinal:{m.group(1).casefold()}" for m in ORDINAL.finditer(text)}
    blank = _blanked(text, values)
    found |= {f"year:{m.group(1)}" for m in YEAR.finditer(blank)}
    found |= {f"year:{v.value[:4]}" for v in values if v.type == "date" and _is_period(text, v)}
    for family, kinds in _families().items():
        found |= {f"{family}:{kind}" for kind, pattern in kinds.items() if pattern.search(text)}
    return tuple(sorted(found))


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


def _own(sentence: Sentence, values: Sequence[Value]) -> tuple[str, ...]:
    return stems(_blanked(sentence.text, [v for v in values if v.type != "id"]), sentence.language)


def _blanked(text: str, values: Iterable[Value]) -> str:
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    return text


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
    claims = []
    for side in polarities:
        words = stems(text[: side.start] + " " + text[side.end :], sentence.language)
        claims.append(Claim(f"polarity:{side.dimension}", side.sign, side.cue, "", "", words, around, quals))
    if not polarities and assertive:
        claims.append(Claim("polarity:assertion", "+", "", "", "", stems(text, sentence.language), around, quals))
    return claims


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
