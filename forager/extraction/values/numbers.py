"""Numbers as written: digits with grouping by locale, number words, and multipliers (k, million, Mio.)."""

import re
from decimal import Decimal, InvalidOperation

DIGITS = "|".join(
    (
        r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?",
        r"\d{1,3}(?:,\d{3})+(?:\.\d+)?",
        r"\d{1,3}(?:\.\d{3})+(?:,\d+)?",
        r"\d+(?:[.,]\d+)?",
    )
)
MULTIPLIERS = {
    "k": 3, "thousand": 3, "tausend": 3, "mille": 3, "tsd": 3,
    "m": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6, "millionen": 6,
    "bn": 9, "billion": 9, "billions": 9, "mrd": 9, "milliarde": 9, "milliarden": 9, "milliard": 9, "milliards": 9,
}  # fmt: skip
_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GERMAN = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_FRENCH = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
]


def _number_words() -> dict[str, int]:
    words = {w: n for n, w in enumerate(_UNITS)}
    words.update({w: n for n, w in enumerate(_GERMAN) if n > 1})
    words.update({w: n for n, w in enumerate(_FRENCH) if n > 1})
    for at, ten in enumerate(_TENS, start=2):
        words[ten] = at * 10
        words.update({f"{ten}{sep}{_UNITS[n]}": at * 10 + n for n in range(1, 10) for sep in ("-", " ")})
    for at, ten in enumerate(
        ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"], start=2
    ):
        words[ten] = at * 10
        for n in range(1, 10):
            words[f"{'ein' if n == 1 else _GERMAN[n]}und{ten}"] = at * 10 + n
    words.update({"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "cent": 100})
    words.update({"a dozen": 12, "dozen": 12, "hundred": 100, "a hundred": 100, "one hundred": 100, "hundert": 100})
    words.pop("one")
    return words | {"one": 1}


WORDS = _number_words()
WORD_PATTERN = r"(?:" + "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True)) + r")(?![\w-])"


def parse(text: str, language: str = "en") -> Decimal | None:
    """``1,200.50``, ``1.200,50``, ``15 340`` or a number word, as a number; None when it is none."""
    folded = text.casefold().strip()
    if folded in WORDS:
        return Decimal(WORDS[folded])
    plain = re.sub(r"[ \u00a0\u202f'’]", "", folded)
    comma, point = plain.rfind(","), plain.rfind(".")
    if comma >= 0 and point >= 0:
        plain = plain.replace(",", "") if point > comma else plain.replace(".", "").replace(",", ".")
    elif comma >= 0:
        grouped = re.fullmatch(r"\d{1,3}(,\d{3})+", plain) and not (language != "en" and plain.count(",") == 1)
        plain = plain.replace(",", "") if grouped else plain.replace(",", ".")
    elif point >= 0 and re.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+", plain) and (language != "en" or plain.count(".") > 1):
        plain = plain.replace(".", "")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def canonical(number: Decimal) -> str:
    """The shortest plain notation: ``1200``, ``1.5``."""
    text = format(number.normalize(), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def scaled(number: Decimal, multiplier: str) -> Decimal:
    power = MULTIPLIERS.get(multiplier.casefold().rstrip("."), 0)
    return number * (Decimal(10) ** power)
