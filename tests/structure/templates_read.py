"""Templates read as Django and a browser read them: which words a person sees that no catalogue could change.

Django's own lexer takes a template apart, the standard library's HTML parser reads what is left. A tag of Django's
becomes one character without meaning, and what stands between ``blocktranslate`` and its end is marked already.
"""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from django.template.base import Lexer, Token, TokenType
from django.utils.text import smart_split

HOLE = "\ue000"
SEEN = frozenset(
    (
        "aria-label",
        "placeholder",
        "title",
        "alt",
        "data-announce",
        "data-label",
        "data-words",
        "data-record",
        "data-some",
        "data-one",
        "data-many",
    )
)
"""Attributes whose value a person sees or hears."""
NOT_WORDS = frozenset(("script", "style", "svg", "code", "kbd", "pre"))
"""Elements that hold bytes, names of keys and drawings: the same in every language."""
VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "source", "use", "wbr"))
TELLING_FILTERS = ("default:", "default_if_none:", "yesno:", "pluralize", "join:")


@dataclass(frozen=True, slots=True)
class Unmarked:
    """``line`` is that of the template."""

    line: int
    words: str


def unmarked(source: str) -> list[Unmarked]:
    """Every word that stands outside of a mark, in the order of the template."""
    tokens = _outside_marks(Lexer(source).tokenize())
    page = _Page()
    page.feed("".join(token.contents if token.token_type is TokenType.TEXT else _hole(token) for token in tokens))
    page.close()
    told = [Unmarked(token.lineno or 0, words) for token in tokens for words in _arguments(token)]
    return sorted([*page.found, *told], key=lambda each: each.line)


def in_file(path: Path) -> list[str]:
    return [f"{path.name}:{each.line}: {each.words}" for each in unmarked(path.read_text(encoding="utf-8"))]


def _outside_marks(tokens: list[Token]) -> list[Token]:
    """Without what ``blocktranslate`` and ``comment`` enclose; their own tags stay as holes that keep the lines."""
    kept, until = [], ""
    for token in tokens:
        name = token.contents.split()[0] if token.token_type is TokenType.BLOCK else ""
        if until:
            lines = "\n" * token.contents.count("\n")
            kept.append(Token(TokenType.TEXT, HOLE + lines, lineno=token.lineno))
            until = "" if name == until else until
            continue
        until = f"end{name}" if name in ("blocktranslate", "comment") else ""
        kept.append(token)
    return kept


def _hole(token: Token) -> str:
    return HOLE + "\n" * token.contents.count("\n")


def _arguments(token: Token) -> list[str]:
    """Texts given to an include or to a filter without the mark ``_("…")``."""
    if token.token_type is TokenType.VAR:
        return (
            [token.contents] if any(f"|{each}" in token.contents for each in TELLING_FILTERS if _is_said(token)) else []
        )
    if token.token_type is not TokenType.BLOCK or not token.contents.startswith("include "):
        return []
    given = [each.partition("=")[2] for each in smart_split(token.contents) if "=" in each]
    return [each for each in given if each[:1] in "\"'" and _reads_as_words(each.strip("\"'"))]


def _is_said(token: Token) -> bool:
    """Whether a filter of this variable has words of its own, or makes an English plural."""
    argument = token.contents.partition("|")[2]
    return "pluralize" in argument or (
        '"' in argument and '_("' not in argument and has_letters(argument.split('"')[1])
    )


def _reads_as_words(text: str) -> bool:
    return has_letters(text) and (" " in text or text[:1].isupper())


def has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text.replace(HOLE, ""))


class _Page(HTMLParser):
    """Collects the text and the attributes that a person sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Unmarked] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_button = tag == "input" and ("type", "submit") in attrs
        for name, value in attrs:
            if value and has_letters(value) and (name in SEEN or (is_button and name == "value")):
                self._tell(f'{name}="{value}"')
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if has_letters(data) and not NOT_WORDS.intersection(self._open):
            self._tell(data)

    def _tell(self, words: str) -> None:
        self.found.append(Unmarked(self.getpos()[0], " ".join(words.replace(HOLE, "…").split())))
