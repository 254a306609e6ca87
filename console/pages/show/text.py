"""Text from documents, made safe to look at: what cannot be seen is shown as an escape."""

import unicodedata

_INVISIBLE = {"Cf", "Cc", "Co", "Cs", "Cn", "Zl", "Zp"}
_KEPT = "\n\r\t"
_CONTROL_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_ODD_SPACES = "\u115f\u1160\u3164\uffa0\u2800"


def visible(text: str) -> str:
    """Bidirectional, zero-width and control characters as ``⟨U+202E⟩``; line breaks and tabs stay.

    >>> visible("a\u202eb")
    'a⟨U+202E⟩b'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def visible_line(text: str) -> str:
    """The same on one line: white space folded."""
    return visible(" ".join(text.split()))


def _shown(char: str) -> str:
    if char in _CONTROL_SPACES:
        return " "
    hidden = char in _ODD_SPACES or unicodedata.category(char) in _INVISIBLE
    return f"⟨U+{ord(char):04X}⟩" if hidden and char not in _KEPT else char


def short_id(identifier: str, keep: int = 10) -> str:
    """An id short enough for a line; the whole one stays in the title."""
    return identifier if len(identifier) <= keep + 3 else f"{identifier[:keep]}…"


def short_digest(digest: str) -> str:
    """``9c02ab…e1`` out of a SHA-256, with or without its prefix."""
    bare = digest.rpartition(":")[2]
    return bare if len(bare) <= 10 else f"{bare[:6]}…{bare[-2:]}"
