import pytest

from forager.extraction import standing, statements
from forager.extraction.model import Extracted
from forager.extraction.stems import stems
from forager.parsing.document import Block, BlockKind, Document, Excluded
from forager.parsing.registry import parse


def read(text: str, name: str = "note.md") -> tuple[Extracted, ...]:
    return statements.read(parse(text.encode(), name), name)


def one(text: str, name: str = "note.md") -> Extracted:
    (found,) = read(text, name)
    return found


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("The launch date for Project Kite is March 3, 2026.", "Project Kite", "launch date", "2026-03-03"),
        ("Project Kite's budget is $1.2 million.", "Project Kite", "budget", "1200000"),
        ("The launch date for Project Kite has moved to April 10, 2026.", "Project Kite", "launch date", "2026-04-10"),
        ("The owner of billing-sync is Teresa Nowak.", "billing-sync", "owner", "teresa nowak"),
        ("Hamid owns billing-sync.", "billing-sync", "owner", "hamid"),
        ("HX-3310: due March 4, 2026", "HX-3310", "due", "2026-03-04"),
        ("The number of test units for Project Kite is 12.", "Project Kite", "number of test units", "12"),
    ],
)
def test_a_sentence_that_states_a_value_gives_a_frame(text: str, subject: str, attribute: str, value: str) -> None:
    frame = one(text).frame
    assert frame is not None
    assert (frame.subject, frame.attribute, frame.value) == (subject, attribute, value)
    assert frame.origin == "sentence"


def test_a_subject_that_only_the_heading_names_says_so_and_weighs_less() -> None:
    _, stated = read("# Project Kite\n\nProject Kite is a drone.\n\nThe launch date is March 3, 2026.\n")
    assert stated.frame is not None
    assert (stated.frame.subject, stated.frame.origin) == ("Project Kite", "heading")
    assert stated.confidence == 0.80


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("The pump runs on 24 V.", "direct_fact"),
        ("The pump will probably fail in March.", "uncertain_inference"),
        ("Apparently the pump failed in March.", "unverified_claim"),
        ("According to Dana the pump failed.", "unverified_claim"),
        ("Has the pump failed?", "unverified_claim"),
        ("Die Pumpe fällt vermutlich aus.", "uncertain_inference"),
        ("La pompe tombe peut-être en panne.", "uncertain_inference"),
    ],
)
def test_support_follows_from_how_it_is_said(text: str, support: str) -> None:
    assert one(text).standing.support == support


def test_the_speaker_of_hearsay_is_kept() -> None:
    assert one("According to Dana Reed the pump failed.").standing.speaker == "Dana Reed"


@pytest.mark.parametrize(
    "text", ["Is the launch date March 3, 2026?", "If it rains, the launch date is March 3, 2026."]
)
def test_questions_and_conditions_claim_nothing(text: str) -> None:
    found = one(text)
    assert found.claims == ()
    assert found.frame is None


def test_a_hedged_sentence_claims_nothing_to_compare() -> None:
    assert one("The launch date for Project Kite is probably March 3, 2026.").claims == ()


def test_each_cell_of_a_table_is_a_statement_about_its_row() -> None:
    found = read("name,owner,tier\nbilling,Ada Lovelace,1\n", "services.csv")
    said = [(e.frame.subject, e.frame.attribute, e.frame.value) for e in found if e.frame]
    assert said == [("billing", "owner", "ada lovelace"), ("billing", "tier", "1")]


def test_an_empty_or_missing_cell_states_nothing() -> None:
    found = read("name,owner,tier\nbilling,n/a,-\n", "services.csv")
    assert [e for e in found if e.frame] == []


def test_what_a_document_says_of_itself_is_compared_with_nothing() -> None:
    found = read("---\nauthor: Ada Lovelace\nstatus: approved\ndate: 2026-01-12\n---\n\nThe pump runs.\n")
    assert [e.claims for e in found if e.frame and e.frame.origin == "document"] == [(), ()]


def test_courtesy_is_not_knowledge() -> None:
    mail = "From: a@b.example\nSubject: Pump\n\nDear all,\n\nThe pump failed on 3 March 2026.\n\nKind regards\nAda\n"
    assert [e.text for e in read(mail, "m.eml")] == ["The pump failed on 3 March 2026."]


