"""Writes the PDF and DOCX files of the Falcon example; the same bytes every time.

Run from anywhere: ``python examples/make_falcon.py``.
"""  # noqa: INP001 - a script beside its output, no package

import shutil
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

FOLDER = Path(__file__).parent / "falcon"

REQUIREMENTS: Sequence[tuple[str, str]] = (
    ("Title", "Falcon Requirements"),
    ("Normal", "Date: 20 January 2026"),
    ("Normal", "Document: FAL-REQ-7"),
    ("Heading2", "Programme"),
    ("Normal", "The project lead of Project Falcon is Maria Chen."),
    (
        "Normal",
        (
            "The budget for Project Falcon is 1,200,000 USD. The sum covers airframes, avionics and flight tests; "
            "it does not cover the training of the customer's pilots."
        ),
    ),
    ("Heading2", "Airframe"),
    ("Normal", "The take-off mass of the Falcon airframe is 24.5 kg."),
    ("Normal", "The parachute recovery system is required."),
    ("Normal", "The wing must withstand five times its own weight without lasting deformation."),
    ("Page", ""),
    ("Heading2", "Avionics"),
    ("Normal", "The autopilot must hold the altitude within 2 m in winds of up to 12 m/s."),
    ("Normal", "The data link requires a clear line of sight of at least 8 km."),
    ("Heading2", "Flight test procedure"),
    ("Normal", "1. Check the battery voltage before each flight."),
    ("Normal", "2. Arm the recovery system before the engine is started."),
    ("Normal", "3. Record wind and temperature in the flight log."),
)

REVIEW: Sequence[tuple[str, str]] = (
    ("Heading1", "Falcon Design Review Notes"),
    ("", "The review was held in Building 4. Maria Chen chaired it."),
    ("Heading2", "Schedule"),
    ("", "The launch date for Project Falcon is March 3, 2026."),
    ("", "The critical path runs through the wing assembly."),
    ("Heading2", "Costs"),
    ("", "The budget for Project Falcon is $1.45 million."),
    ("", "The increase comes from the second ground station."),
    ("Heading2", "Findings"),
    ("ListParagraph", "The tail boom vibrates at 22 m/s."),
    ("ListParagraph", "The battery bay is hard to reach."),
    ("Heading2", "Actions"),
)
ACTIONS = (
    ("Action", "Owner", "State"),
    ("Stiffen the tail boom", "Priya Nair", "open"),
    ("Move the battery bay", "Tomas Lind", "closed"),
)

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CONTENT_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
</Types>"""
RELATIONS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>
</Relationships>"""
STYLES = (("Heading1", "heading 1", 0), ("Heading2", "heading 2", 1), ("ListParagraph", "List Paragraph", None))


def write_requirements(path: Path) -> None:
    """Two pages; fixed stamps and uncompressed streams keep the bytes equal from run to run."""
    styles = getSampleStyleSheet()
    story: list[Flowable] = [
        PageBreak() if style == "Page" else Paragraph(escape(words), styles[style]) for style, words in REQUIREMENTS
    ]
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1, pageCompression=0, title="Falcon Requirements").build(story)


def write_review(path: Path) -> None:
    """No core properties, so that the document carries no date of its own."""
    body = "".join(_paragraph(style, words) for style, words in REVIEW) + _table(ACTIONS)
    parts = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": RELATIONS.format(kind="officeDocument", target="word/document.xml"),
        "word/_rels/document.xml.rels": RELATIONS.format(kind="styles", target="styles.xml"),
        "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{W}">{"".join(_style(*style) for style in STYLES)}</w:styles>',
    }
    with ZipFile(path, "w", ZIP_STORED) as package:
        for name, content in parts.items():
            package.writestr(ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


def _style(key: str, name: str, outline: int | None) -> str:
    level = "" if outline is None else f'<w:pPr><w:outlineLvl w:val="{outline}"/></w:pPr>'
    return f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{level}</w:style>'


def _paragraph(style: str, words: str) -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{escape(words)}</w:t></w:r></w:p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{_paragraph('', words)}</w:tc>" for words in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def main() -> None:
    requirements = FOLDER / "05-falcon-requirements.pdf"
    write_requirements(requirements)
    write_review(FOLDER / "08-design-review.docx")
    shutil.copyfile(requirements, FOLDER / "09-requirements-copy.pdf")


if __name__ == "__main__":
    main()
