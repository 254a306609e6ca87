"""All that a page about one source, or about one statement, needs: one request each."""

from collections.abc import Iterable

from django.db.models import F, Window
from django.db.models.functions import Length, RowNumber

from forager.api import conflict_shapes, documents, history, items, sources
from forager.api.access import Caller, Scope
from forager.api.conflicts import event_shape
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound
from forager.api.narrowed import where_of
from forager.api.shapes import briefs as shapes
from forager.api.shapes import knowledge, queue
from forager.api.shapes.documents import Text
from forager.api.shapes.requests import Facets
from forager.api.statements import faceted, visible_item
from forager.model.models import KnowledgeBase, ReviewEvent, Source, SourceText
from forager.review import passages
from forager.search import narrowing

MOST_ITEMS = 200
LONGEST_TEXT = 4_000_000
"""Code points: a longer text, each of them six bytes in JSON, would make an answer no client takes whole."""
AROUND = 160
MOST_TEXTS = 100
TRAIL = 20


@endpoint("GET", "/sources/<source>/brief", Scope.READ, query=shapes.SourceBriefQuery, answer=shapes.SourceBrief)
def get_source_brief(call: Call[shapes.SourceBriefQuery, None], source: str) -> shapes.SourceBrief:
    """All a page about a source needs: its text, what rests on it, its document, and what changed in this version."""
    row = sources.source_at(call, source)
    base = call.base(row.base_id)
    document = documents.shape(row.document)
    is_readable = _is_readable(call.caller, row)
    has_versions = is_readable and len(document["versions"]) > 1
    listed, is_more = _items(base, row, call.query)
    return {
        "project_id": base.pk,
        "source": sources.shape(row),
        "document": document,
        "text": _text(row) if is_readable else None,
        "items": listed,
        "truncated": is_more,
        "changes": documents.changes_shape(row) if has_versions else None,
        "view_id": base.view_id,
    }


@endpoint("GET", "/knowledge/<item>/grounds", Scope.READ, answer=shapes.Grounds)
def get_grounds(call: Call[None, None], item: str) -> shapes.Grounds:
    """What carries a statement, to be taken away: its texts, its versions, its disagreements and their rulings."""
    base, row = visible_item(call, item)
    told = items.present(base, [row], items.EXPANSIONS)[0]
    return {
        "project_id": base.pk,
        "item": told,
        "texts": _texts(call.caller, {each["source_id"] for each in told["evidence"]}),
        "versions": history.versions(base, row),
        "disputes": _disputes(base, told["conflict_ids"]),
        "view_id": base.view_id,
    }


@endpoint("GET", "/knowledge/<item>/brief", Scope.READ, answer=shapes.ItemBrief)
def get_item_brief(call: Call[None, None], item: str) -> shapes.ItemBrief:
    """All a page about a statement needs: the statement whole, and its excerpts in context."""
    base, row = visible_item(call, item)
    told = items.present(base, [row], items.EXPANSIONS)[0]
    return {"project_id": base.pk, "item": told, "passages": _passages(told), "view_id": base.view_id}


def _is_readable(caller: Caller, row: Source) -> bool:
    try:
        documents.readable(caller, row)
    except NotFound:
        return False
    return True


def _text(row: Source) -> Text | None:
    length = SourceText.objects.filter(source=row).values_list(Length("text"), flat=True).first() or 0
    if length > LONGEST_TEXT:
        return None
    return sources.text_shape(row.pk, SourceText.objects.filter(source=row).first())


def _items(base: KnowledgeBase, row: Source, query: shapes.SourceBriefQuery) -> tuple[list[knowledge.Item], bool]:
    asked: Facets = {"source": row.pk}
    if "band" in query:
        asked["band"] = query["band"]
    where = where_of(base, asked)
    found = list(narrowing.queryset(faceted(where)).order_by("item_id")[: MOST_ITEMS + 1])
    return items.present(base, found[:MOST_ITEMS], items.EXPANSIONS), len(found) > MOST_ITEMS


def _passages(told: knowledge.Item) -> list[queue.Passage]:
    return [
        {"evidence_id": p.evidence_id, "before": p.before, "after": p.after, "state": p.state}
        for p in passages.around(told["evidence"], width=AROUND)
    ]


def _texts(caller: Caller, ids: Iterable[str]) -> list[Text]:
    """In the order of their ids, as many as one answer holds."""
    rows = Source.objects.filter(pk__in=list(ids)).select_related("document").order_by("pk")
    readable = [row.pk for row in rows if _is_readable(caller, row)]
    told = SourceText.objects.filter(source__in=readable).order_by("source")
    chosen, left = list[str](), LONGEST_TEXT
    for source, length in told.values_list("source", Length("text"))[:MOST_TEXTS]:
        left -= length
        if left >= 0:
            chosen.append(source)
    return [
        sources.text_shape(each.pk, each) for each in SourceText.objects.filter(source__in=chosen).order_by("source")
    ]


def _disputes(base: KnowledgeBase, ids: list[str]) -> list[shapes.Dispute]:
    """In a fixed number of queries."""
    latest = Window(RowNumber(), partition_by=F("target_id"), order_by=("-at", "-id"))
    trail = ReviewEvent.objects.filter(base=base, target_id__in=ids).annotate(nth=latest).filter(nth__lte=TRAIL)
    events = [event_shape(each) for each in trail.order_by("-at", "-id")]
    return [
        {"conflict": told, "rulings": [each for each in events if each["target_id"] == told["id"]]}
        for told in conflict_shapes.many(base, ids)
    ]
