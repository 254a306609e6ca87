"""Claims that take a side: allowed or not, open or closed, “Pets: no”, or a plain sentence that says it is so."""

from collections.abc import Sequence

from forager.extraction import lexicon
from forager.extraction.model import Claim, Polarity, Sentence, Value
from forager.extraction.qualifiers import blanked
from forager.extraction.standing import scales
from forager.extraction.stems import stems

YES_OR_NO = dict.fromkeys(("yes", "ja", "oui", "true", "y", "✓", "x"), "+") | dict.fromkeys(
    ("no", "nein", "non", "false", "n", "✗"), "-"
)


def of_sentence(
    sentence: Sentence,
    values: Sequence[Value],
    polarities: Sequence[Polarity],
    around: tuple[str, ...],
    quals: tuple[str, ...],
    *,
    assertive: bool,
) -> list[Claim]:
    """One claim for each scale the sentence takes a side on; else, when ``assertive``, that it is so."""
    text = blanked(sentence.text, [v for v in values if not v.type.startswith(("id", "weekday", "kind:"))])
    claims = []
    for side in polarities:
        words = stems(text[: side.start] + " " + text[side.end :], sentence.language)
        claims.append(_claim(side.dimension, side.sign, words, around, quals))
    if not polarities and assertive:
        claims.append(_claim("assertion", "+", stems(text, sentence.language), around, quals))
    return claims


def of_yes_or_no(
    text: str, named: str, sentence: Sentence, around: tuple[str, ...], quals: tuple[str, ...]
) -> tuple[Claim, ...]:
    """“Pets: no”: what is named is denied on whatever scale the other document speaks of it."""
    sign = YES_OR_NO.get(lexicon.fold(text).strip(" .!"))
    if sign is None:
        return ()
    own = stems(named, sentence.language)
    return tuple(_claim(scale, sign, own, around, quals) for scale in scales())


def _claim(scale: str, sign: str, own: tuple[str, ...], around: tuple[str, ...], quals: tuple[str, ...]) -> Claim:
    label = lexicon.load("polarity")["labels"][scale][sign]
    return Claim(f"polarity:{scale}", sign, label, "", "", own, around, quals, shown=label)
