"""Small documents made for one test each."""

from io import BytesIO
from zipfile import ZipFile

from reportlab.pdfgen.canvas import Canvas

from forager.parsing.document import Block, BlockKind, Document

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str, **parts: str) -> bytes:
    """A package with ``body`` as the document's XML; ``parts`` are other parts of ``word/`` by name."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as package:
        package.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            package.writestr(f"word/{name}.xml", content)
    return buffer.getvalue()


def paragraph(words: str, style: str = "", run: str = "") -> str:
    marked = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{marked}<w:r><w:rPr>{run}</w:rPr><w:t>{words}</w:t></w:r></w:p>"


def pdf(*pages: list[str], size: int = 11, first_size: int | None = None) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for lines in pages:
        for index, line in enumerate(lines):
            canvas.setFont("Helvetica", first_size if first_size and not index else size)
            canvas.drawString(72, 760 - index * 18, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def drawn(*words: tuple[float, float, str]) -> bytes:
    """One page with words at (x, y)."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    canvas.setFont("Helvetica", 11)
    for x, y, text in words:
        canvas.drawString(x, y, text)
    canvas.save()
    return buffer.getvalue()


def said(document: Document, kind: BlockKind | None = None) -> list[str]:
    """The words of the blocks, of one kind or all."""
    return [document.text[b.start : b.end] for b in document.blocks if kind is None or b.kind is kind]


def block(document: Document, words: str) -> Block:
    return next(b for b in document.blocks if words in document.text[b.start : b.end])


def left_out(document: Document) -> dict[str, str]:
    """Reason by excluded words."""
    return {document.text[x.start : x.end]: x.reason for x in document.excluded}


def pairs(document: Document, words: str) -> dict[str, str]:
    """The cells of the block that holds ``words``, by head."""
    return {cell.head: document.text[cell.start : cell.end] for cell in block(document, words).cells}
