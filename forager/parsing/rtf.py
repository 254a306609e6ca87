"""RTF: paragraphs, headings, lists, tables and notes in reading order.

Hidden and struck text is kept but excluded; tracked deletions are not read. Groups are walked, never recursed into.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace

from forager.parsing.builder import Piece
from forager.parsing.dates import of_package
from forager.parsing.document import Document, ParseWarning
from forager.parsing.encoding import storable
from forager.parsing.officefile import assembled
from forager.parsing.package import damaged
from forager.parsing.rtfpage import Page
from forager.parsing.rtftokens import CODE_PAGES, Token, code_page, tokens

CHARACTERS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
SYMBOLS = {"~": "\u00a0", "_": "\u2011", "{": "{", "}": "}", "\\": "\\"}
UNREAD = frozenset(
    ("fonttbl", "colortbl", "stylesheet", "pict", "object", "fldinst", "listtext", "pntext", "nonshppict", "xe", "tc",
     "bkmkstart", "bkmkend", "listtable", "listoverridetable", "rsidtbl", "filetbl", "revtbl", "info")
)  # fmt: skip
"""Groups whose words are no words of the document; any starred one that is not known here is left out, too."""
ASIDE = {"footnote": "footnote", "annotation": "comment"} | {
    f"{kind}{side}": kind for kind in ("header", "footer") for side in ("", "l", "r", "f")
}
METADATA = frozenset(("title", "creatim", "revtim"))
FLAGS = {"v": "hidden", "strike": "struck", "striked": "struck", "deleted": "deleted"}


@dataclass(frozen=True, slots=True)
class State:
    """What a group inherits and may change for itself; ``skips`` counts the stand-ins behind a Unicode character."""

    goes_to: str = "body"
    codec: str = "cp1252"
    font: int = 0
    skips: int = 1
    flags: frozenset[str] = frozenset()


@dataclass
class _Walk:
    page: Page = field(default_factory=Page)
    state: State = State()
    stack: list[State] = field(default_factory=list)
    aside: dict[str, list[Piece]] = field(default_factory=lambda: defaultdict(list))
    fonts: dict[int, str] = field(default_factory=dict)
    title: str = ""
    stamps: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    style: int = 0
    pictures: int = 0
    left_to_skip: int = 0
    starred: bool = False
    raw: bytearray = field(default_factory=bytearray)

    def run(self, source: str) -> None:
        for token in tokens(source):
            if token.kind == "byte":
                self._byte(token)
                continue
            self._flush_bytes()
            if token.kind == "word":
                self._word(token.value, token.number)
            elif token.kind == "text":
                self._text(token.value)
            else:
                self._mark(token)
        self._flush_bytes()
        self.page.end()

    def _mark(self, token: Token) -> None:
        if token.kind == "open":
            self.stack.append(self.state)
            self.left_to_skip, self.starred = 0, False
        elif token.kind == "close":
            self._close()
        elif token.value == "*":
            self.starred = True
        elif token.value in SYMBOLS:
            self._say(SYMBOLS[token.value])
        elif token.value in "\r\n":
            self._structure("par", None)

    def _close(self) -> None:
        self.left_to_skip = 0
        if self.stack:
            before, self.state = self.state.goes_to, self.stack.pop()
            if before in ASIDE and self.state.goes_to != before:
                self.page.add_aside(ASIDE[before], self.aside.pop(before, []))

    def _byte(self, token: Token) -> None:
        if self.left_to_skip:
            self.left_to_skip -= 1
        else:
            self.raw.append(ord(token.value))

    def _flush_bytes(self) -> None:
        """Bytes side by side may make one character together."""
        if self.raw:
            self._say(bytes(self.raw).decode(self._codec, "replace"))
            self.raw.clear()

    @property
    def _codec(self) -> str:
        return self.fonts.get(self.state.font, self.state.codec)

    def _text(self, value: str) -> None:
        words = value[self.left_to_skip :]
        self.left_to_skip = max(0, self.left_to_skip - len(value))
        self._say(words if words.isascii() else words.encode("latin-1").decode(self._codec, "replace"))

    def _say(self, words: str) -> None:
        goes_to, flags = self.state.goes_to, self.state.flags
        if goes_to == "title":
            self.title += words
        elif (goes_to == "body" or goes_to in ASIDE) and "deleted" not in flags and words:
            pieces = self.page.body.pieces if goes_to == "body" else self.aside[goes_to]
            pieces.append((words, next((r for r in ("hidden", "struck") if r in flags), "")))

    def _word(self, word: str, number: int | None) -> None:
        starred, self.starred = self.starred, False
        if self._destination(word, starred=starred):
            return
        if self.state.goes_to == "body" and self._structure(word, number):
            return
        if word == "u" and number is not None:
            code = number % 65536
            self._say("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))
            self.left_to_skip = self.state.skips
        elif word in CHARACTERS:
            self._say(CHARACTERS[word])
        elif word in FLAGS:
            flags = self.state.flags - {FLAGS[word]} if number == 0 else self.state.flags | {FLAGS[word]}
            self.state = replace(self.state, flags=flags)
        else:
            self._setting(word, number or 0)

    def _destination(self, word: str, *, starred: bool) -> bool:
        """Where the words of this group go, when this word decides it."""
        goes_to = self.state.goes_to
        if word in METADATA and goes_to == "unread":
            self.state = replace(self.state, goes_to=word)
        elif word in UNREAD:
            self.pictures += word == "pict"
            self.page.body.in_list |= word in ("listtext", "pntext")
            self.state = replace(self.state, goes_to="unread")
        elif goes_to == "unread" or goes_to in METADATA:
            return False
        elif word in ASIDE:
            self.state = replace(self.state, goes_to=word, flags=frozenset())
        elif starred:
            self.state = replace(self.state, goes_to="unread")
        else:
            return False
        return True

    def _structure(self, word: str, number: int | None) -> bool:
        page, body = self.page, self.page.body
        if word in ("par", "sect", "page"):
            page.end_paragraph()
        elif word == "pard":
            body.reset()
        elif word == "outlinelevel":
            body.level = max(number or 0, 0) + 1
        elif word == "s":
            body.style = number
        elif word == "intbl":
            body.in_table = True
        elif word == "cell":
            page.end_cell()
        elif word == "row":
            page.end_row()
        else:
            return False
        return True

    def _setting(self, word: str, number: int) -> None:
        """What holds for the group; in the tables at the head, what fonts and styles mean."""
        if word == "ansicpg":
            self.state = replace(self.state, codec=code_page(number))
        elif word == "f":
            self.state = replace(self.state, font=number)
        elif word == "fcharset":
            self.fonts[self.state.font] = CODE_PAGES.get(number, self.state.codec)
        elif word == "uc":
            self.state = replace(self.state, skips=max(number, 0))
        elif word == "plain":
            self.state = replace(self.state, flags=self.state.flags & {"deleted"})
        elif word == "par":
            self._say("\n")
        else:
            self._told_of_itself(word, number)

    def _told_of_itself(self, word: str, number: int) -> None:
        """The style sheet says which styles are headings, the information when the file was made."""
        goes_to = self.state.goes_to
        if goes_to == "unread" and word == "s":
            self.style = number
        elif goes_to == "unread" and word == "outlinelevel":
            self.page.headings[self.style] = max(number, 0) + 1
        elif goes_to in METADATA and word in ("yr", "mo", "dy"):
            self.stamps[goes_to].append(number)


def parse_rtf(content: bytes, name: str) -> Document:
    """Places are sections; notes stand behind the paragraph they hang on."""
    if content.rstrip(b"\x00 \r\n\t")[-1:] != b"}":
        raise damaged("it ends before its last group does")
    walk = _Walk()
    walk.run(content.decode("latin-1"))
    stamps = (("modified", walk.stamps["revtim"]), ("created", walk.stamps["creatim"]))
    return assembled(
        walk.page.out,
        source_type="rtf",
        media_type="application/rtf",
        title=storable(" ".join(walk.title.split())) or walk.page.title,
        dates=of_package((said, _day(found)) for said, found in stamps),
        paragraphs=walk.page.paragraphs,
        warnings=_pictures(walk.pictures),
    )


def _day(found: list[int]) -> str:
    return "-".join((f"{found[0]:04}", f"{found[1]:02}", f"{found[2]:02}")) if len(found) > 2 else ""


def _pictures(count: int) -> tuple[ParseWarning, ...]:
    if not count:
        return ()
    told = "A picture in it was not read." if count == 1 else f"{count} pictures in it were not read."
    return (ParseWarning("pictures_not_read", told, "", "Load what they show as text if it matters."),)
