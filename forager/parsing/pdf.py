"""PDF: the text of each page, wrapped lines put together, running headers kept once, invisible text excluded."""

import re
from datetime import date

import pypdfium2
import pypdfium2.raw as pdfium

from forager.parsing.dates import of_metadata, stated_near_top
from forager.parsing.document import Document, Ledger, ParseWarning, UnreadableDocumentError
from forager.parsing.encoding import storable
from forager.parsing.pdflines import PdfLine, page_lines
from forager.parsing.pdfwalk import PdfWalk
from forager.parsing.placing import in_order, merged
from forager.parsing.text import invisible_warning

PAGE_LIMIT = 5_000
WARNING_LIMIT = 20
PDF_DATE = re.compile(r"D?:?(\d{4})(\d{2})(\d{2})")


def parse_pdf(content: bytes, name: str) -> Document:
    """Places are pages; a paragraph over a page break has both."""
    document = _opened(content)
    try:
        return _read(document)
    finally:
        document.close()


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            message = "The PDF is protected by a password."
            raise UnreadableDocumentError("password_needed", message, "Save it without the password.") from error
        message = "The PDF is damaged or cut off and cannot be opened."
        raise UnreadableDocumentError("damaged", message, "Save or send it again, whole.") from error


def _read(document: pypdfium2.PdfDocument) -> Document:
    count = len(document)
    if not count:
        raise UnreadableDocumentError("damaged", "The PDF holds no page that can be read.", "Save it again.")
    pages: list[list[PdfLine]] = []
    failed: list[tuple[str, str]] = []
    for number in range(min(count, PAGE_LIMIT)):
        lines, reason = page_lines(document, number)
        pages.append(lines)
        if reason:
            failed.append((f"Page {number + 1}", reason))
    if count > PAGE_LIMIT:
        failed.append((f"Pages {PAGE_LIMIT + 1}-{count}", f"more than {PAGE_LIMIT} pages"))
    walk = PdfWalk()
    walk.run(pages)
    text = walk.out.text
    metadata = _metadata(document)
    found, found_from = _document_date(text, metadata)
    return Document(
        text=text,
        blocks=in_order(walk.out.blocks, len(text)),
        source_type="pdf",
        media_type="application/pdf",
        title=_title(metadata) or walk.title,
        encoding="utf-8",
        document_date=found,
        document_date_from=found_from,
        metadata=metadata,
        excluded=merged(walk.out.excluded, len(text)),
        warnings=(*_warnings(failed, walk), *invisible_warning(text)),
        ledger=Ledger("page", count, count - len(failed), len(failed), tuple(failed)),
    )


def _metadata(document: pypdfium2.PdfDocument) -> dict[str, str]:
    raw = document.get_metadata_dict(skip_empty=True)
    return {key.lower(): " ".join(storable(str(value)).split()) for key, value in raw.items()}


def _title(metadata: dict[str, str]) -> str:
    title = metadata.get("title", "")
    return "" if title.lower().strip("()") in ("untitled", "anonymous", "unspecified") else title


def _document_date(text: str, metadata: dict[str, str]) -> tuple[str, str]:
    stated = stated_near_top(text[:4000].splitlines())
    if stated[0]:
        return stated
    for key in ("creationdate", "moddate"):
        match = PDF_DATE.match(metadata.get(key, ""))
        day = _day(match) if match else ""
        if day:
            return day, f"file metadata: {key}"
    return "", ""


def _day(match: re.Match[str]) -> str:
    try:
        return of_metadata(date(int(match[1]), int(match[2]), int(match[3])))
    except ValueError:
        return ""


def _warnings(failed: list[tuple[str, str]], walk: PdfWalk) -> tuple[ParseWarning, ...]:
    found = [
        ParseWarning("page_without_text", f"{place}: {reason}.", place, "Run text recognition on it and load it again.")
        for place, reason in failed[:WARNING_LIMIT]
    ]
    for page in walk.broken_off[:WARNING_LIMIT]:
        message = f"The last sentence of page {page} breaks off; its rest may stand elsewhere."
        found.append(ParseWarning("sentence_broken_off", message, f"Page {page}", "Read the sentence in the document."))
    if walk.hidden:
        message = "The PDF holds text that cannot be seen (white or tiny); it is kept but is no evidence."
        found.append(ParseWarning("invisible_text", message, "", "Look at the text before relying on the document."))
    return tuple(found)
