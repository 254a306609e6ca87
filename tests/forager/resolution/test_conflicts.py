import itertools
from dataclasses import replace

import pytest

from forager.extraction import claims as words
from forager.extraction import statements
from forager.extraction.model import Claim
from forager.model.ids import sha256_text
from forager.parsing.registry import parse
from forager.resolution import alignment, likeness, pairing
from forager.resolution.conflicts import FoundConflict, detect
from forager.resolution.placed import Origin, Placed
from forager.resolution.subjects import Subjects
from forager.resolution.supersession import suggest


def placed(documents: dict[str, str]) -> list[Placed]:
    found = []
    for name, text in documents.items():
        document = parse(text.encode(), name)
        origin = Origin(f"src_{name}", f"doc_{name}", f"org_{name}", name, document.document_date, authoritative=False)
        for one in statements.read(document, name):
            key = words.key_of(one.frame) if one.frame else ""
            for claim in one.claims:
                item = f"ki_{sha256_text(one.text + key)[:12]}"
                subject_origin = one.frame.origin if one.frame else "none"
                span = (one.start, one.end)
                found.append(
                    Placed(item, sha256_text(one.text), span, one.text, subject_origin, claim.key, claim, origin)
                )
    return found


def conflicts(*texts: str) -> list[FoundConflict]:
    return detect(placed({f"{at}.md": text for at, text in enumerate(texts)}))[0]


def values(*texts: str) -> list[list[str]]:
    return [[side.value for side in found.sides] for found in conflicts(*texts)]


def test_two_values_of_one_attribute_are_a_conflict_with_two_sides() -> None:
    (found,) = conflicts(
        "The launch date for Project Kite is March 3, 2026.",
        "The launch date for Project Kite has moved to April 10, 2026.",
    )
    assert found.type == "attribute_mismatch"
    assert found.key == "kite|launch_date"
    assert [side.value for side in found.sides] == ["2026-03-03", "2026-04-10"]
    assert found.description == '2 different values were stated for "launch_date" of kite: 2026-03-03 vs 2026-04-10'


def test_three_values_are_one_conflict_with_three_sides() -> None:
    assert values(*(f"The budget of Project Kite is {n} EUR." for n in (100, 200, 300))) == [
        ["100 EUR", "200 EUR", "300 EUR"]
    ]


