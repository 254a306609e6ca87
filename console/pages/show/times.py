"""Times and sizes in words."""

import datetime as dt
from dataclasses import dataclass

from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.translation import gettext


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
        return Moment(gettext("today {time:%H:%M:%S}").format(time=local), value.isoformat())
    return Moment(date_format(local, "j M H:i" if local.year == now.year else "j M Y H:i"), value.isoformat())


def day(value: str) -> str:
    """An ISO date as ``12 Jan 2026``; anything else as it is."""
    try:
        read = dt.date.fromisoformat(value[:10])
    except ValueError:
        return value
    return date_format(read, "j M Y")


def size(number: int) -> str:
    """``812 bytes``, ``1.4 MB``."""
    if number < 1000:
        return gettext("{number} bytes").format(number=number)
    value = float(number)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"
