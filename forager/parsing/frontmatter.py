"""YAML front matter at the head of a text: its fields as metadata, its lines as key-value blocks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import yaml

from forager.parsing.document import Block, BlockKind, Cell, ParseWarning

FENCED = re.compile(
    r"\A\ufeff?---[ \t]*(?:\r\n|\r|\n)(?P<body>.*?)^(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)", re.DOTALL | re.MULTILINE
)
FIELD = re.compile(r"^(?P<key>[^\W][\w .-]{0,60}?)[ \t]*:[ \t]+(?P<value>[^\r\n]*?)[ \t]*(?=\r|\n|\Z)", re.MULTILINE)
SIZE_LIMIT = 32_000
NOT_A_VALUE = re.compile(r"[|>&*!{%@#]|\[\s*$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``end`` is the offset after the closing fence, ``lines`` the number of lines up to it."""

    end: int = 0
    lines: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    warnings: tuple[ParseWarning, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """An empty result when there is none; a warning when there is one that YAML cannot read."""
    match = FENCED.match(text)
    if match is None or len(match["body"]) > SIZE_LIMIT:
        return FrontMatter()
    lines = len(re.findall(r"\r\n|\r|\n", match[0]))
    try:
        loaded = yaml.safe_load(match["body"])
    except (yaml.YAMLError, ValueError, RecursionError):
        message = "The front matter is not valid YAML; its fields were not read."
        warning = ParseWarning("front_matter_unreadable", message, "Front matter", "Correct the front matter.")
        return FrontMatter(match.end(), lines, warnings=(warning,))
    if not isinstance(loaded, dict):
        return FrontMatter() if loaded is not None else FrontMatter(match.end(), lines)
    metadata = {str(key).lower(): words for key, value in loaded.items() if (words := _words(value))}
    return FrontMatter(match.end(), lines, metadata, _blocks(match, metadata))


def _words(value: object) -> str:
    """Scalars, dates and flat lists in words; nested values are left to the text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | date):
        return str(value).strip()
    if isinstance(value, list):
        return ", ".join(str(item) for item in value[:100] if isinstance(item, str | int | float | date))
    return ""


def _blocks(match: re.Match[str], metadata: Mapping[str, str]) -> tuple[Block, ...]:
    blocks = []
    begin = match.start("body")
    for found in FIELD.finditer(match["body"]):
        if found["key"].lower() not in metadata or not found["value"] or NOT_A_VALUE.match(found["value"]):
            continue
        start, end = _unquoted(match["body"], found.start("value"), found.end("value"))
        cell = Cell(found["key"], begin + start, begin + end)
        blocks.append(
            Block(
                start=begin + found.start(),
                end=begin + found.end(),
                kind=BlockKind.KEY_VALUE,
                location="Front matter",
                locator={"kind": "section", "section": "Front matter", "field": found["key"]},
                cells=(cell,),
            )
        )
    return tuple(blocks)


def _unquoted(body: str, start: int, end: int) -> tuple[int, int]:
    quoted = end - start >= 2 and body[start] == body[end - 1] and body[start] in "\"'"
    return (start + 1, end - 1) if quoted else (start, end)
