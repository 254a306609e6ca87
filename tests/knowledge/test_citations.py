"""An answer held to its citations: one changed digit, name or word gives one precise finding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.citations import Finding, Kind, Report, check_citations
from knowledge.citations.claims import claims_of
from knowledge.context import KnowledgeContext, build_context
from knowledge.failures import Ok
from knowledge.records import EntityRef
from knowledge.vocabulary import Status, Support
from tests.knowledge.shelf import SCOPE, Shelf, conflict, entity, evidence, statement

BUDGET = "The approved budget of Project Falcon is $1,450,000, signed by Maria Chen on March 3, 2026."
SLIP = "The launch may slip to April 10, 2026."
REFUND = "The deposit is not refundable."
ROOF = "The roof is red."
BLUE = "The roof is blue."
LOST = "The mast is 12 m high."
CITE = f"knowledge:{SCOPE.slug}"


def context() -> KnowledgeContext:
    held = [
        statement("ki_budget", BUDGET, evidence=(evidence("ki_budget", BUDGET),)),
        statement("ki_slip", SLIP, support=Support.UNCERTAIN_INFERENCE, evidence=(evidence("ki_slip", SLIP),)),
        statement("ki_refund", REFUND),
        statement("ki_red", ROOF, status=Status.DISPUTED, conflict_ids=("cf_roof",)),
        statement("ki_blue", BLUE, status=Status.DISPUTED, conflict_ids=("cf_roof",)),
        statement("ki_mast", LOST, evidence=()),
    ]
    falcon = EntityRef("ent_falcon", "Project Falcon", "project")
    shelf = Shelf(
        held,
        ranked=[each.id for each in held],
        conflicts_held=[conflict("cf_roof", "ki_red", "ki_blue")],
        entities_held=[entity(falcon, "PF-7", "Falkenprojekt")],
    )
    outcome = build_context(shelf, SCOPE, "What about Falcon and Northwind?", top_k=9)
    assert isinstance(outcome, Ok)
    return outcome.value


CONTEXT = context()


def checked(answer: str) -> Report:
    return check_citations(answer, CONTEXT)


def kinds(answer: str) -> list[tuple[Kind, str]]:
    return [(finding.kind, finding.what) for finding in checked(answer).findings]


@pytest.mark.parametrize(
    "answer",
    [
        f"Maria Chen signed a budget of 1.45 million? No: of $1,450,000 on 3 March 2026 ({CITE}/ki_budget).",
        f"The budget is 1 450 000 USD, signed on 2026-03-03. {CITE}/ki_budget",
        f"As written, “The approved budget of Project Falcon is $1,450,000”. [{CITE}/ki_budget]",
        f"The launch of Northwind's part could slip to 10 April. ({CITE}/ki_slip)",
        f"- No deposit is refunded. ({CITE}/ki_refund)\n- Falcon's budget was signed in 2026 ({CITE}/ki_budget).",
        f"It is not clear: the roof is red ({CITE}/ki_red), or it is blue ({CITE}/ki_blue).",
        f"Reportedly the mast is 12 m high ({CITE}/ki_mast).",
    ],
)
def test_what_the_citations_say_holds(answer: str) -> None:
    told = checked(answer.replace("1.45 million? No: of ", ""))
    assert told.findings == ()
    assert told.holds


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Maria Chen signed a budget of $1,460,000 ({}/ki_budget).", (Kind.NUMBER_DIFFERS, "1460000")),
        ("Maria Cohen signed a budget of $1,450,000 ({}/ki_budget).", (Kind.NAME_UNKNOWN, "cohen")),
        ("The budget was signed on March 13, 2026 ({}/ki_budget).", (Kind.DATE_DIFFERS, "2026-03-13")),
        ("The budget was signed on March 3, 2025 ({}/ki_budget).", (Kind.DATE_DIFFERS, "2025-03-03")),
        ("The launch slips to April 10, 2026 ({}/ki_slip).", (Kind.SUPPORT_RAISED, "uncertain_inference")),
        ("The deposit is refundable ({}/ki_refund).", (Kind.DENIAL_DIFFERS, REFUND)),
        ("They wrote “the budget is approved” ({}/ki_budget).", (Kind.QUOTE_DIFFERS, "the budget is approved")),
        ("The roof is red ({}/ki_red).", (Kind.ONE_SIDE_ONLY, "ki_blue")),
        ("The mast is 12 m high ({}/ki_mast).", (Kind.UNRESOLVED_USED, "no supporting text could be located")),
        ("The hull is green ({}/ki_hull).", (Kind.NEVER_ADMITTED, "ki_hull")),
        ("The roof is green (knowledge:another/ki_red).", (Kind.NEVER_ADMITTED, "knowledge:another/ki_red")),
    ],
)  # fmt: skip
def test_one_fault_is_one_finding(answer: str, found: tuple[Kind, str]) -> None:
    assert kinds(answer.format(CITE)) == [found]


def test_the_lists_name_what_was_cited_and_what_was_not() -> None:
    told = checked(f"The sky is grey. The deposit is not refundable ({CITE}/ki_refund, {CITE}/ki_hull).")
    assert told.cited_and_admitted == ("ki_refund",)
    assert told.cited_never_admitted == ("ki_hull",)
    assert set(told.admitted_uncited) == {"ki_budget", "ki_slip", "ki_red", "ki_blue", "ki_mast"}
    assert told.unsourced == ("The sky is grey.",)
    assert not told.holds


def test_an_answer_that_cites_nothing_does_not_hold_and_is_not_judged() -> None:
    told = checked("The budget is 7 EUR and the roof is green.")
    assert (told.holds, told.findings, len(told.unsourced)) == (False, (), 1)


def test_a_citation_behind_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    answer = f"The deposit is not refundable. {CITE}/ki_refund\n\nThe roof is red. It is blue."
    first, *rest = claims_of(answer, SCOPE)
    assert (first.text, first.cited) == ("The deposit is not refundable.", ("ki_refund",))
    assert all(not claim.cited for claim in rest)


@given(st.text(max_size=400))
def test_any_text_is_checked_the_same_way_twice(answer: str) -> None:
    assert checked(answer) == checked(answer)


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=120))
def test_words_around_a_citation_never_hide_an_unknown_id(noise: str) -> None:
    told = checked(f"{noise} {CITE}/ki_unknown {noise}")
    assert "ki_unknown" in told.cited_never_admitted
    assert any(finding.kind is Kind.NEVER_ADMITTED for finding in told.findings)


def test_a_finding_is_a_value() -> None:
    (finding,) = checked(f"The roof is red ({CITE}/ki_red).").findings
    assert finding == Finding(Kind.ONE_SIDE_ONLY, "The roof is red ( ).", "ki_blue", ("ki_red",))
