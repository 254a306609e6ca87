"""What tells sides apart: marked to the character, and said in words for those who do not see the marks."""

import datetime as dt
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext

from console.wording import plural

ALIKE = 0.6
"""Two words at least this alike are compared by character, others differ as a whole."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NUMBER = re.compile(r"(?P<before>[^\d-]*)(?P<number>-?\d+(?:\.\d+)?)(?P<behind>[^\d]*)")
TIME = re.compile(r"(\d{1,2}):(\d\d)")


@dataclass(frozen=True, slots=True)
class Fragment:
    text: str
    differs: bool


def differing(values: Sequence[str], index: int) -> tuple[Fragment, ...]:
    """``values[index]`` in pieces; what some other side does not share is marked. The pieces together are the value."""
    mine = values[index]
    others = [value for at, value in enumerate(values) if at != index]
    marks = [False] * len(mine)
    for other in others:
        for low, high in _unshared(mine, other):
            marks[low:high] = [True] * (high - low)
    for gap in re.finditer(r"\s+", mine):
        low, high = gap.span()
        if low > 0 and high < len(mine) and marks[low - 1] and marks[high]:
            marks[low:high] = [True] * (high - low)
    runs = groupby(range(len(mine)), key=marks.__getitem__)
    return tuple(Fragment(mine[(at := list(run))[0] : at[-1] + 1], differs) for differs, run in runs) or (
        Fragment(mine, False),
    )


def in_words(values: Sequence[str]) -> str:
    """How far apart the values are, as far as it can be computed; else what each side says."""
    if len(values) == 2:
        told = _dates(*values) or _times(*values) or _numbers(*values)
        if told:
            return told
    said = ", ".join(
        gettext("{letters} says “{value}”").format(letters=LETTERS[at % 26], value=value)
        for at, value in enumerate(values)
        if value
    )
    return f"{said}." if said else ""


def only_in(sentences: Sequence[str], values: Sequence[str] = ()) -> tuple[str, ...]:
    """What each of two sentences says that the other does not, one line a side; none when that is the values."""
    if len(sentences) != 2 or not all(sentences):
        return ()
    said = [" … ".join(_phrases(sentence, sentences[1 - at])) for at, sentence in enumerate(sentences)]
    if [words.casefold() for words in said] == [value.casefold() for value in values]:
        return ()
    return tuple(
        gettext("Only in {letters}: “{words}”.").format(letters=LETTERS[at], words=words)
        for at, words in enumerate(said)
        if words
    )


def _phrases(mine: str, other: str) -> list[str]:
    """Whole words that differ; those with only a space between them are one phrase."""
    pieces = _words(mine)
    phrases, joined = [""], False
    for tag, low, high, _low, _high in _matcher(pieces, _words(other)).get_opcodes():
        part = "".join(pieces[low:high])
        if tag != "equal" or (part.isspace() and joined):
            phrases[-1] += part
            joined = True
        elif part:
            phrases.append("")
            joined = False
    return [phrase.strip() for phrase in phrases if phrase.strip()]


def _unshared(mine: str, other: str) -> Iterator[tuple[int, int]]:
    """Stretches of ``mine``, in characters, that ``other`` does not share."""
    left, right = _words(mine), _words(other)
    starts = [0]
    for word in left:
        starts.append(starts[-1] + len(word))
    for tag, low, high, low2, high2 in _matcher(left, right).get_opcodes():
        if tag != "equal" and high > low:
            yield from _closer("".join(left[low:high]), "".join(right[low2:high2]), starts[low])


def _closer(mine: str, other: str, start: int) -> Iterator[tuple[int, int]]:
    matcher = difflib.SequenceMatcher(None, mine, other, autojunk=False)
    if " " in mine or matcher.ratio() < ALIKE:
        yield start, start + len(mine)
        return
    for tag, low, high, _low, _high in matcher.get_opcodes():
        if tag != "equal" and high > low:
            yield start + low, start + high


def _matcher(left: list[str], right: list[str]) -> difflib.SequenceMatcher[str]:
    return difflib.SequenceMatcher(None, left, right, autojunk=False)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", text)


def _dates(left: str, right: str) -> str:
    try:
        days = (dt.date.fromisoformat(right) - dt.date.fromisoformat(left)).days
    except ValueError:
        return ""
    return _apart(days, plural(abs(days), "day", "days"), *_in_time())


def _times(left: str, right: str) -> str:
    one, two = TIME.fullmatch(left), TIME.fullmatch(right)
    if not one or not two:
        return ""
    minutes = int(two[1]) * 60 + int(two[2]) - int(one[1]) * 60 - int(one[2])
    hours, rest = divmod(abs(minutes), 60)
    words = " ".join(
        part
        for part in (
            gettext("{hours} h").format(hours=hours) if hours else "",
            gettext("{rest} min").format(rest=rest) if rest else "",
        )
        if part
    )
    return _apart(minutes, words, *_in_time())


def _numbers(left: str, right: str) -> str:
    """Only amounts of one unit compare."""
    one, two = NUMBER.fullmatch(left), NUMBER.fullmatch(right)
    if not one or not two or (one["before"], one["behind"]) != (two["before"], two["behind"]):
        return ""
    low, high = float(one["number"]), float(two["number"])
    unit = f"{one['before']} {one['behind']}".strip()
    words = f"{abs(high - low):,.10g}{f' {unit}' if unit else ''}"
    share = f" ({abs(high - low) / abs(low):.1%})" if low else ""
    more, less = gettext("B is {words} more than A."), gettext("B is {words} less than A.")
    return _apart(high - low, f"{words}{share}", more, less)


def _in_time() -> tuple[str, str]:
    return gettext("B is {words} later than A."), gettext("B is {words} earlier than A.")


def _apart(distance: float, words: str, above: str, below: str) -> str:
    return (above if distance > 0 else below).format(words=words) if distance else ""
