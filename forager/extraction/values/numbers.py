"""Numbers as written: digits with grouping by locale, number words, and multipliers (k, million, Mio.)."""

import re
from decimal import Decimal, InvalidOperation

from text_to_num import text2num

from forager.extraction.phrases import runs

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
_PARTS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand dozen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig "
    "siebzig achtzig neunzig hundert tausend dutzend",
    "fr": "zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente "
    "quarante cinquante soixante cent mille",
}
_WORDS = {word for words in _PARTS.values() for word in words.split()}
_ANY = "|".join(sorted(_WORDS, key=lambda w: (-len(w), w)))
_GERMAN = (
    r"(?:(?:ein|zwei|drei|vier|fünf|sech|sechs|sieb|sieben|acht|neun|zehn|elf|zwölf|und|zig|ßig|zwanzig|hundert|tausend)"
    r"{2,})"
)
WORD_PATTERN = rf"(?:(?:an?\s+)?(?:{_ANY}|{_GERMAN})s?(?:(?:\s+and\s+|\s+et\s+|[\s-]+)(?:{_ANY}))*)(?![\w-])"

_BEGINNING = 3
_BEGINNINGS = {"ein", "und", "zig", "ßig"} | {word[:_BEGINNING] for word in _WORDS}
"""The first letters of every number word, in one language or another; none is shorter."""
_DIGIT = re.compile(r"\d")


def has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def may_stand_in(text: str) -> bool:
    """False where there is no number, in digits or words; True where there may be one."""
    return has_digit(text) or any(word[:_BEGINNING] in _BEGINNINGS for word in runs(text))


def in_words(text: str, language: str = "en") -> Decimal | None:
    """“two hundred and twenty”, “dreiundzwanzig”, “a dozen”; None when it is no number."""
    folded = " ".join(text.casefold().split()).removeprefix("a ").removeprefix("an ")
    dozens = re.fullmatch(r"(?:(?P<n>[\w-]+)\s+)?(?:dozen|dutzend)s?", folded)
    if dozens:
        count = in_words(dozens["n"], language) if dozens["n"] else Decimal(1)
        return None if count is None else count * 12
    for spoken in dict.fromkeys((language, "en")):
        try:
            return Decimal(int(text2num(folded, spoken)))
        except ValueError:
            continue
    return None


def parse(text: str, language: str = "en") -> Decimal | None:
    """``1,200.50``, ``1.200,50``, ``15 340`` or a number word, as a number; None when it is none."""
    folded = text.casefold().strip()
    if folded[:1].isalpha():
        return in_words(folded, language)
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
