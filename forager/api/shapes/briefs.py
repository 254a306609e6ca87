"""What one page about a source or a statement needs, in one answer."""

from typing import NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from forager.api.shapes.documents import Changes, Document, Source, Text
from forager.api.shapes.knowledge import CheckedReference, Item, PastVersion
from forager.api.shapes.queue import Passage
from forager.api.shapes.requests import STRICT, Band
from forager.api.shapes.review import Conflict, ReviewEvent


@with_config(STRICT)
class SourceBriefQuery(TypedDict):
    """``band`` narrows the statements."""

    band: NotRequired[Band]


class SourceBrief(TypedDict):
    """``text`` is null where it is withheld, or over 4,000,000 code points long: its own route answers either way.

    ``items`` are the first 200 statements that rest on the source; ``changes`` is null while there is one version.
    """

    project_id: str
    source: Source
    document: Document
    text: Text | None
    items: list[Item]
    truncated: bool
    changes: Changes | None
    view_id: str


class ItemBrief(TypedDict):
    """``passages`` hold the first 100 excerpts of the statement in their surroundings."""

    project_id: str
    item: Item
    passages: list[Passage]
    view_id: str


class Dispute(TypedDict):
    """``rulings`` are what was decided on it, newest first, the last 20."""

    conflict: Conflict
    rulings: list[ReviewEvent]


class Grounds(TypedDict):
    """``texts`` are those the excerpts stand in, by source, while they fit together; each has a route of its own."""

    project_id: str
    item: Item
    texts: list[Text]
    versions: list[PastVersion]
    disputes: list[Dispute]
    view_id: str


class Standing(TypedDict):
    """``items`` are the references in the order asked; ``successors`` took the place of some of ``knowledge``.

    ``sources`` are those the references name and the base knows, with the states of their documents.
    """

    items: list[CheckedReference]
    knowledge: list[Item]
    successors: list[Item]
    sources: list[Source]
    view_id: str
