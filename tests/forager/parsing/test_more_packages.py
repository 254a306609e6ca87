"""ODT, XLSX and JSON."""

from io import BytesIO
from zipfile import ZIP_STORED, ZipFile

import pytest

from forager.parsing.document import BlockKind, UnreadableDocumentError
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import block, left_out, pairs, said

OASIS = "urn:oasis:names:tc:opendocument:xmlns"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def package(**parts: str) -> bytes:
    """``__`` in a name stands for a folder, ``_rels`` as is."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as made:
        for name, content in parts.items():
            made.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def odt(body: str) -> bytes:
    names = f'xmlns:office="{OASIS}:office:1.0" xmlns:text="{OASIS}:text:1.0" xmlns:table="{OASIS}:table:1.0"'
    content = f"<office:document-content {names}><office:body><office:text>{body}</office:text></office:body>"
    return package(
        mimetype="application/vnd.oasis.opendocument.text",
        **{"content.xml": f"{content}</office:document-content>"},
    )


def xlsx(rows: str, *, state: str = "visible", columns: str = "") -> bytes:
    sheet = f'<sheet name="Stock" sheetId="1" state="{state}" xmlns:r="{R}" r:id="r1"/>'
    relation = '<Relationship Id="r1" Target="worksheets/sheet1.xml"/>'
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    formats = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{S}"><sheets>{sheet}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relations}">{relation}</Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}">{columns}<sheetData>{rows}</sheetData></worksheet>',
        "xl/styles.xml": f'<styleSheet xmlns="{S}">{formats}</styleSheet>',
    }
    return package(**parts)


def cell(words: str, kind: str = "inlineStr", extra: str = "") -> str:
    inner = f"<is><t>{words}</t></is>" if kind == "inlineStr" else f"<v>{words}</v>"
    return f'<c t="{kind}" {extra}>{inner}</c>'


HEADS = f"<row>{cell('item')}{cell('count')}{cell('since')}</row>"


def test_odt_gives_sections_lists_tables_and_notes() -> None:
    note = "<text:note><text:note-body><text:p>In calm wind.</text:p></text:note-body></text:note>"
    body = (
        "<text:tracked-changes><text:p>Deleted.</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Yard</text:h>'
        f"<text:p>It lifts<text:s/>40 t.{note}</text:p><text:p>Needed:</text:p>"
        "<text:list><text:list-item><text:p>a rope</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>part</text:p></table:table-cell>"
        "<table:table-cell><text:p>mass</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><text:p>wing</text:p></table:table-cell>"
        "<table:table-cell><text:p>4 kg</text:p></table:table-cell></table:table-row></table:table>"
    )
    document = parse(odt(body), "a.odt")
    assert said(document) == ["Yard", "It lifts 40 t.", "In calm wind.", "Needed:", "a rope", "wing | 4 kg"]
    assert block(document, "rope").lead_in == "Needed:"
    assert pairs(document, "wing") == {"part": "wing", "mass": "4 kg"}
    assert block(document, "lifts").location == "Section: Yard"


def test_xlsx_rows_stand_under_their_heads_with_dates_and_codes_as_shown() -> None:
    day = cell("46071", "n", 's="1"')
    rows = f"{HEADS}<row>{cell('007')}{cell('4', 'n')}{day}</row>"
    document = parse(xlsx(rows), "a.xlsx")
    assert pairs(document, "007") == {"item": "007", "count": "4", "since": "2026-02-18"}
    assert block(document, "007").location == "Sheet Stock, row 2"


def test_hidden_rows_and_sheets_are_excluded() -> None:
    hidden = f'<row hidden="1">{cell("lamp")}{cell("4", "n")}{cell("x")}</row>'
    rows = f"{HEADS}{hidden}<row>{cell('rope')}{cell('2', 'n')}</row>"
    document = parse(xlsx(rows), "a.xlsx")
    assert [words.split(" | ")[0] for words in said(document)] == ["rope"]
    assert left_out(document) == {"lamp | 4 | x": "hidden"}
    assert said(parse(xlsx(rows, state="hidden"), "a.xlsx")) == []


def test_a_formula_without_result_is_reported_and_nothing_is_computed() -> None:
    rows = f"{HEADS}<row>{cell('lamp')}<c><f>1+1</f></c>{cell('x')}</row>"
    document = parse(xlsx(rows), "a.xlsx")
    assert pairs(document, "lamp")["count"] == ""
    assert [w.code for w in document.warnings] == ["formula_without_result"]


P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def shape(words: str, kind: str = "") -> str:
    place = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else ""
    return f"<p:sp>{place}<p:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"


def pptx(*slides: str) -> bytes:
    """Slides by their shapes; one that begins with 'hidden:' is hidden."""
    names = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}"'
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    ids = "".join(f'<p:sldId r:id="r{number}"/>' for number in range(len(slides)))
    targets = "".join(f'<Relationship Id="r{n}" Type="x/slide" Target="slides/s{n}.xml"/>' for n in range(len(slides)))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{relations}">{targets}</Relationships>',
    }
    for number, shapes in enumerate(slides):
        show = ' show="0"' if shapes.startswith("hidden:") else ""
        parts[f"ppt/slides/s{number}.xml"] = f"<p:sld {names}{show}>{shapes.removeprefix('hidden:')}</p:sld>"
    return package(**parts)


def test_slides_give_their_title_first_and_hidden_ones_are_excluded() -> None:
    document = parse(pptx(shape("It ends in May.") + shape("Plan", "title"), f"hidden:{shape('Old.')}", ""), "a.pptx")
    assert said(document) == ["Plan", "It ends in May."]
    assert block(document, "May").location == "Slide 1"
    assert block(document, "May").section == ("Plan",)
    assert left_out(document) == {"Old.": "hidden"}
    assert document.ledger.silent == (("Slide 3", "the slide has no text"),)


def test_a_mailbox_is_taken_apart_at_its_separators_only() -> None:
    box = (
        b"From a@b Mon Jan  5 09:00:00 2026\nSubject: one\n\n>From the log: fine.\nFrom here on 2026\n\n"
        b"From c@d Tue Jan  6 09:00:00 2026\nSubject: two\n\nDone.\n"
    )
    children = parse(box, "mail").children
    assert [child.name for child in children] == ["message-0001.eml", "message-0002.eml"]
    assert b"\nFrom the log: fine." in children[0].unfold()


def test_json_records_are_rows_and_other_members_are_key_values() -> None:
    document = parse(b'{"owner": "Rosa", "sites": [{"site": "Visby", "opens": "08:00"}, {"site": "Kalmar"}]}', "a.json")
    assert pairs(document, "Visby") == {"site": "Visby", "opens": "08:00"}
    assert block(document, "Kalmar").location == "sites[2]"
    assert said(document, BlockKind.KEY_VALUE) == ['"owner": "Rosa"']


def test_json_lines_are_records_and_numbers_stay_as_written() -> None:
    document = parse(b'{"id": 007, "n": 1e999}\n{"id": 8, "n": NaN}\n', "a.jsonl")
    assert pairs(document, "007") == {"id": "007", "n": "1e999"}
    assert block(document, "NaN").location == "Record 2"


def test_a_key_that_stands_twice_is_reported_and_both_values_are_read() -> None:
    document = parse(b'{"port": 8080, "port": 9090}', "a.json")
    assert said(document) == ['"port": 8080', '"port": 9090']
    assert [w.code for w in document.warnings] == ["duplicate_key"]


def test_json_that_breaks_off_is_read_as_far_as_it_goes_and_said_to_be() -> None:
    assert "not_whole" in [w.code for w in parse(b'[{"site": "Visby"}, {"site": "Kal', "a.json").warnings]


def test_json_nested_without_end_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError):
        parse(b"[" * 100_000, "a.json")
