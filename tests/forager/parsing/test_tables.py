"""Separated values: raw text kept, cells placed in it."""

import pytest

from forager.parsing.document import BlockKind
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import block, pairs, said


def test_a_row_is_evidence_whole_and_by_cell() -> None:
    document = parse(b"name,city\nRosa,Visby\nOmar,Kalmar\n", "a.csv")
    assert said(document, BlockKind.TABLE_ROW) == ["Rosa,Visby", "Omar,Kalmar"]
    assert pairs(document, "Omar") == {"name": "Omar", "city": "Kalmar"}
    assert block(document, "Omar").location == "Row 3"


def test_quotes_commas_and_line_ends_inside_a_cell_do_not_split_it() -> None:
    document = parse(b'id,note\n1,"one, ""two""\nthree"\n2,x\n', "a.csv")
    assert pairs(document, "three") == {"id": "1", "note": 'one, ""two""\nthree'}
    assert said(document)[0] == '1,"one, ""two""\nthree"'
    assert len(document.blocks) == 2


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = delimiter.join(("a", "b", "c")) + "\n" + delimiter.join(("x 1.5", "y", "z"))
    assert pairs(parse(text.encode(), "a.csv"), "x 1.5") == {"a": "x 1.5", "b": "y", "c": "z"}


def test_a_head_that_comes_twice_is_told_apart() -> None:
    assert pairs(parse(b"day,sum,sum\nMon,1,2\n", "a.csv"), "Mon") == {"day": "Mon", "sum": "1", "sum (2)": "2"}


def test_a_table_of_numbers_has_no_heads() -> None:
    assert list(pairs(parse(b"1,2\n3,4\n", "a.csv"), "3")) == [""]


def test_a_note_above_the_heads_is_prose() -> None:
    document = parse(b"Stock list of March,,\nitem,count,room\nlamp,4,B\n", "a.csv")
    assert block(document, "March").kind is BlockKind.PARAGRAPH
    assert pairs(document, "lamp")["room"] == "B"


def test_a_header_without_rows_is_said_to_have_none() -> None:
    assert [w.code for w in parse(b"name,city\n", "a.csv").warnings] == ["no_rows"]
