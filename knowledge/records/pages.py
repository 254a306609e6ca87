"""One page of a list, as every list comes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page[T]:
    """One page of a list in the engine's stable order."""

    items: tuple[T, ...]
    next_cursor: str | None
    total: int | None
    view_id: str = ""
