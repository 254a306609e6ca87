"""Text kept as written: lines, headings, lists, key-value lines, encodings and dates."""

import pytest

from forager.parsing.dates import read_date
from forager.parsing.document import BlockKind
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import block, left_out, pairs, said


def test_a_wrapped_sentence_is_one_block_with_its_lines() -> None:
    document = parse(
        b"The harbour office moves to the new\nbuilding behind the customs house in May.\nShort.\n", "a.txt"
    )
    assert said(document)[0].startswith("The harbour") is True
    assert block(document, "customs").location == "Lines 1-2" or block(document, "customs").location == "Line 2"


def test_a_long_line_without_end_mark_goes_on_in_the_next() -> None:
    text = "The harbour office of the northern district moves\nto the building behind the customs house."
    assert said(parse(text.encode(), "a.txt")) == [text]


def test_chat_lines_are_never_joined() -> None:
    document = parse(b"[09:02] Lea: maybe in autumn because of the strike, who knows\n[09:03] Tim: no\n", "a.txt")
    assert len(document.blocks) == 2


def test_key_value_lines_carry_their_key_and_value() -> None:
    assert pairs(parse(b"Owner: Rosa Klein\nCity: Malmo\n", "a.txt"), "Rosa") == {"Owner": "Rosa Klein"}


def test_a_sentence_with_a_colon_is_no_key_value_line() -> None:
    document = parse(
        b"Please note: the gate is shut at night.\nUnit 9: 12 parking spaces, numbered 31 to 42.\n", "a.txt"
    )
    assert [b.kind for b in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.KEY_VALUE]


def test_a_lone_first_line_is_the_title_and_heads_the_sections() -> None:
    document = parse("Rules for the hall\n\nDogs stay out.\n".encode("utf-16"), "a.txt")
    assert document.title == "Rules for the hall"
    assert block(document, "Dogs").section == ("Rules for the hall",)
    assert document.encoding == "utf-16"


def test_line_numbers_hold_for_every_kind_of_line_end() -> None:
    document = parse("One.\r\nTwo.\rThree.\u2028Four.\x0bFive.".encode(), "a.txt")
    assert block(document, "Five").location == "Line 5"


def test_nul_characters_are_replaced_one_for_one_and_reported() -> None:
    document = parse(b"The code\x00 is set.", "a.txt")
    assert document.text == "The code\ufffd is set."
    assert [w.code for w in document.warnings] == ["control_characters"]


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Der Lagerleiter heißt Åke Öberg – die Tür ist geöffnet.", "cp1252"),
        ("Le loyer est payable à l’avance, café fermé l’été.", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy v Plzni.", "cp1250"),
        ("Zażółć gęślą jaźń w Łodzi i Krakowie.", "iso8859-2"),
        ("この倉庫は月曜日に開きます。担当は田中さんです。", "shift_jis"),
        ("仓库星期一开门。负责人是王先生。", "gb18030"),
        ("Η αποθήκη ανοίγει τη Δευτέρα στις εννέα.", "cp1253"),
    ],
)
def test_text_in_an_unstated_encoding_is_read_without_garbling(words: str, encoding: str) -> None:
    assert parse(words.encode(encoding), "a.txt").text == words


def test_damaged_utf8_is_read_with_replacements_and_reported() -> None:
    document = parse(b"The ramp is 6 m wide. \xf0\x9f\x98 cut off. The gate is shut at night.", "a.txt")
    assert "wide. \ufffd cut off." in document.text
    assert [w.code for w in document.warnings] == ["invalid_bytes"]


def test_an_unstated_encoding_is_guessed_and_said_to_be() -> None:
    document = parse("Начальник склада в Рязани — Олег Петров, телефон прежний.".encode("cp1251"), "a.txt")
    assert "Петров" in document.text
    assert [w.code for w in document.warnings] == ["encoding_guessed"]


def test_front_matter_becomes_metadata_key_values_and_date() -> None:
    document = parse(b"---\ntitle: Plan\ndate: 2026-01-12\nauthor: 'Rosa Klein'\n---\n# Plan\n\nText.\n", "a.md")
    assert document.metadata == {"title": "Plan", "date": "2026-01-12", "author": "Rosa Klein"}
    assert (document.document_date, document.document_date_from) == ("2026-01-12", "front matter: date")
    assert pairs(document, "author") == {"author": "Rosa Klein"}


def test_broken_front_matter_is_reported_and_the_rest_is_read() -> None:
    document = parse(b"---\na: [1\nb: }\n---\nThe rest.\n", "a.md")
    assert [w.code for w in document.warnings] == ["front_matter_unreadable"]
    assert said(document) == ["The rest."]


def test_markdown_headings_give_the_section_path() -> None:
    document = parse(b"# Plan\n\n## Money\n\nThe sum is 5 EUR.\n\n## Time\n\nIt ends in May.\n", "a.md")
    assert block(document, "5 EUR").location == "Section: Plan > Money"
    assert block(document, "May").section == ("Plan", "Time")


def test_list_items_know_the_sentence_they_hang_under() -> None:
    document = parse(b"The following are required:\n\n- a helmet\n- a rope\n  - of 20 m\n", "a.md")
    assert said(document, BlockKind.LIST_ITEM) == ["a helmet", "a rope", "of 20 m"]
    assert block(document, "rope").lead_in == "The following are required:"


def test_table_rows_carry_cells_with_their_heads() -> None:
    document = parse(b"| part | mass |\n|---|---:|\n| wing | 4 kg |\n| tail \\| fin | 2 kg |\n", "a.md")
    assert pairs(document, "wing") == {"part": "wing", "mass": "4 kg"}
    assert pairs(document, "fin")["part"] == "tail \\| fin"


def test_block_quotes_are_quotes_but_stay_evidence() -> None:
    document = parse(b"> The roof is red.\n", "a.md")
    assert said(document, BlockKind.QUOTE) == ["The roof is red."]
    assert document.excluded == ()


def test_comments_in_markdown_are_hidden_and_code_is_code() -> None:
    document = parse(b"Seen.\n\n<!-- unseen -->\n\n```sh\nrun --now\n```\n", "a.md")
    assert left_out(document) == {"<!-- unseen -->": "hidden"}
    assert said(document, BlockKind.CODE) == ["run --now"]


@pytest.mark.parametrize(
    ("words", "iso"),
    [
        ("2026-02-18", "2026-02-18"),
        ("18 February 2026", "2026-02-18"),
        ("Feb 18, 2026", "2026-02-18"),
        ("18. Februar 2026", "2026-02-18"),
        ("18 février 2026", "2026-02-18"),
        ("18.2.2026", "2026-02-18"),
        ("18/02/2026", "2026-02-18"),
        ("02/18/2026", "2026-02-18"),
        ("03/04/2026", ""),
        ("February 2026", "2026-02"),
        ("31 February 2026", ""),
        ("soon", ""),
    ],
)
def test_dates_are_read_only_when_they_have_one_reading(words: str, iso: str) -> None:
    assert read_date(words) == iso


def test_a_date_line_near_the_top_dates_the_document() -> None:
    document = parse(b"Minutes\nDate: 4 March 2026\nAll agreed.\n", "a.txt")
    assert (document.document_date, document.document_date_from) == ("2026-03-04", "line 2: Date: 4 March 2026")
