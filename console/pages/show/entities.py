"""Entities as a page shows them."""

from dataclasses import dataclass

from django.urls import reverse

from console.pages.show.text import visible_line
from knowledge.records import Entity


@dataclass(frozen=True, slots=True)
class AliasView:
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class EntityRow:
    id: str
    name: str
    url: str
    kind: str
    aliases: tuple[AliasView, ...]
    mentions: str
    statements: str


def entity_row(entity: Entity, slug: str) -> EntityRow:
    return EntityRow(
        id=entity.id,
        name=visible_line(entity.name),
        url=reverse("entity", args=[slug, entity.id]),
        kind=entity.type.replace("_", " ").capitalize(),
        aliases=tuple(
            AliasView(visible_line(each.alias), visible_line(each.reason or each.kind.replace("_", " ")))
            for each in entity.aliases
        ),
        mentions=f"{entity.mention_count:,}",
        statements=f"{entity.statement_count:,}",
    )
