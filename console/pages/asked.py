"""What the Knowledge page is asked, as its address holds it: a question, facets, and the time it is about."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from django.utils import timezone

from console.wording import gettext_lazy as _
from knowledge.provider import Facets, StatementFilter
from knowledge.vocabulary import Band, Status, Support

MAX_QUERY = 500
LONGEST_NAME = 300
PAGE_SIZE = 25
SUPPORTS = tuple(each for each in Support if each is not Support.UNKNOWN)
STATES = tuple(each for each in Status if each not in (Status.UNKNOWN, Status.WITHHELD))
BANDS = tuple(Band)
FACETS = ("support", "status", "kind", "entity", "source", "band")
FIELDS = (*FACETS, "historical", "as_of", "known_at")
"""What narrows a question; a kept search keeps these beside its words."""
NO_DAY = _("Write a day as 2026-03-09.")
NOT_YET = _("That day lies ahead: nothing is known as of it. Choose today or a day before.")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_KIND = re.compile(r"[a-z_]{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ask:
    """``as_of`` and ``known_at`` are days as they were typed; ``errors`` says what is wrong with them."""

    q: str = ""
    support: str = ""
    status: str = ""
    kind: str = ""
    entity: str = ""
    source: str = ""
    band: str = ""
    historical: str = ""
    as_of: str = ""
    known_at: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Self:
        """What cannot be meant is taken as not asked, but a day is never guessed at."""

        def one_of(name: str, known: tuple[str, ...]) -> str:
            return asked.get(name, "") if asked.get(name, "") in known else ""

        return cls(
            q=" ".join(asked.get("q", "").split())[:MAX_QUERY],
            support=one_of("support", SUPPORTS),
            status=one_of("status", STATES),
            kind=asked.get("kind", "") if _KIND.fullmatch(asked.get("kind", "")) else "",
            entity=asked.get("entity", "").strip()[:LONGEST_NAME],
            source=asked.get("source", "").strip()[:LONGEST_NAME],
            band=one_of("band", BANDS),
            historical=one_of("historical", ("on",)),
            as_of=asked.get("as_of", "").strip()[:40],
            known_at=asked.get("known_at", "").strip()[:40],
            cursor=asked.get("cursor", ""),
        )

    @property
    def errors(self) -> dict[str, str]:
        """By field, with the way out."""
        found = {name: NO_DAY for name in ("as_of", "known_at") if getattr(self, name) and not day_of(self, name)}
        known = day_of(self, "known_at")
        return found | {"known_at": NOT_YET} if known and known > timezone.localdate() else found

    @property
    def facets(self) -> Facets:
        return Facets(
            support=self.support,
            status=self.status,
            type=self.kind,
            entity=self.entity,
            source=self.source,
            band=self.band,
        )

    @property
    def known_moment(self) -> str:
        """The end of the day the base is asked as of, in the console's time zone; empty for now."""
        known = day_of(self, "known_at")
        if known is None:
            return ""
        return dt.datetime.combine(known, dt.time.max, timezone.get_current_timezone()).isoformat()

    @property
    def where(self) -> StatementFilter:
        """The list of statements, for an ask without a question."""
        return StatementFilter(
            support=self.support,
            status=self.status,
            type=self.kind,
            entity=self.entity,
            source=self.source,
            band=self.band,
            as_of=self.as_of,
            known_at=self.known_moment,
            cursor=self.cursor,
            page_size=PAGE_SIZE,
            whole=True,
        )

    @property
    def narrowed(self) -> bool:
        return any(getattr(self, name) for name in FACETS) or bool(self.as_of or self.known_at)

    def filters(self) -> dict[str, str]:
        """What narrows, by its name in the address; what is empty is left out, and so is a day that is none."""
        wrong = self.errors
        return {name: getattr(self, name) for name in FIELDS if getattr(self, name) and name not in wrong}

    def query(self, **changes: str) -> str:
        """The address of this ask with some of it changed, from its first page, with its ``?``."""
        told = {"q": self.q} | {name: getattr(self, name) for name in FIELDS} | changes
        return "?" + urlencode({name: value for name, value in told.items() if value})


def day_of(ask: Ask, name: str) -> dt.date | None:
    """The day in the field ``name``; None where there is none or it is no day."""
    text = getattr(ask, name)
    try:
        return dt.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
