"""RTF as it comes out of word processors: places, notes, tables; nothing hidden, struck or deleted is evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forager.parsing.document import BlockKind, Document, UnreadableDocumentError
from forager.parsing.registry import parse
from tests.forager.parsing.test_registry import sound

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"
    r"{\info{\title Harbour plan}{\author Nobody}{\revtim\yr2026\mo3\dy4\hr9}}"
)


def read(body: str) -> Document:
    document = parse(f"{HEAD}{body}}}".encode("latin-1"), "plan.rtf")
    sound(document)
    return document


def evidence(document: Document) -> str:
    kept = list(document.text)
    for part in document.excluded:
        kept[part.start : part.end] = " " * (part.end - part.start)
    return " ".join("".join(kept).split())


def test_paragraphs_headings_and_metadata_are_read() -> None:
    document = read(r"\pard\s1 Budget\par\pard\s0 The budget is 100\~EUR.\par")
    assert (document.title, document.document_date, document.source_type) == ("Harbour plan", "2026-03-04", "rtf")
    assert [b.kind for b in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]
    assert document.blocks[1].location == "Section: Budget"
    assert "The budget is 100\u00a0EUR." in document.text
    assert "Nobody" not in document.text
    assert "Arial" not in document.text


def test_letters_come_out_of_every_notation() -> None:
    document = read(r"Caf\'e9 \u8364?50 {\f1 \'cc\'e8\'f0} \uc2\u322??o\'9cuvre \'93so\'94\par")
    assert "Café €50 Мир łoœuvre “so”" in document.text


def test_hidden_struck_and_deleted_words_are_no_evidence() -> None:
    document = read(r"The fee is {\v secretly 1}{\strike 2}{\deleted 3}4 EUR.{\*\unknown 5}\par")
    assert evidence(document) == "The fee is 4 EUR."
    assert {e.reason for e in document.excluded} == {"hidden", "struck"}
    assert "3" not in document.text


def test_rows_know_their_heads_and_lists_their_lead_in() -> None:
    row = r"\trowd\pard\intbl {a}\cell {b}\cell {c}\cell\row"
    rows = "".join(row.replace("{a}", a).replace("{b}", b).replace("{c}", c) for a, b, c in (
        ("Ship", "Berth", "Depth"), ("Alma", "4", "12 m"), ("Bree", "5", "11 m")))  # fmt: skip
    document = read(rows + r"\pard Bring these:\par{\listtext\'b7\tab}a rope\par\pard End.\par")
    table = [b for b in document.blocks if b.kind is BlockKind.TABLE_ROW]
    assert [c.head for c in table[0].cells] == ["Ship", "Berth", "Depth"]
    item = next(b for b in document.blocks if b.kind is BlockKind.LIST_ITEM)
    assert (document.text[item.start : item.end], item.lead_in) == ("a rope", "Bring these:")


def test_notes_stand_behind_their_paragraph_and_pictures_are_told() -> None:
    document = read(r"The limit is 5 t.{\footnote Only in winter.}\par{\pict\pngblip 89504e47}Next.\par")
    words = [document.text[b.start : b.end] for b in document.blocks]
    assert words == ["The limit is 5 t.", "Only in winter.", "Next."]
    assert document.blocks[1].location == "Footnote"
    assert document.warnings[0].code == "pictures_not_read"


def test_ten_thousand_groups_deep_is_read_without_recursion() -> None:
    document = parse((r"{\rtf1 " + "{" * 10_000 + "Deep words." + "}" * 10_000 + "}").encode(), "deep.rtf")
    assert "Deep words." in document.text


def test_a_file_cut_off_says_so() -> None:
    with pytest.raises(UnreadableDocumentError, match="damaged"):
        parse(rb"{\rtf1 The budget is", "cut.rtf")


WORDS = ("{", "}", r"\par ", r"\cell ", r"\row ", r"\u-3 ", r"\'e9", r"\'8", r"\*", r"\bin9 ", r"\footnote ", "x", "\\")


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_whatever_its_groups_it_is_sound_or_refused(parts: list[str]) -> None:
    sound(parse((r"{\rtf1 a" + "".join(parts) + "}").encode(), "any.rtf"))
