"""The example documents read as their story needs them to."""

from pathlib import Path

import pytest

from forager.parsing.document import Document
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import block, left_out, said

FALCON = Path(__file__).parents[3] / "examples" / "falcon"


def read(name: str) -> Document:
    return parse((FALCON / name).read_bytes(), name)


def test_the_review_states_the_early_date_in_its_schedule_section_and_carries_no_date() -> None:
    document = read("08-design-review.docx")
    place = block(document, "The launch date for Project Falcon is March 3, 2026.").location
    assert place == "Section: Falcon Design Review Notes > Schedule"
    assert document.document_date == ""


def test_the_mail_states_the_late_date_in_its_body_and_is_dated() -> None:
    document = read("02-schedule-update.eml")
    assert block(document, "has moved to April 10, 2026").location == "message body"
    assert document.document_date == "2026-02-18"


def test_the_quoted_mail_and_the_hidden_paragraph_count_for_nothing() -> None:
    reply, page = read("07-reply-quoting.eml"), read("04-supplier-page.html")
    assert not any("March 3" in words for words in said(reply))
    assert any("March 3" in words for words in left_out(reply))
    assert not any("launch date" in words for words in said(page))


def test_the_copy_of_the_requirements_has_the_same_bytes() -> None:
    pair = ("05-falcon-requirements.pdf", "09-requirements-copy.pdf")
    assert (FALCON / pair[0]).read_bytes() == (FALCON / pair[1]).read_bytes()


@pytest.mark.parametrize("name", sorted(path.name for path in FALCON.iterdir()))
def test_no_example_document_reads_with_a_warning(name: str) -> None:
    document = read(name)
    assert document.blocks
    assert document.warnings == ()
