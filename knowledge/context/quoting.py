"""Words from outside, made harmless on one line: they can open no line, section, label, fence or text direction."""

import re

BLANKS = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
FENCE = re.compile(r"`{3,}|~{3,}")
LABEL = re.compile(r"\[(?=\s*(?:FACT|CONFLICT)\b)", re.IGNORECASE)
OPENINGS = (
    *("knowledge", "query", "scope", "conflict", "fact", "no facts", "support", "confidence", "status", "effective"),
    *("evidence", "superseded", "competing", "suggested", "related", "source", "citable", "cite", "truncated"),
    *("degraded", "note", "[", "\\[", "-", "—", "*", "#", ">", "|"),
)
"""What the lines of the render begin with; words from outside that begin so stand in quotation marks."""


def inline(words: str) -> str:
    """Line breaks folded to blanks; control, direction and zero-width characters, fences and labels escaped."""
    if words.isascii() and words.isprintable():  # nothing but letters, marks and plain blanks, as most are
        shown = " ".join(words.split())
    else:
        shown = UNSEEN.sub(lambda match: _escape(match[0]), BLANKS.sub(" ", words).strip())
    if "```" in shown or "~~~" in shown:
        shown = FENCE.sub(lambda match: "".join(f"\\{mark}" for mark in match[0]), shown)
    return LABEL.sub(r"\\[", shown) if "[" in shown else shown


def quoted(words: str) -> str:
    """The words in quotation marks, with marks of their own escaped."""
    escaped = inline(words).replace('"', '\\"')
    return f'"{escaped}"'


def line(words: str) -> str:
    """For words that begin a line of their own: quoted when they begin like a line of ours."""
    safe = inline(words)
    return quoted(words) if safe.casefold().startswith(OPENINGS) else safe


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