def test_a_name_turned_round_in_a_list_is_known_both_ways_with_its_initials() -> None:
    found = read('initials,name\nAL,"Lovelace, Ada"\n', "sign.csv")
    (person,) = [m for e in found for m in e.mentions if m.type == "person"]
    assert person.name == "Ada Lovelace"
    assert set(person.facts) == {("alias", "Lovelace, Ada"), ("alias", "AL")}


def test_lines_that_stand_alone_are_statements_of_their_own() -> None:
    found = read("Discharge letter\nAmoxicillin 500 mg for seven days\nNo known allergies\n", "letter.txt")
    assert [e.text for e in found][1:] == ["Amoxicillin 500 mg for seven days", "No known allergies"]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("The opening talk is given by Ada Lovelace.", "given", "ada lovelace"),
        ("The records are stored in Hall C.", "location", "hall c"),
        ("Access logs are deleted after 30 days.", "deleted", "2592000"),
    ],
)
def test_what_was_done_to_a_thing_is_an_attribute_of_it(text: str, attribute: str, value: str) -> None:
    frame = one(text).frame
    assert frame is not None
    assert (frame.attribute, frame.value) == (attribute, value)


def test_a_plural_is_no_verb() -> None:
    frame = one("The office chairs are blue.").frame
    assert frame is None or frame.attribute != "chair"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The lift is repaired by [Otto](javascript:alert) now.", "The lift is repaired by Otto now."),
        ("The pump is **red** and `pump-3` is _old_.", "The pump is red and pump-3 is old."),
        ("The file snake_case_name costs 3 * 4 EUR.", "The file snake_case_name costs 3 * 4 EUR."),
    ],
)
def test_a_marked_up_sentence_is_said_without_its_marks_and_quoted_with_them(text: str, said: str) -> None:
    found = one(text)
    assert found.text == said
    assert found.end - found.start == len(text)


def test_marks_in_plain_text_are_part_of_it() -> None:
    assert one("The pump is *red* today.", "note.txt").text == "The pump is *red* today."


def test_text_that_is_excluded_gives_no_statement_even_inside_a_block() -> None:
    text = "The pump runs. The fee is 12 EUR. The valve is red."
    block = Block(0, len(text), BlockKind.PARAGRAPH, "Line 1", {"kind": "line", "line": 1})
    cut = text.index("The fee"), text.index(" The valve")
    document = Document(text, (block,), "txt", "text/plain", excluded=(Excluded(*cut, "struck"),))
    assert [e.text for e in statements.read(document, "note.txt")] == ["The pump runs.", "The valve is red."]


def test_a_row_or_key_that_touches_excluded_text_gives_no_statement() -> None:
    text = "Fee: 12 EUR"
    block = Block(0, len(text), BlockKind.KEY_VALUE, "Line 1", {"kind": "line", "line": 1})
    document = Document(text, (block,), "txt", "text/plain", excluded=(Excluded(5, 7, "hidden"),))
    assert statements.read(document, "note.txt") == ()


def test_words_joined_by_a_hyphen_are_two_unless_they_are_one_concept_or_a_code() -> None:
    assert stems("employee-family") == ("employ", "famili")
    assert stems("the code LX-12") == ("code", "lx-12")


def test_a_word_that_only_describes_a_noun_takes_no_side() -> None:
    assert standing.polarities("Closed project files are kept in Hall C.") == ()
    assert [p.sign for p in standing.polarities("The hall is closed on Mondays.")] == ["-"]


def test_the_address_behind_a_linked_word_is_no_value_but_a_written_one_is() -> None:
    assert all(c.type != "url" for c in one("Read [the rules](https://a.example/rules) before you start.").claims)
    assert any(c.type == "url" for c in one("The rules are at https://a.example/rules from today.").claims)


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("The Kelby office is responsible for the archive.", ("archive", "owner", "kelby office")),
        ("Frau Kern ist zuständig für die Schlüssel.", ("Schlüssel", "owner", "frau kern")),
        ("Mira Okafor looks after the rain gauges.", ("rain gauges", "owner", "mira okafor")),
        ("She is responsible for the archive.", None),
    ],
)
def test_who_answers_for_a_thing_is_its_owner(text: str, frame: tuple[str, str, str] | None) -> None:
    (said,) = statements.read(parse(text.encode(), "a.md"), "a.md")
    assert (said.frame and (said.frame.subject, said.frame.attribute, said.frame.value)) == frame
