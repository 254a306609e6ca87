"""Every value stated for one attribute, by the day it is about, with the rulings that fell on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from console.pages.show.conflicts import RulingView, ruling_view
from console.pages.show.labels import SupportLabel, Tag, status_tag, support_label
from console.pages.show.statements import Link
from console.pages.show.text import visible_line
from console.pages.show.times import day
from knowledge.records import Conflict, Statement

UNDATED = "9999"


@dataclass(frozen=True, slots=True)
class Mark:
    """A conflict a value stands in; ``ruling`` is None while it is open."""

    url: str
    ruling: RulingView | None


@dataclass(frozen=True, slots=True)
class Value:
    """``when`` is empty where no source says when it holds."""

    when: str
    machine: str
    value: str
    text: str
    url: str
    status: Tag
    status_key: str
    support: SupportLabel
    successor: Link | None
    sources: tuple[str, ...]
    marks: tuple[Mark, ...]


def timeline(statements: Sequence[Statement], conflicts: Mapping[str, Conflict], slug: str) -> list[Value]:
    """Oldest first; values without a day stand last."""
    ordered = sorted(statements, key=lambda each: (each.effective_date or UNDATED, each.id))
    return [_value(each, conflicts, slug) for each in ordered]


def _value(each: Statement, conflicts: Mapping[str, Conflict], slug: str) -> Value:
    successor = each.superseded_by
    return Value(
        when=day(each.effective_date),
        machine=each.effective_date,
        value=visible_line(each.attribute_value),
        text=visible_line(each.text),
        url=reverse("statement", args=[slug, each.id]),
        status=status_tag(each.status),
        status_key=each.status.value,
        support=support_label(each.support),
        successor=Link(successor, reverse("statement", args=[slug, successor])) if successor else None,
        sources=tuple(dict.fromkeys(visible_line(one.source_name or one.source_path) for one in each.evidence)),
        marks=tuple(_mark(known, conflicts.get(known), slug) for known in each.conflict_ids),
    )


def _mark(conflict_id: str, conflict: Conflict | None, slug: str) -> Mark:
    return Mark(reverse("conflict", args=[slug, conflict_id]), ruling_view(conflict) if conflict else None)
