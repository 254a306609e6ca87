"""Any bytes under any name give a sound document or one kind of error."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forager.parsing.document import Document, UnreadableDocumentError
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import docx, paragraph, pdf

NAMES = ("a.txt", "a.md", "a.csv", "a.tsv", "a.eml", "a.html", "a.pdf", "a.docx", "a", "A.TXT", "a.bin", "a.json")
MARKS = (
    *("# H\n", "- a\n", "| a | b |\n|---|---|\n", "> q\n", "key: value\n", "---\n", "a: [1]\n", '"x,', "\r", "\n\n"),
    *("From: a@b\n", "Subject: s\n\n", "On 1 May 2026, A wrote:\n", "-- \n", "<p>", "<table><tr><td>x", "</p>"),
    *("<b hidden>", "\u202e", "\x00", "\u2028", "é", "𠮷", "a,b\n", "1;2\n", "```\n", "<!--", "-->", "1. x\n"),
)
WORDS = st.lists(st.sampled_from(MARKS), max_size=40).map("".join)


def sound(document: Document) -> None:
    reached = 0
    for block in document.blocks:
        assert reached <= block.start < block.end <= len(document.text)
        assert all(block.start <= cell.start <= cell.end <= block.end for cell in block.cells)
        assert block.location
        reached = block.end
    assert all(0 <= x.start < x.end <= len(document.text) and x.reason for x in document.excluded)
    assert "\x00" not in document.text
    document.text.encode("utf-8")


def parses_or_refuses(content: bytes, name: str) -> None:
    try:
        document = parse(content, name)
    except UnreadableDocumentError as error:
        assert error.code
        assert error.message
        assert error.next_action
    else:
        sound(document)


@given(content=st.binary(max_size=400), name=st.sampled_from(NAMES))
def test_arbitrary_bytes_give_a_sound_document_or_a_refusal(content: bytes, name: str) -> None:
    parses_or_refuses(content, name)


@settings(max_examples=300)
@given(text=WORDS, name=st.sampled_from(NAMES), encoding=st.sampled_from(("utf-8", "utf-16", "utf-16-le", "utf-8-sig")))
def test_arbitrary_marks_of_all_formats_give_a_sound_document_or_a_refusal(text: str, name: str, encoding: str) -> None:
    parses_or_refuses(text.encode(encoding), name)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_a_damaged_package_gives_a_sound_document_or_a_refusal(data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from((docx(paragraph("The roof is red.")), pdf(["The roof is red."]))))
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.binary(max_size=3))
    parses_or_refuses(whole[:at] + byte + whole[at + data.draw(st.integers(0, 50)) :], "a.docx")


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"", "a.docx", "empty"),
        (b"\xef\xbb\xbf", "a.txt", "empty"),
        (b"<html><p>Log in", "a.pdf", "type_mismatch"),
        (b"\x89PNG\r\n\x1a\n", "a.pdf", "unsupported_type"),
        (b"MZ\x90", "a.docx", "unsupported_type"),
        (docx(paragraph("x"))[:60], "a.docx", "damaged"),
        (b"%PDF-1.7\nnothing more", "a.pdf", "damaged"),
    ],
    ids=["nothing", "only a mark", "page as pdf", "picture as pdf", "program", "cut package", "cut pdf"],
)
def test_a_file_that_is_no_document_is_refused_by_its_content(content: bytes, name: str, code: str) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        parse(content, name)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("content", "name", "source_type"),
    [
        (docx(paragraph("Wet.")), "a.zip", "docx"),
        (pdf(["Wet."]), "a.txt", "pdf"),
        (b"<!doctype html><p>Wet.", "page", "html"),
        (b"From: a@b.example\nTo: c@d.example\nSubject: Wet\n\nWet.", "mail", "email"),
        (b"a;b;c\n1;2;3\n4;5;6\n", "table", "csv"),
        (b"# Wet\n", "a.tar.gz.md", "markdown"),
        (b"Wet.", "NOTE.TXT", "txt"),
    ],
    ids=["docx", "pdf", "html", "mail", "csv", "markdown", "text"],
)
def test_the_content_decides_the_type_before_the_name(content: bytes, name: str, source_type: str) -> None:
    assert parse(content, name).source_type == source_type
