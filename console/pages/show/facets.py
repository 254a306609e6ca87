"""Facets as a page shows them: what may be chosen with how often it is shown, what is chosen, and the time in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext

from console.pages.asked import BANDS, FACETS, STATES, SUPPORTS, Ask, day_of
from console.pages.show.labels import status_tag, support_label
from console.pages.show.text import visible_line
from console.pages.show.times import day
from console.wording import gettext_lazy as _
from knowledge.records import Statement
from knowledge.vocabulary import Status, Support

MOST = 8
"""Entities and sources listed; the others are a search away."""
NAMES = {
    "support": _("Support"),
    "status": _("State"),
    "kind": _("Kind"),
    "entity": _("Entity"),
    "source": _("Source"),
    "band": _("Band"),
}
BAND_WORDS = {"tenant": _("Tenant: identifies a customer"), "general": _("General")}


@dataclass(frozen=True, slots=True)
class Choice:
    """``url`` chooses it, or takes it back where it is ``current``; ``count`` is empty when none is shown."""

    words: str
    url: str
    count: str
    current: bool
    moon: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Something that narrows, and the address without it."""

    name: str
    words: str
    url: str


def facet_groups(ask: Ask, shown: Sequence[Statement]) -> tuple[Group, ...]:
    """Every facet with its values; counts are of the statements ``shown``, nothing else was counted."""
    counts = _counts(shown)
    names = _names(shown)
    groups = (Group(NAMES[facet], _choices(ask, facet, counts[facet], names)) for facet in FACETS)
    return tuple(group for group in groups if group.choices)


def chosen(ask: Ask, shown: Sequence[Statement]) -> tuple[Chosen, ...]:
    """What narrows now, each to be taken back alone."""
    names, wrong = _names(shown), ask.errors
    facets = [
        Chosen(NAMES[facet], _words(facet, getattr(ask, facet), names), ask.query(**{facet: ""}))
        for facet in FACETS
        if getattr(ask, facet)
    ]
    days = [
        Chosen(words, day(getattr(ask, name)), ask.query(**{name: ""}))
        for name, words in (("as_of", gettext("Held on")), ("known_at", gettext("Known by")))
        if getattr(ask, name) and name not in wrong
    ]
    return (*facets, *days)


def time_words(ask: Ask) -> str:
    """Which time the statements shown are of, in a sentence."""
    as_of, known = day_of(ask, "as_of"), day_of(ask, "known_at")
    is_past = as_of is not None and as_of < timezone.localdate()
    days = {"as_of": day(ask.as_of), "known_at": day(ask.known_at)}
    if as_of and known:
        held = gettext("Showing what held on {as_of}, as this base knew it at the end of {known_at}.")
        holds = gettext("Showing what holds on {as_of}, as this base knew it at the end of {known_at}.")
        return (held if is_past else holds).format(**days)
    if as_of:
        held = gettext("Showing what held on {as_of}, as this base knows it now.")
        return (held if is_past else gettext("Showing what holds on {as_of}, as this base knows it now.")).format(
            **days
        )
    if known:
        return gettext("Showing what this base knew at the end of {known_at}.").format(known_at=day(ask.known_at))
    if ask.historical:
        return gettext("Showing what holds now and what no longer does.")
    if not ask.q:
        return gettext("Without a question all is shown, what no longer holds, too.")
    return gettext("Showing what holds now.")


def kept_words(filters: Mapping[str, str]) -> str:
    """What a kept search is narrowed by, after its own words."""
    ask = Ask.of(filters)
    told = [gettext("with what no longer holds")] if ask.historical else []
    told += [f"{each.name.lower()} {_lower(each.words)}" for each in chosen(ask, ())]
    return ", ".join(told)


def _lower(words: str) -> str:
    return words if words[:1].isdigit() else f"{words[:1].lower()}{words[1:]}"


def _counts(shown: Sequence[Statement]) -> dict[str, Counter[str]]:
    return {
        "support": Counter(each.support.value for each in shown),
        "status": Counter(each.status.value for each in shown),
        "kind": Counter(each.type for each in shown if each.type),
        "entity": Counter(one.id for each in shown for one in each.entities),
        "source": Counter(one for each in shown for one in {e.source_id for e in each.evidence if not e.missing}),
        "band": Counter(each.band.value for each in shown),
    }


def _names(shown: Sequence[Statement]) -> dict[str, str]:
    """Entities and sources by id, as the statements shown call them."""
    names = {one.id: visible_line(one.name) for each in shown for one in each.entities}
    return names | {e.source_id: visible_line(e.source_name or e.source_path) for each in shown for e in each.evidence}


def _choices(ask: Ask, facet: str, counts: Counter[str], names: Mapping[str, str]) -> tuple[Choice, ...]:
    current = getattr(ask, facet)
    return tuple(
        Choice(
            _words(facet, value, names),
            ask.query(**{facet: "" if value == current else value}),
            f"{counts[value]:,}" if counts[value] else "",
            value == current,
            f"moon-{support_label(Support.read(value)).key}" if facet == "support" else "",
        )
        for value in _values(facet, counts, current)
    )


def _values(facet: str, counts: Counter[str], current: str) -> list[str]:
    """The whole vocabulary where there is one, else what the statements shown have, most first."""
    fixed = {"support": SUPPORTS, "status": STATES, "band": BANDS}.get(facet)
    if fixed is not None:
        return [each.value for each in fixed]
    listed = sorted(counts, key=lambda value: (-counts[value], value))[:MOST]
    return listed if not current or current in listed else [current, *listed]


def _words(facet: str, value: str, names: Mapping[str, str]) -> str:
    if facet == "support":
        return support_label(Support.read(value)).words
    if facet == "status":
        return status_tag(Status.read(value)).words
    if facet == "band":
        return BAND_WORDS[value]
    if facet == "kind":
        return value.replace("_", " ").capitalize()
    return names.get(value, visible_line(value))
