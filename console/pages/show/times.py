"""Times and sizes in words."""

import datetime as dt
from dataclasses import dataclass

from django.utils import timezone


@dataclass(frozen=True, slots=True)
class Moment:
    """A time for a person and for a machine: ``27 Feb 09:44``; empty when there is none."""

    words: str
    machine: str

    def __bool__(self) -> bool:
        return bool(self.machine)


NEVER = Moment("", "")


def moment(value: dt.datetime | None) -> Moment:
    if value is None:
        return NEVER
    local = timezone.localtime(value)
    now = timezone.localtime()
    if local.date() == now.date():
        return Moment(f"today {local:%H:%M:%S}", value.isoformat())
    year = "" if local.year == now.year else f" {local.year}"
    return Moment(f"{local.day} {local:%b}{year} {local:%H:%M}", value.isoformat())


def day(value: str) -> str:
    """An ISO date as ``12 Jan 2026``; anything else as it is."""
    try:
        read = dt.date.fromisoformat(value[:10])
    except ValueError:
        return value
    return f"{read.day} {read:%b %Y}"


def size(number: int) -> str:
    """``812 bytes``, ``1.4 MB``."""
    if number < 1000:
        return f"{number} bytes"
    value = float(number)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"
