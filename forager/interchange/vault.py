"""The writing of a vault: names, links, anchors, quotes and properties that no text of a document can break."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

LONGEST_NAME, LONGEST_LABEL = 100, 160
_MARKS = re.compile(r"([\\`*_{}\[\]<>#^|~%$=])")
_FIRST = re.compile(r"^(\d*)([-+.)])(?=\s|[-+]|$)")
"""What would make a list or a rule of a line that begins with it."""
_LINES = re.compile(r"\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\\/:*?\"<>|#^\[\]%{}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


class Names:
    """Gives every thing a note of its own, told apart without regard to case, as file systems do."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = {name.casefold() for name in taken}

    def take(self, folder: str, wanted: str, key: str) -> str:
        """A path below ``folder`` without its ending; ``key`` tells apart what would have the same."""
        parts = [fit for part in wanted.split("/") if (fit := _fit(part))] if folder == "Sources" else [_fit(wanted)]
        name = "/".join([folder, *parts[-8:]]) if any(parts) else f"{folder}/{anchor(key)}"
        if name.casefold() in self._taken:
            name = f"{name} {anchor(key)}"
        self._taken.add(name.casefold())
        return name


def _fit(name: str) -> str:
    plain = unicodedata.normalize("NFC", _UNFIT.sub(" ", name))
    short = " ".join(plain.split())[:LONGEST_NAME].strip(" .")
    return f"{short} note" if _RESERVED.match(short) else short


def anchor(key: str) -> str:
    """A block's name: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")


def escaped(text: str) -> str:
    """One line in which no character is markup."""
    return _plain(" ".join(_LINES.sub(" ", text).split()))


def quoted(text: str) -> str:
    """The words as a block quote, line by line."""
    return "\n".join(f"> {_plain(line.strip())}".rstrip() for line in _LINES.split(text))


def _plain(line: str) -> str:
    return _FIRST.sub(r"\1\\\2", _MARKS.sub(r"\\\1", line))


def label(text: str) -> str:
    """What a link shows: no bracket or bar may stand in it."""
    plain = " ".join(re.sub(r"[\[\]|\\`<>]", " ", _LINES.sub(" ", text)).split())
    return plain if len(plain) <= LONGEST_LABEL else plain[: LONGEST_LABEL - 1].rstrip() + "…"


def link(target: str, shown: str) -> str:
    return f"[[{target}|{label(shown) or target}]]"


def note(properties: Mapping[str, object], title: str, parts: Iterable[str]) -> str:
    """Flat properties, written as JSON, which is YAML too; then the title and the parts."""
    front = "".join(f"{name}: {_property(value)}\n" for name, value in properties.items())
    head = f"---\n{front}---\n\n" if front else ""
    return "\n\n".join([f"{head}# {escaped(title)}", *parts]) + "\n"


def _property(value: object) -> str:
    """Other characters than plain ones are written by their number: YAML ends lines at more of them than JSON."""
    return json.dumps(value, ensure_ascii=True)
