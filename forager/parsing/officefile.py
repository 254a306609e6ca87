"""What the word processors' formats share: from a filled builder to the document."""

from forager.parsing.builder import TextBuilder
from forager.parsing.dates import stated_near_top
from forager.parsing.document import Document, Ledger, Locator, ParseWarning
from forager.parsing.placing import in_order, merged
from forager.parsing.text import invisible_warning

BODY_PLACE: tuple[str, Locator] = ("Document body", {"kind": "part", "part": "body"})
NEAR_TOP = 4000


def assembled(
    out: TextBuilder,
    *,
    source_type: str,
    media_type: str,
    title: str,
    dates: tuple[str, str],
    paragraphs: int,
    warnings: tuple[ParseWarning, ...] = (),
) -> Document:
    """``dates`` is what the file's own metadata says; a date its words state near the top comes first."""
    text = out.text
    stated = stated_near_top(text[:NEAR_TOP].splitlines())
    date, date_from = stated if stated[0] else dates
    return Document(
        text=text,
        blocks=in_order(out.blocks, len(text)),
        source_type=source_type,
        media_type=media_type,
        title=title,
        encoding="utf-8",
        document_date=date,
        document_date_from=date_from,
        excluded=merged(out.excluded, len(text)),
        warnings=(*warnings, *invisible_warning(text)),
        ledger=Ledger("paragraph", paragraphs, paragraphs),
    )
