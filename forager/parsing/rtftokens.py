"""RTF as tokens: groups, control words, bytes of text. Nothing here knows what a word means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<symbol>[^a-zA-Z])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
CODE_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""By the character set number of a font."""


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: open, close, word, symbol, text, byte. ``number`` is None when the word has none."""

    kind: str
    value: str = ""
    number: int | None = None


def tokens(source: str) -> Iterator[Token]:
    """Bytes of ``\\bin`` are left out."""
    at = 0
    while at < len(source):
        match = TOKEN.match(source, at)
        if match is None:
            return
        at = match.end()
        token = _token(match)
        if token is None:
            continue
        if token.kind == "word" and token.value == "bin":
            at += max(token.number or 0, 0)
        else:
            yield token


def _token(match: re.Match[str]) -> Token | None:
    if word := match["word"]:
        return Token("word", word, int(match["number"]) if match["number"] else None)
    if match["hex"]:
        return Token("byte", chr(int(match["hex"], 16)))
    if match["symbol"]:
        return Token("symbol", match["symbol"])
    if match["brace"]:
        return Token("open" if match["brace"] == "{" else "close")
    return Token("text", match["text"]) if match["text"] else None


def code_page(number: int | None) -> str:
    """The codec of ``\\ansicpg``; Western when it is not one Python knows."""
    name = f"cp{number}" if number else "cp1252"
    try:
        b"a".decode(name)
    except LookupError:
        return "cp1252"
    return name
