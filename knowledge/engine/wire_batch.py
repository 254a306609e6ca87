"""Wire to records: the batch read of whole statements, with what contests them where the engine tells."""

from collections.abc import Sequence

from knowledge.engine.wire import Row, read_page
from knowledge.engine.wire_statements import read_conflict, read_entity, read_statement
from knowledge.records import Batch, Page, Statement


def read_batch(value: object) -> Page[Statement]:
    """A ``Batch`` when the answer has a list of conflicts, else a plain page."""
    page = read_page(value, "knowledge", read_statement)
    row = Row(value, "knowledge")
    if "conflicts" not in row:
        return page
    return Batch(
        items=page.items,
        next_cursor=page.next_cursor,
        total=page.total,
        view_id=page.view_id,
        conflicts=tuple(read_conflict(conflict) for conflict in row.rows("conflicts")),
        related=tuple(read_entity(entity) for entity in row.maybe_rows("entities")),
        successors=tuple(read_statement(each) for each in row.maybe_rows("successors")),
    )


def joined(pages: Sequence[Page[Statement]], ids: Sequence[str]) -> Page[Statement]:
    """The pages of one reading as one, statements in the order of ``ids``; pages of two views have none."""
    found = {statement.id: statement for page in pages for statement in page.items}
    items = tuple(found[key] for key in ids if key in found)
    views = {page.view_id for page in pages}
    view = views.pop() if len(views) == 1 else ""
    batches = [page for page in pages if isinstance(page, Batch)]
    if not pages or len(batches) < len(pages):
        return Page(items, None, None, view)
    conflicts = {conflict.id: conflict for batch in batches for conflict in batch.conflicts}
    related = {entity.id: entity for batch in batches for entity in batch.related}
    later = {each.id: each for batch in batches for each in batch.successors}
    return Batch(items, None, None, view, tuple(conflicts.values()), tuple(related.values()), tuple(later.values()))