@pytest.mark.parametrize(
    "pair",
    [
        ("The budget for Project Kite is $1.2 million.", "The budget for Project Kite is 1,200,000 USD."),
        ("The review of Project Kite is in March 2026.", "The review of Project Kite is on March 3, 2026."),
        ("The mass of the Kite airframe is 24.5 kg.", "The mass of the Kite airframe is 24,500 g."),
        ("The lead of Project Kite is Ada Lovelace.", "The lead of Project Kite is Lovelace."),
        ("Project Kite needs at least 30 people.", "Project Kite needs 45 people."),
        ("The form is due on 03/04/2026.", "The form is due on 3 April 2026."),
        ("The fee of Alpha-1 is 10 EUR.", "The fee of Alpha-2 is 12 EUR."),
        ("The fee in production is 10 EUR.", "The fee in staging is 12 EUR."),
        ("Deliveries are accepted until 16:00.", "On Fridays deliveries are accepted until 14:00."),
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_conflict(pair: tuple[str, str]) -> None:
    assert conflicts(*pair) == []


@pytest.mark.parametrize(
    ("pair", "values"),
    [
        (
            ("Guests may bring dogs into the rooms.", "Guests may not bring dogs into the rooms."),
            ["allowed", "not allowed"],
        ),
        (
            ("The parachute recovery system is required.", "The parachute recovery system is optional."),
            ["not required", "required"],
        ),
        (("The export filter is enabled.", "The export filter is disabled."), ["disabled", "enabled"]),
        (("The museum is open on holidays.", "The museum is closed on holidays."), ["closed", "open"]),
    ],
)
def test_opposite_sides_taken_are_a_contradiction(pair: tuple[str, str], values: list[str]) -> None:
    (found,) = conflicts(*pair)
    assert found.type == "contradiction"
    assert [side.value for side in found.sides] == values


def test_the_order_of_the_documents_changes_nothing() -> None:
    texts = (
        "The launch date for Project Kite is March 3, 2026.",
        "The launch date for Project Kite is May 3, 2026.",
        "The lead of Project Kite is Ada Lovelace.",
        "The lead of Project Kite is Alan Turing.",
    )
    named = {f"{at}.md": text for at, text in enumerate(texts)}
    seen = {
        tuple((c.key, tuple(s.value for s in c.sides)) for c in detect(placed({n: named[n] for n in order}))[0])
        for order in itertools.permutations(named)
    }
    assert len(seen) == 1


def test_the_work_of_the_pass_is_counted() -> None:
    _, work = detect(placed({"a.md": "The fee of Alpha-1 is 10 EUR.", "b.md": "The fee of Alpha-2 is 12 EUR."}))
    assert work.pairs == 1
    assert dict(work.skipped) == {"another id": 1}


def test_what_divides_a_large_bucket_is_never_weighed_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same conflicts as if every pair of a bucket were weighed, for far fewer pairs."""
    texts = [
        f"The fee of Alpha-{n % 20} for guests is {10 + n % 7} EUR on {day}."
        for n, day in enumerate(["Monday", "Friday"] * 30)
    ]
    claims = placed({f"{at}.md": text for at, text in enumerate(texts)})
    divided, work = detect(claims)
    monkeypatch.setattr(pairing, "SMALL", 10_000)
    every, all_work = detect(claims)
    assert divided
    assert divided == every
    assert work.pairs < all_work.pairs / 3
    assert work.skipped[pairing.DIVIDED] > 0


def test_headings_of_one_pattern_keep_what_stands_under_them_apart() -> None:
    oregon = "## Oregon sick leave\n\nCare for a child is paid for 12 weeks."
    maine = "## Maine sick leave\n\nCare for a child is paid for {} weeks."
    both = f"# Leave\n\n{oregon}\n\n{maine.format(14)}"
    assert values(both) == []
    assert values(both, f"# Leave\n\n{maine.format(16)}") == [["14 wk", "16 wk"]]


def test_a_source_that_says_the_very_same_has_its_like() -> None:
    """The family's price is none of the partner's, which both lists give in the same words."""
    one = "# Prices\n\n- Partner medical coverage: 197 EUR\n- Family medical coverage: 287 EUR\n"
    other = "# Prices\n\n- Partner medical coverage: 197 EUR\n- Family medical coverage: 288 EUR\n"
    assert values(one, other) == [["287 EUR", "288 EUR"]]


def test_an_acronym_is_a_name_wherever_it_stands() -> None:
    assert values("CA-PFL pays benefits for 8 weeks.", "TDI pays benefits for 26 weeks.") == []
    assert values("CA-PFL pays benefits for 8 weeks.", "Reminder: CA-PFL pays benefits for 17 weeks.") == [
        ["17 wk", "8 wk"]
    ]


def test_an_announced_change_is_the_first_reason_for_a_suggestion() -> None:
    (found,) = conflicts(
        "---\ndate: 2026-01-12\n---\n\nThe launch date for Project Kite is March 3, 2026.",
        "---\ndate: 2026-02-18\n---\n\nThe launch date for Project Kite has moved to April 10, 2026.",
    )
    hint = suggest(found)
    assert hint is not None
    at, reason = hint
    assert found.sides[at].value == "2026-04-10"
    assert "was changed" in reason


def test_the_only_dated_source_is_a_reason_for_a_suggestion() -> None:
    (found,) = conflicts(
        "The launch date for Project Kite is March 3, 2026.",
        "---\ndate: 2026-02-18\n---\n\nThe launch date for Project Kite is April 10, 2026.",
    )
    assert suggest(found) == (1, "Only this statement comes from a dated source (2026-02-18)")


def test_a_correction_meets_the_value_it_does_away_with() -> None:
    (found,) = conflicts(
        "# Tender 17\n\nOffers have to arrive by 12 June 2026.\n",
        "# Corrigendum to tender 17\n\nIn section 1, instead of 12 June 2026 read 19 June 2026.\n",
    )
    assert [side.value for side in found.sides] == ["2026-06-12", "2026-06-19"]
    assert found.why == "a correction names the value that the other states"


def test_two_names_of_different_things_are_never_one_subject() -> None:
    assert conflicts("The budget for Nova is 12,000 EUR.", "The budget for Vega is 7,000 EUR.") == []


def test_a_table_and_a_sentence_about_another_row_do_not_meet() -> None:
    documents = {"racks.csv": "rack,shelves\nR01,4\nR07,5\n", "sheet.md": "Bay R08 has three shelves.\n"}
    assert detect(placed(documents))[0] == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The berth fee for boats up to 8 m is 420 euros.", "The berth fee for boats over 8 m is 560 euros."),
        ("The draft budget for paint is 900 euros.", "The budget for paint is 700 euros."),
        ("From 1 January to 31 December 2025 the fee is 12 euros.", "From 1 January 2026 the fee is 13 euros."),
        ("The workshop runs about 20 minutes.", "The workshop runs 22 minutes."),
        ("The grant is 1.2 million euros.", "The grant is 1,240,000 euros."),
        ("The net price of the check is 32.50 euros.", "The price of the check is 39 euros."),
        ("On Fridays the office closes at 15:00.", "The office closes at 17:00."),
        ("The notice period is one month.", "The notice period is 30 days."),
        ("The store keeps closed files in Hall C.", "The store keeps files open to readers in Hall C."),
        ("The lead of Sparrow is K. Wojcik.", "The lead of Sparrow is Katarzyna Wójcik."),
        ("The filter is changed once a month.", "The filter is changed every four weeks."),
    ],
)
def test_what_holds_side_by_side_is_no_conflict(first: str, second: str) -> None:
    assert conflicts(first, second) == []


@pytest.mark.parametrize(
    ("first", "second", "sides"),
    [
        ("The walls of gallery 5 are painted dark green.", "Gallery 5: paint the walls blue.", ["blue", "green"]),
        ("Dogs are welcome in the lounge.", "No dogs are admitted to the lounge.", ["allowed", "rejected"]),
        ("The lounge is open until 8 pm.", "Lounge: open 10.00 - 21.00", ["10:00..21:00", "20:00"]),
        (
            "The filter is changed once a month.",
            "The filter is changed every six months.",
            ["once a month", "every 6 mo"],
        ),
        ("A late return of a book costs 20p.", "Late return of a book: £0.25", ["0.25 GBP", "20 p"]),
        (
            "Breakfast for children is free of charge.",
            "Breakfast for children costs 4 euros.",
            ["4 EUR", "free"],
        ),
    ],
)
def test_disagreements_of_ordinary_notices_are_found(first: str, second: str, sides: list[str]) -> None:
    assert [sorted(found) for found in values(first, second)] == [sorted(sides)]


def test_a_conflict_within_a_larger_one_is_not_told_twice() -> None:
    (found,) = conflicts(
        "The retention of access logs is 30 days.",
        "The retention of access logs is 60 days.",
        "The retention of access logs is 90 days.",
    )
    assert len(found.sides) == 3


def test_the_address_behind_a_linked_word_is_no_value() -> None:
    assert conflicts("Read [the rules](https://a.example/rules).", "Read [the rules](https://b.example/old).") == []


def test_a_sentence_said_again_with_another_value_is_found_in_long_documents() -> None:
    filler = [
        f"Paragraph {n} tells of {word} and nothing else." for n, word in enumerate("abcdefghijklmnopqrstuvwxyz" * 2)
    ]
    handbook = "\n\n".join([*filler, "New staff get twenty days of leave in their first year here."])
    memo = "\n\n".join([*filler[:30], "Reminder: new staff get 25 days of leave in their first year here."])
    assert [sorted(s.value for s in found.sides) for found in conflicts(handbook, memo)] == [["20 d", "25 d"]]


def test_long_documents_do_not_meet_by_an_ordinary_word() -> None:
    filler = [
        f"Paragraph {n} tells of {word} and nothing else." for n, word in enumerate("abcdefghijklmnopqrstuvwxyz" * 2)
    ]
    one = "\n\n".join([*filler, "The whole company gathers in person twice a year."])
    other = "\n\n".join([*filler, "Once a month the company council reads letters."])
    assert conflicts(one, other) == []


def test_what_holds_from_a_later_day_is_no_conflict_with_what_was_said_before() -> None:
    before = "Date: 3 February 2026\n\nThe monthly fee for the gym is 7 euros."
    later = "From 1 May 2026 the monthly fee for the gym is 8 euros."
    assert conflicts(before, later) == []
    assert len(conflicts(before, "The monthly fee for the gym is 8 euros.")) == 1


def test_a_short_sentence_said_again_in_long_documents_is_found() -> None:
    filler = [
        f"Paragraph {n} tells of {word} and nothing else." for n, word in enumerate("abcdefghijklmnopqrstuvwxyz" * 2)
    ]
    days = [f"The {thing} takes {n} days." for n, thing in enumerate(("move", "course", "repair", "audit"), start=2)]
    one = "\n\n".join([*filler, *days, "We work 4-day work weeks every summer."])
    other = "\n\n".join([*filler, *days, "We work 9-day work weeks every summer."])
    assert [sorted(s.value for s in found.sides) for found in conflicts(one, other)] == [["4 d", "9 d"]]


def test_a_name_is_compared_under_its_entitys_own_name() -> None:
    subjects = Subjects([("KW", "Katarzyna Wójcik"), ("Katarzyna Wójcik", "Katarzyna Wójcik")])
    claim = Claim("name", "kw", "KW", "", "", (), (), ())
    assert subjects.named(claim).value == "katarzyna wójcik"
    assert subjects.named(replace(claim, type="text")).value == "kw"


def test_nearly_the_same_sentence_elsewhere_is_about_the_same_thing_for_sure() -> None:
    found = placed(
        {"a.md": "New staff get 20 days of leave at once.", "b.md": "New staff get 25 days of leave at once."}
    )
    first, second = (p for p in found if p.claim.type == "quantity")
    pair = alignment.score(first, second, likeness.surroundings(found))
    assert pair is not None
    assert pair.score >= 0.85


def test_an_attribute_with_many_phrases_lists_them() -> None:
    """Each of many sources names one more thing under one label: none of them says that the others are wrong."""
    names = ("Ash", "Birch", "Cedar", "Dogwood", "Elder", "Fir")
    many = [f"The supplier of Kelby is {name} Foods." for name in names]
    assert values(*many) == []
    assert len(values(*many[:2])) == 1


def test_conflicts_on_things_told_apart_by_a_mark_stay_apart() -> None:
    said = "Visitors may not use the room Hadley {} after {} pm."
    found = conflicts(said.format("176a", 1), said.format("176a", 8), said.format("309b", 1), said.format("309b", 8))
    assert len({conflict.key for conflict in found}) == 2
    assert [len(side.members) for conflict in found for side in conflict.sides] == [1, 1, 1, 1]
