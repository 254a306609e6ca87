"""Reading JSON whose shape we do not control: each field with its type, missing or ill-typed ones refused.

``MalformedWireError`` names the field and never its value.
"""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import cast

from knowledge.records import Page


class MalformedWireError(ValueError):
    """The engine's answer is not of the shape the contract gives. The message holds field names only."""


class Row:
    """One JSON object. ``words`` and ``number`` need their field; the ``maybe_`` forms read null or absence too."""

    __slots__ = ("_place", "_value")

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise MalformedWireError(f"{place} is not an object")
        self._value: Mapping[str, object] = value
        self._place = place

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def words(self, name: str) -> str:
        value = self._value.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def maybe_words(self, name: str) -> str:
        value = self._value.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def id(self, name: str = "id") -> str:
        value = self.words(name)
        if not value:
            raise self._wrong(name, "an id")
        return value

    def maybe_id(self, name: str) -> str | None:
        return None if self._value.get(name) is None else self.id(name)

    def number(self, name: str) -> int:
        value = self._value.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number")
        return value

    def maybe_number(self, name: str) -> int:
        return 0 if self._value.get(name) is None else self.number(name)

    def measure(self, name: str) -> float:
        value = self._value.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise self._wrong(name, "a number")
        return float(value)

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = self.measure(name)
        if not 0 <= value <= 1:
            raise self._wrong(name, "between 0 and 1")
        return value

    def flag(self, name: str) -> bool:
        value = self._value.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def maybe_flag(self, name: str) -> bool:
        return False if self._value.get(name) is None else self.flag(name)

    def raw(self, name: str) -> object:
        """The value as it came, for vocabulary readers that take anything."""
        return self._value.get(name)

    def moment(self, name: str) -> datetime | None:
        """An aware time in UTC; None when absent."""
        written = self.maybe_words(name)
        if not written:
            return None
        try:
            found = datetime.fromisoformat(written)
        except ValueError as error:
            raise self._wrong(name, "a time") from error
        if found.tzinfo is None:
            raise self._wrong(name, "a time with its zone")
        return found.astimezone(UTC)

    def row(self, name: str) -> "Row":
        return Row(self._value.get(name), f"{self._place}.{name}")

    def maybe_row(self, name: str) -> "Row | None":
        return None if self._value.get(name) is None else self.row(name)

    def items(self, name: str) -> list[object]:
        value = self._value.get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def maybe_items(self, name: str) -> list[object]:
        value = self._value.get(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value or []

    def rows(self, name: str) -> list["Row"]:
        return [Row(value, f"{self._place}.{name}[]") for value in self.items(name)]

    def maybe_rows(self, name: str) -> list["Row"]:
        return [Row(value, f"{self._place}.{name}[]") for value in self.maybe_items(name)]

    def words_list(self, name: str) -> tuple[str, ...]:
        found = self.maybe_items(name)
        for value in found:
            if not isinstance(value, str):
                raise self._wrong(name, "a list of text")
        return cast("tuple[str, ...]", tuple(found))

    def pairs(self, name: str) -> tuple[tuple[str, object], ...]:
        value = self._value.get(name)
        if value is None:
            return ()
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return tuple((str(key), inner) for key, inner in value.items())

    def counts(self, name: str) -> tuple[tuple[str, int], ...]:
        found = []
        for key, value in self.pairs(name):
            if not isinstance(value, int) or isinstance(value, bool):
                raise self._wrong(name, "an object of whole numbers")
            found.append((key, value))
        return tuple(found)

    def _wrong(self, name: str, expected: str) -> MalformedWireError:
        return MalformedWireError(f"{self._place}.{name} is not {expected}")


def read_page[T](value: object, place: str, read: Callable[[Row], T]) -> Page[T]:
    """One page of a list; any ill-typed row makes the whole page malformed, so that none is half-used."""
    row = Row(value, place)
    items = tuple(read(item) for item in row.rows("items"))
    total = row.number("total") if row.raw("total") is not None else None
    return Page(items, row.maybe_words("next_cursor") or None, total, row.maybe_words("view_id"))
