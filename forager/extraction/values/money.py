"""Amounts of money: ``$1.2M``, ``1,200,000 USD``, ``15 340 EUR``, ``1.35 million dollars``. Canonical: amount, code."""

import re
from collections.abc import Iterator
from functools import cache

from babel import Locale
from babel.numbers import get_currency_name, get_currency_symbol

from forager.extraction import lexicon
from forager.extraction.model import Value
from forager.extraction.values import numbers

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
    amount = rf"(?P<amount>{numbers.DIGITS})(?:\s*(?P<scale>{multiplier})\b\.?)?"
    after = rf"(?<![\w.,]){amount}\s?-?(?P<currency>{currency})(?!\w)"
    before = rf"(?<![\w])(?P<currency>{currency})\s?{amount}(?!\w)"
    return re.compile(after, re.IGNORECASE), re.compile(before, re.IGNORECASE)


def code_in(text: str) -> str:
    """The currency a column head names, e.g. “price (GBP)”; empty when it names none."""
    words = re.findall(r"[^\W\d_]{3}|[€$£¥]", text)
    return next((_names()[w.casefold()] for w in words if w.upper() in CODES or w in SYMBOLS), "")


def find(text: str, language: str) -> Iterator[Value]:
    """Amounts with the currency after (preferred: a list of amounts reads that way) or before."""
    for pattern in _patterns():
        for match in pattern.finditer(text):
            number = numbers.parse(match["amount"], language)
            if number is None:
                continue
            amount = numbers.canonical(numbers.scaled(number, match["scale"] or ""))
            code = _names()[match["currency"].casefold()]
            yield Value(
                "money", amount, match.group(), match.start(), match.end(), unit=code, entry=f"currency: {code}"
            )
