"""What a DOCX paragraph's style says: title, heading of some depth, list item."""

import re
from dataclasses import dataclass

from lxml import etree

from forager.parsing.docxruns import W, attribute
from forager.parsing.package import Package

HEADING = re.compile(r"heading\s*(\d)$|^(\d)$", re.IGNORECASE)
BASE_STEPS = 10


@dataclass(frozen=True, slots=True)
class Styles:
    """``names`` by style id in lower case, ``levels`` outline depth from 1, ``based_on`` the parent style."""

    names: dict[str, str]
    levels: dict[str, int]
    listed: frozenset[str]
    based_on: dict[str, str]

    @classmethod
    def of(cls, package: Package) -> "Styles":
        names: dict[str, str] = {}
        levels: dict[str, int] = {}
        listed: set[str] = set()
        based_on: dict[str, str] = {}
        root = package.xml("word/styles.xml")
        for style in root.findall(f"{W}style") if root is not None else ():
            key = attribute(style, "styleId")
            names[key] = _value(style, "name").lower()
            based_on[key] = _value(style, "basedOn")
            outline = style.find(f"{W}pPr/{W}outlineLvl")
            if outline is not None and attribute(outline, "val").isdigit():
                levels[key] = int(attribute(outline, "val")) + 1
            if style.find(f"{W}pPr/{W}numPr") is not None:
                listed.add(key)
        return cls(names, levels, frozenset(listed), based_on)

    def heading_level(self, paragraph: etree._Element) -> int | None:
        """0 for the title, 1 to 9 for headings, None for anything else."""
        outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
        if outline is not None and attribute(outline, "val").isdigit():
            level = int(attribute(outline, "val")) + 1
            return level if level <= 9 else None
        for key in self._chain(paragraph):
            found = self._level_of(key)
            if found is not None:
                return found
        return None

    def is_list_item(self, paragraph: etree._Element) -> bool:
        number = paragraph.find(f"{W}pPr/{W}numPr/{W}numId")
        if number is not None:
            return attribute(number, "val") != "0"
        chain = self._chain(paragraph)
        return any(key in self.listed or self.names.get(key, key.lower()).startswith("list") for key in chain)

    def _level_of(self, key: str) -> int | None:
        name = self.names.get(key, key.lower())
        if name == "title":
            return 0
        match = HEADING.match(name) or HEADING.match(key)
        if match:
            return int(match[1] or match[2])
        level = self.levels.get(key)
        return level if level is not None and level <= 9 else None

    def _chain(self, paragraph: etree._Element) -> list[str]:
        """The paragraph's style and those it is based on."""
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        key = attribute(style, "val") if style is not None else ""
        chain: list[str] = []
        while key and key not in chain and len(chain) < BASE_STEPS:
            chain.append(key)
            key = self.based_on.get(key, "")
        return chain


def _value(style: etree._Element, name: str) -> str:
    element = style.find(f"{W}{name}")
    return attribute(element, "val") if element is not None else ""
