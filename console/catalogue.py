"""The texts of the console that are marked for translation, read from its own files without running them."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import write_po
from django.template.base import Lexer, Token, TokenType
from django.utils.text import smart_split
from django.utils.translation import trim_whitespace

type Message = str | tuple[str, str]
"""One text, or its two English forms where it goes with a number."""

KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "gettext": None,
    "gettext_lazy": None,
    "_": None,
    "ngettext": (1, 2),
    "plural": (2, 3),
    "Setting": (4,),
}
LITERAL = re.compile(r"""_\(("[^"]*"|'[^']*')\)""")


def messages(root: Path) -> Iterator[Message]:
    """Of the templates and of the Python files of the console, in the order of files and lines."""
    for path in sorted((root / "templates").rglob("*.html")):
        yield from in_template(path.read_text(encoding="utf-8"))
    for path in sorted((root / "console").rglob("*.py")):
        for _line, found, _comments, _context in extract_from_file("python", path, keywords=KEYWORDS):
            yield found if isinstance(found, str) else (found[0], found[1])


def in_template(source: str) -> Iterator[Message]:
    """As Django makes its message ids: variables as ``%(name)s``, per cent signs doubled."""
    tokens = iter(Lexer(source).tokenize())
    for token in tokens:
        words = token.contents
        if token.token_type is TokenType.BLOCK and words.startswith("translate "):
            yield _percents(list(smart_split(words))[1][1:-1])
        elif token.token_type is TokenType.BLOCK and words.partition(" ")[0] == "blocktranslate":
            yield _block(words, tokens)
        elif token.token_type in (TokenType.BLOCK, TokenType.VAR):
            yield from (_percents(found[1:-1]) for found in LITERAL.findall(words))


def template(root: Path) -> bytes:
    """``locale/django.pot``: what a new language starts from. The same texts give the same bytes."""
    catalog = Catalog(charset="utf-8")
    for message in messages(root):
        catalog.add(message)
    written = BytesIO()
    write_po(written, catalog, width=0, omit_header=True, sort_output=True)
    return written.getvalue()


def _block(opening: str, tokens: Iterator[Token]) -> Message:
    forms = [""]
    for token in tokens:
        if token.token_type is TokenType.BLOCK:
            if token.contents == "endblocktranslate":
                break
            forms.append("")
        else:
            is_text = token.token_type is TokenType.TEXT
            forms[-1] += _percents(token.contents) if is_text else f"%({token.contents})s"
    if " trimmed" in opening:
        forms = [trim_whitespace(form) for form in forms]
    return forms[0] if len(forms) == 1 else (forms[0], forms[1])


def _percents(text: str) -> str:
    return text.replace("%", "%%")
