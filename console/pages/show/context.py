"""The rendered context line by line, with weights for a person; the bytes themselves stay untouched."""

import re
from dataclasses import dataclass

_HEADING = re.compile(r"[A-Z][A-Z ]{3,}$")


@dataclass(frozen=True, slots=True)
class ContextLine:
    indent: str
    text: str
    kind: str


def context_lines(text: str) -> list[ContextLine]:
    return [
        ContextLine(line[: len(line) - len(line.lstrip(" "))], line.lstrip(" "), _kind(line))
        for line in text.split("\n")
    ]


def _kind(line: str) -> str:
    if line.startswith("CONFLICTS DETECTED"):
        return "conflict"
    if _HEADING.match(line):
        return "heading"
    return "quote" if line.startswith('      "') else ""
