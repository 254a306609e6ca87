"""Amounts of money: ``$1.2M``, ``1,200,000 USD``, ``15 340 EUR``, ``1.35 million dollars``. Canonical: amount, code."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, get_currency_symbol

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.values import bounds, numbers

CODES = [
    "EUR",
    "USD",
    "GBP",
    "CHF",
    "JPY",
    "CAD",
    "AUD",
    "NZD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "HUF",
    "RON",
    "BGN",
    "INR",
    "CNY",
    "BRL",
    "MXN",
    "ZAR",
    "TRY",
    "ILS",
    "KRW",
    "SGD",
    "HKD",
    "AED",
    "SAR",
    "RUB",
    "UAH",
    "ISK",
    "THB",
]
SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "US$": "USD", "Fr.": "CHF", "zł": "PLN"}
BEGINNING = re.compile(r"[^\W\d_]+|[^\w\s]")


@cache
def _names() -> dict[str, str]:
    """Symbols, codes and plural names (CLDR) of each currency, folded, to its code."""
    names = {symbol.casefold(): code for symbol, code in SYMBOLS.items()}
    for code in CODES:
        names[code.casefold()] = code
        for language in lexicon.LANGUAGES:
            locale = Locale(language)
            for count in (1, 2):
                name = get_currency_name(code, count=count, locale=locale)
                names.setdefault(name.casefold(), code)
                names.setdefault(name.casefold().split()[-1], code)
            symbol = get_currency_symbol(code, locale)
            if len(symbol) > 1 or not symbol.isalpha():
                names.setdefault(symbol.casefold(), code)
    names |= {"euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "pounds": "GBP"}
    names["franken"] = "CHF"
    return {name: code for name, code in names.items() if not name.isdigit()}


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    currency = "|".join(sorted(map(re.escape, _names()), key=len, reverse=True))
    multiplier = "|".join(sorted(numbers.MULTIPLIERS, key=len, reverse=True))
    dash = "|".join(map(re.escape, lexicon.load("money")["dashes"]))
    number = rf"{numbers.DIGITS}|{numbers.WORD_PATTERN}"
    ranged = rf"(?:(?P<low>{numbers.DIGITS})\s?(?:-|–|to|bis|à)\s?)?"
    amount = rf"{ranged}(?P<amount>{number})(?:{dash})?(?:\s*(?P<scale>{multiplier})\b\.?)?"
    after = rf"(?<![\w.,]){amount}\s?-?(?P<currency>{currency})(?:\s(?P<minor>\d\d))?(?![\w.,]?\w)"
    before = rf"(?<![\w])(?P<currency>{currency})\s?{amount}(?!\w)"
    return re.compile(after, re.IGNORECASE), re.compile(before, re.IGNORECASE)


@cache
def _minor() -> tuple[re.Pattern[str], dict[str, str]]:
    code_of = {word: code for code, words in lexicon.load("money")["minor"].items() for word in words}
    words = "|".join(sorted(map(re.escape, code_of), key=len, reverse=True))
    return re.compile(rf"(?<![\w.,])(?P<amount>{numbers.DIGITS})\s?(?P<word>{words})(?!\.?\w)", re.IGNORECASE), code_of


@cache
def _beginnings() -> frozenset[str]:
    """The letters, or the sign, that the name of a currency begins with."""
    return frozenset(BEGINNING.findall(name)[0] for name in _names())


def _may_name_a_currency(text: str) -> bool:
    return numbers.may_stand_in(text) and not _beginnings().isdisjoint(BEGINNING.findall(text.casefold()))


def code_in(text: str) -> str:
    """The currency a column head names, e.g. “price (GBP)”; empty when it names none."""
    words = re.findall(r"[^\W\d_]{3}|[€$£¥]", text)
    return next((_names()[w.casefold()] for w in words if w.upper() in CODES or w in SYMBOLS), "")


def find(text: str, language: str) -> Iterator[Value]:
    """Amounts with the currency after (preferred: a list of amounts reads that way) or before; then hundredths."""
    for pattern in _patterns() if _may_name_a_currency(text) else ():
        for match in pattern.finditer(text):
            if (amount := _amount(match, language)) is not None:
                code = _names()[match["currency"].casefold()]
                yield _value(amount, code, match, bound=bounds.bound(text, match.start(), match.end()))
    for match in lexicon.pattern("money", "free").finditer(text):
        yield _value("0", "", match, "free")
    pattern, code_of = _minor()
    for match in pattern.finditer(text) if numbers.has_digit(text) else ():
        hundredths = numbers.parse(match["amount"], language)
        if hundredths is not None:
            code, said = code_of[match["word"].casefold()], f"{numbers.canonical(hundredths)} {match['word']}"
            yield _value(
                numbers.canonical(hundredths / 100), code, match, said, bounds.bound(text, match.start(), match.end())
            )


def _value(amount: str, code: str, match: re.Match[str], said: str = "", bound: str = "") -> Value:
    entry = f"currency: {code or 'hundredths'}"
    return Value("money", amount, match.group(), match.start(), match.end(), code, bound, entry, said)


def _amount(match: re.Match[str], language: str) -> str | None:
    """One amount or the ends of a range; “6 pounds 50” has its hundredths behind the currency."""
    ends = [numbers.parse(end, language) for end in (match["low"], match["amount"]) if end]
    if any(end is None for end in ends):
        return None
    minor = match.groupdict().get("minor")
    scaled = [numbers.scaled(end, match["scale"] or "") for end in ends if end is not None]
    if minor:
        scaled = [amount + Decimal(minor) / 100 for amount in scaled]
    return "..".join(numbers.canonical(amount) for amount in scaled)
