"""HTML, DOCX and PDF: places, tables, and text that is no evidence."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from forager.parsing.document import BlockKind, UnreadableDocumentError
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import W, block, docx, drawn, left_out, pairs, paragraph, pdf, said


def test_html_gives_headings_lists_and_tables_in_order() -> None:
    document = parse(
        b"<html><title>T</title><h1>Yard</h1><p>Needed:</p><ul><li>a rope<ul><li>20 m</li></ul></li></ul>"
        b"<h2>Stock</h2><table><tr><th>item<th>count</tr><tr><td>lamp<td>4</tr></table><dl><dt>Owner<dd>Rosa</dl>",
        "a.html",
    )
    assert said(document) == ["Yard", "Needed:", "a rope", "20 m", "Stock", "lamp | 4", "Owner: Rosa"]
    assert block(document, "a rope").lead_in == "Needed:"
    assert block(document, "lamp").location == "Section: Yard > Stock"
    assert pairs(document, "lamp") == {"item": "lamp", "count": "4"}
    assert pairs(document, "Owner") == {"Owner": "Rosa"}


def test_hidden_html_is_excluded_and_scripts_are_not_text() -> None:
    document = parse(
        b"<html><style>.x{display:none}</style><p>Seen.</p><p class=x>A.</p><p hidden>B.</p><script>c()</script>"
        b"<p>Price <s>5</s> 6</p><template>D</template>",
        "a.html",
    )
    assert said(document) == ["Seen.", "Price 5 6"]
    assert left_out(document) == {"A.\nB.": "hidden", "5": "struck"}
    assert "c()" not in document.text


def test_html_nested_very_deep_is_read() -> None:
    assert said(parse(b"<html>" + b"<div>" * 20000 + b"Deep.", "a.html")) == ["Deep."]


def test_docx_headings_give_the_section_path() -> None:
    body = paragraph("Notes", "Heading1") + paragraph("Time", "Heading2") + paragraph("It ends in May.")
    document = parse(docx(body), "a.docx")
    assert block(document, "May").location == "Section: Notes > Time"
    assert document.title == "Notes"


def test_docx_insertions_are_read_and_deletions_are_not() -> None:
    body = (
        "<w:p><w:r><w:t>Pay in </w:t></w:r><w:del><w:r><w:delText>30</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>45</w:t></w:r></w:ins><w:r><w:t> days.</w:t></w:r></w:p>"
    )
    assert parse(docx(body), "a.docx").text.strip() == "Pay in 45 days."


def test_docx_struck_and_hidden_words_are_excluded() -> None:
    body = paragraph("Old.", run="<w:strike/>") + paragraph("Secret.", run="<w:vanish/>") + paragraph("New.")
    document = parse(docx(body), "a.docx")
    assert said(document) == ["New."]
    assert left_out(document) == {"Old.": "struck", "Secret.": "hidden"}


def test_docx_footnotes_follow_their_paragraph() -> None:
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("In calm wind only.")}</w:footnote></w:footnotes>'
    body = '<w:p><w:r><w:t>It lifts 40 t.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' + paragraph("Next.")
    document = parse(docx(body, footnotes=notes), "a.docx")
    assert said(document) == ["It lifts 40 t.", "In calm wind only.", "Next."]
    assert block(document, "calm").location == "Document body, footnote 2"


def test_docx_tables_have_heads_and_comments_their_author() -> None:
    row = "<w:tr>{}</w:tr>".format
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>".format
    table = f"<w:tbl>{row(cell('part') + cell('mass'))}{row(cell('wing') + cell('4 kg'))}</w:tbl>"
    comments = f'<w:comments {W}><w:comment w:author="Omar">{paragraph("Check this.")}</w:comment></w:comments>'
    document = parse(docx(table, comments=comments), "a.docx")
    assert pairs(document, "wing") == {"part": "wing", "mass": "4 kg"}
    assert block(document, "Check").location == "Comment 1 by Omar"


def test_cells_that_span_columns_and_rows_keep_the_others_under_their_heads() -> None:
    page = (
        "<html><table><tr><th>day<th>gate<th>hours</tr><tr><td rowspan=2>Monday<td>north<td>8</tr>"
        "<tr><td>south<td>9</tr><tr><td colspan=2>every day<td>7</tr></table>"
    )
    document = parse(page.encode(), "a.html")
    assert pairs(document, "south") == {"day": "", "gate": "south", "hours": "9"}
    assert pairs(document, "every day") == {"day": "every day", "gate": "", "hours": "7"}


def test_docx_text_boxes_are_read_once_behind_their_paragraph() -> None:
    namespace = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    box = f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>"
    choices = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    both = f"<mc:AlternateContent {namespace}>{choices}</mc:AlternateContent>"
    document = parse(docx(f"<w:p><w:r><w:t>Beside it.</w:t>{both}</w:r></w:p>"), "a.docx")
    assert said(document) == ["Beside it.", "In the box."]


def test_docx_that_declares_entities_is_refused() -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaa">]>' + f"<w:document {W}><w:body/></w:document>"
    buffer = BytesIO()
    with ZipFile(buffer, "w") as package:
        package.writestr("word/document.xml", bomb)
    with pytest.raises(UnreadableDocumentError) as caught:
        parse(buffer.getvalue(), "a.docx")
    assert caught.value.code == "forbidden_markup"


LONG = "The harbour office of the northern district moves to the building that stands behind"


def test_pdf_lines_that_were_wrapped_become_one_paragraph_over_the_page_end_too() -> None:
    document = parse(pdf([LONG, "the customs house in May.", LONG], ["the old mill in June."]), "a.pdf")
    assert said(document) == [f"{LONG} the customs house in May.", f"{LONG} the old mill in June."]
    assert [b.location for b in document.blocks] == ["Page 1", "Pages 1-2"]


def test_pdf_key_value_lines_are_never_joined() -> None:
    document = parse(pdf(["Owner: Rosa", "City: Visby", LONG, "Mass: 4 kg"]), "a.pdf")
    assert said(document, BlockKind.KEY_VALUE) == ["Owner: Rosa", "City: Visby", "Mass: 4 kg"]


def test_a_taller_line_is_a_heading_with_its_section() -> None:
    document = parse(pdf(["Yard rules", "Dogs stay out of the yard."], first_size=20), "a.pdf")
    assert document.title == "Yard rules"
    assert block(document, "Dogs").section == ("Yard rules",)


def test_running_headers_count_once() -> None:
    pages = [
        ["Yard Ltd - internal", f"Rule {n} says that gate {n} is shut at night.", "More.", f"page {n}"]
        for n in range(1, 7)
    ]
    document = parse(pdf(*pages), "a.pdf")
    assert said(document).count("Yard Ltd - internal") == 1
    assert left_out(document)["Yard Ltd - internal"] == "repeated"
    assert block(document, "Rule 6").location == "Page 6"


def test_a_page_without_text_is_reported_not_read_as_empty() -> None:
    document = parse(pdf(["One."], [], ["Three."]), "a.pdf")
    assert document.ledger.silent == (("Page 2", "the page is empty"),)
    assert [w.code for w in document.warnings] == ["page_without_text"]


def test_a_pdf_table_gives_rows_with_heads() -> None:
    rows = (("Part", "Count", "Price"), ("Lamp", "4", "12 EUR"), ("Rope", "20", "3 EUR"))
    words = [(72 + 150 * x, 700 - 18 * y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row)]
    document = parse(drawn((72, 730, "Stock of March."), *words), "a.pdf")
    assert said(document) == ["Stock of March.", "Lamp | 4 | 12 EUR", "Rope | 20 | 3 EUR"]
    assert pairs(document, "Rope") == {"Part": "Rope", "Count": "20", "Price": "3 EUR"}


LEFT = ("The northern gate is shut", "while the road is mended,", "that is from June until", "30 September this year.")
RIGHT = (
    "The pilots board at the",
    "outer buoy and bring their",
    "own boat when the sea is",
    "too rough for the launch.",
)


def test_two_columns_on_the_same_lines_are_read_one_after_the_other() -> None:
    words = [
        (x, 700 - 16 * y, line)
        for y, pair in enumerate(zip(LEFT, RIGHT, strict=True))
        for x, line in zip((72, 330), pair, strict=True)
    ]
    assert said(parse(drawn(*words), "a.pdf")) == [" ".join(LEFT), " ".join(RIGHT)]


def test_lines_written_in_another_order_than_they_stand_are_read_downwards() -> None:
    words = [(72, 600, "Third."), (72, 700, "First."), (72, 650, "Second.")]
    assert said(parse(drawn(*words), "a.pdf")) == ["First.", "Second.", "Third."]


def test_white_words_inside_a_line_are_kept_apart_and_excluded() -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    canvas.drawString(72, 700, "The lease ends in May.")
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(200, 700, "Not in May.")
    canvas.save()
    document = parse(buffer.getvalue(), "a.pdf")
    assert said(document) == ["The lease ends in May."]
    assert left_out(document) == {"Not in May.": "hidden"}
    assert [w.code for w in document.warnings] == ["invisible_text"]


def test_a_sentence_that_breaks_off_at_the_page_end_is_reported() -> None:
    document = parse(pdf([LONG], ["Rule 7. Gate 7 is shut at night."]), "a.pdf")
    assert [(w.code, w.locator) for w in document.warnings] == [("sentence_broken_off", "Page 1")]


def test_a_locked_pdf_asks_for_its_password() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(["Secret."]))))
    writer.encrypt("open sesame")
    buffer = BytesIO()
    writer.write(buffer)
    with pytest.raises(UnreadableDocumentError) as caught:
        parse(buffer.getvalue(), "a.pdf")
    assert caught.value.code == "password_needed"
