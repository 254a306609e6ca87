"""The words of a spreadsheet cell: shared and inline strings, numbers as stored, dates by their format."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from lxml import etree

from forager.parsing.encoding import storable
from forager.parsing.package import Package

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REFERENCE = re.compile(r"([A-Z]{1,3})\d+$")
DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Number formats that are built in and show a date or a time."""
DATE_MARKS = re.compile(r"[ymdhs]", re.IGNORECASE)
NO_MARKS = re.compile(r"\"[^\"]*\"|\[[^\]]*\]|\\.")
DAY_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001 - a serial day has no zone
DAY_ZERO_1904 = datetime(1904, 1, 1)  # noqa: DTZ001


@dataclass
class CellReader:
    """``strings`` are the workbook's shared ones, ``dates`` the styles that show a date."""

    strings: list[str]
    dates: frozenset[int]
    day_zero: datetime
    uncomputed: int = field(default=0)

    @classmethod
    def of(cls, package: Package) -> "CellReader":
        shared = package.xml("xl/sharedStrings.xml")
        strings = [_string(item) for item in shared.iterchildren(f"{MAIN}si")] if shared is not None else []
        workbook = package.xml("xl/workbook.xml")
        properties = workbook.find(f"{MAIN}workbookPr") if workbook is not None else None
        starts_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        return cls(strings, _date_styles(package), DAY_ZERO_1904 if starts_1904 else DAY_ZERO)

    def words(self, cell: etree._Element) -> str:
        """What stands in the cell; nothing is computed, and a formula without stored result is counted."""
        kind = str(cell.get("t") or "n")
        if kind == "inlineStr":
            return _string(cell)
        value = (cell.findtext(f"{MAIN}v") or "").strip()
        if not value:
            self.uncomputed += cell.find(f"{MAIN}f") is not None
            return ""
        if kind == "s":
            return self.strings[int(value)] if value.isdecimal() and int(value) < len(self.strings) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, "")
        if kind == "n" and self._is_date(cell):
            return self._date(value)
        return _tidy(_plain_number(value) if kind == "n" else value)

    def _is_date(self, cell: etree._Element) -> bool:
        style = str(cell.get("s") or "")
        return style.isdecimal() and int(style) in self.dates

    def _date(self, value: str) -> str:
        try:
            found = self.day_zero + timedelta(days=float(value))
        except (ValueError, OverflowError):
            return value
        rounded = (found + timedelta(milliseconds=500)).replace(microsecond=0)
        return f"{rounded:%Y-%m-%d}" if (rounded.hour, rounded.minute, rounded.second) == (0, 0, 0) else str(rounded)


def column_of(reference: str, following: int) -> int:
    """The column from 0 of a reference like ``AB12``; the one after the last when there is none."""
    match = REFERENCE.match(reference)
    if match is None:
        return following
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _plain_number(value: str) -> str:
    """Binary noise of a stored number is not shown: 0.30000000000000004 stands for 0.3."""
    try:
        return f"{float(value):.15g}" if len(value) > 15 and "." in value else value
    except ValueError:
        return value


def _string(item: etree._Element) -> str:
    """Runs of text joined; readings for pronunciation are left out."""
    spoken = {id(text) for reading in item.iter(f"{MAIN}rPh") for text in reading.iter(f"{MAIN}t")}
    return _tidy("".join(text.text or "" for text in item.iter(f"{MAIN}t") if id(text) not in spoken))


def _tidy(words: str) -> str:
    return " ".join(storable(words).split())


def _date_styles(package: Package) -> frozenset[int]:
    root = package.xml("xl/styles.xml")
    if root is None:
        return frozenset()
    own = {str(f.get("numFmtId")): str(f.get("formatCode") or "") for f in root.iter(f"{MAIN}numFmt")}
    found = set()
    formats = root.find(f"{MAIN}cellXfs")
    for index, style in enumerate(formats if formats is not None else ()):
        key = str(style.get("numFmtId") or "0")
        code = NO_MARKS.sub("", own.get(key, ""))
        if (key.isdecimal() and int(key) in DATE_FORMATS) or (key in own and DATE_MARKS.search(code)):
            found.add(index)
    return frozenset(found)
