"""The queue, its filters in the address, the decision page, phrases, many at once, undo, and the second look."""

import json
import re
from dataclasses import replace

import pytest
from django.test import Client

from console.audit.models import AuditEvent
from console.people.models import User
from console.phrases.models import Phrase
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from knowledge.vocabulary import ConflictStatus
from tests.console import falcon
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider

PROJECT = "/p/falcon-programme"
QUEUE = f"{PROJECT}/review"
CONFLICT = f"{QUEUE}/cf_date"


def shown(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def titles(page: str) -> list[str]:
    return re.findall(r'<h3><a href="[^"]*">([^<]*)</a>', page)


def ruling(conflict: str = "cf_date", **changes: str) -> dict[str, str]:
    digest = falcon.conflicts()[conflict].digest
    return {"ruling": "side:side_ki_10", "notes": "He sent it himself.", "digest": digest, "sides": "", **changes}


def picks(engine: FakeProvider, *ids: str) -> list[str]:
    return [f"{one}={engine.known_conflicts[one].digest}" for one in ids]


def test_the_riskiest_comes_first_with_its_sum(as_member: Client, engine: FakeProvider) -> None:
    engine.served = {f"pkg_{at}": ("planner-ant", ("ki_135",)) for at in range(13)}
    page = shown(as_member, QUEUE)
    assert titles(page)[0] == "Budget of Project Falcon"
    assert titles(page)[-1] == "01-kickoff-memo.md, twice"
    assert "126.0" in page
    assert "14 × 1.00 × 9" in page
    assert "One and 13 times served, times uncertainty 1.00, times 9 days open" in page


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("?kind=duplicate_source", ["01-kickoff-memo.md, twice"]),
        ("?about=budget", ["Budget of Project Falcon"]),
        ("?sources=3", []),
        ("?days=10", []),
        ("?tab=solved", []),
        ("?tab=nonsense&kind=nonsense&sources=-1&days=9999999999999", None),
    ],
)
def test_filters_stand_in_the_address(as_member: Client, query: str, left: list[str] | None) -> None:
    found = titles(shown(as_member, QUEUE + query))
    assert found == left if left is not None else len(found) == 4


def test_the_filters_come_along_to_a_conflict_and_back(as_member: Client) -> None:
    page = shown(as_member, f"{QUEUE}?tab=open&kind=attribute_mismatch")
    assert 'href="/p/falcon-programme/review/cf_date?tab=open&amp;kind=attribute_mismatch"' in page
    detail = shown(as_member, f"{CONFLICT}?tab=open&kind=attribute_mismatch")
    assert "2 of 2, risk" in detail
    assert f'href="{QUEUE}?tab=open&amp;kind=attribute_mismatch"' in detail
    assert f'href="{QUEUE}/cf_budget?tab=open&amp;kind=attribute_mismatch" rel="prev"' in detail


def test_pages_go_on_by_cursor_and_carry_the_filters(as_member: Client, engine: FakeProvider) -> None:
    some = engine.known_conflicts["cf_budget"]
    more = {f"cf_x{at:03}": replace(some, id=f"cf_x{at:03}", subject=f"Part {at}") for at in range(60)}
    engine.known_conflicts = {**engine.known_conflicts, **more}
    first = shown(as_member, f"{QUEUE}?kind=attribute_mismatch")
    assert len(titles(first)) == 50
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)"', first)
    assert address
    second = shown(as_member, QUEUE + address[1].replace("&amp;", "&"))
    assert len(titles(second)) == 12
    assert "First page" in second
    assert "62 open, riskiest first" in second


def test_an_empty_queue_says_whether_anything_was_looked_for(as_member: Client, engine: FakeProvider) -> None:
    engine.known_conflicts = {}
    assert "No open disagreements" in shown(as_member, QUEUE)
    base = engine.known_bases["proj_falcon"]
    engine.known_bases["proj_falcon"] = replace(base, last_pass=replace(base.last_pass, at=None))
    page = shown(as_member, QUEUE)
    assert "There may be disagreements nobody has seen." in page
    assert "No open disagreements" not in page


def test_a_page_of_review_asks_the_engine_three_times_at_most(as_member: Client, engine: FakeProvider) -> None:
    as_member.get(QUEUE)
    for address in (QUEUE, CONFLICT, f"{QUEUE}/cf_twin", f"{QUEUE}/history", f"{QUEUE}?tab=orphaned"):
        engine.calls.clear()
        as_member.get(address)
        assert len(engine.calls) <= 3, (address, engine.calls)
    carried = re.search(r'name="authorities" value="([^"]+)"', as_member.get(CONFLICT).content.decode())
    assert carried is not None
    engine.calls.clear()
    as_member.post(f"{CONFLICT}?tab=open", ruling(authorities=carried[1]))
    assert len(engine.calls) <= 3, engine.calls
    engine.calls.clear()
    as_member.post(f"{QUEUE}/many", {"pick": picks(engine, "cf_budget", "cf_adapter")})
    assert len(engine.calls) <= 3, engine.calls


def test_the_decision_page_tells_all_that_a_ruling_needs(as_member: Client, engine: FakeProvider) -> None:
    engine.served = {"pkg_1": ("planner-ant", ("ki_3",)), "pkg_2": ("writer-ant", ("ki_3",))}
    page = shown(as_member, CONFLICT)
    for told in (
        "B is 38 days later than A.",
        "Only in A: “is March 3”.",
        "Excerpt matches the stored text",
        "1 document, 1 origin",
        "Does not govern",
        "Date header",
        "NOT APPLIED",
        "planner-ant, writer-ant",
        "1 statement becomes Superseded, 1 Current.",
        "No statement changes its state.",
        "Why these are set against each other",
    ):
        assert told in page, told


def test_an_excerpt_whose_digest_is_wrong_is_never_called_right(as_member: Client, engine: FakeProvider) -> None:
    said = engine.known_statements["ki_3"]
    forged = replace(said.evidence[0], excerpt_hash="0" * 64)
    engine.known_statements["ki_3"] = replace(said, evidence=(forged,))
    page = shown(as_member, CONFLICT)
    assert "The excerpt does not match its recorded digest" in page


def test_sides_stand_alike_whatever_is_suggested(as_member: Client, engine: FakeProvider) -> None:
    page = shown(as_member, CONFLICT)
    form = page.partition("data-ruling")[2].partition("</form>")[0]
    assert " checked" not in form
    assert page.index('aria-label="Side B"') < page.index("NOT APPLIED")
    other = replace(engine.known_conflicts["cf_date"], suggestion=None)
    engine.known_conflicts["cf_date"] = other
    without = shown(as_member, CONFLICT)
    sides = [each.partition("The sides")[2].partition("</article>")[0] for each in (page, without)]
    assert sides[0] == sides[1]


def test_a_ruling_in_the_queue_leads_on_and_offers_to_undo(as_member: Client, engine: FakeProvider) -> None:
    answer = as_member.post(f"{CONFLICT}?tab=open&kind=attribute_mismatch", ruling())
    assert answer["Location"] == f"{QUEUE}?tab=open&kind=attribute_mismatch"
    digest = engine.known_conflicts["cf_adapter"].digest
    answer = as_member.post(f"{QUEUE}/cf_adapter?tab=open", ruling(ruling="neither", digest=digest))
    assert answer["Location"] == f"{QUEUE}/cf_budget?tab=open"
    page = shown(as_member, answer["Location"])
    assert "Ruled: B holds." in page
    assert "Ruled: Neither holds." in page
    undo = re.findall(r'<form method="post" action="([^"]*)">.*?value="(dec_[^"]*)"', page, re.DOTALL)
    assert undo[-1] == (f"{QUEUE}/cf_adapter/reopen?tab=open", "dec_cf_adapter_neither")
    as_member.post(undo[-1][0], {"expected_decision": undo[-1][1], "notes": "Taken back."})
    assert engine.known_conflicts["cf_adapter"].status is ConflictStatus.OPEN
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.RESOLVED


def test_an_undo_that_came_too_late_takes_nothing_back(as_member: Client, owner: User, engine: FakeProvider) -> None:
    as_member.post(CONFLICT, ruling())
    mine = "dec_cf_date_choose_side"
    signed_in(owner).post(f"{CONFLICT}/reopen", {"notes": "Look again."})
    signed_in(owner).post(CONFLICT, ruling(ruling="neither", notes="Both are out."))
    answer = as_member.post(f"{CONFLICT}/reopen", {"expected_decision": mine, "notes": "Taken back."})
    assert answer.status_code == 409
    assert "The ruling stands as it was." in answer.content.decode()
    found = engine.known_conflicts["cf_date"].ruling
    assert found is not None
    assert found.action == "neither"


def test_a_toast_claims_nothing_that_was_not_recorded(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["resolve"] = Failed(Failure.UNAVAILABLE, "Away.")
    answer = as_member.post(CONFLICT, ruling())
    page = answer.content.decode()
    assert answer.status_code == 503
    assert "Ruled:" not in page
    assert "Your ruling was not saved; your reason is kept below." in page
    assert "He sent it himself." in page
    assert "data-undo" not in page


def test_a_ruling_refused_by_the_engine_is_told_at_the_form(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["resolve"] = Failed(Failure.INVALID, "Choose one of the sides of this conflict.")
    answer = as_member.post(CONFLICT, ruling(ruling="side:side_of_another"))
    assert answer.status_code == 422
    assert "Choose one of the sides of this conflict." in answer.content.decode()


def test_evidence_is_asked_of_a_member_who_may_rule(as_member: Client, engine: FakeProvider) -> None:
    page = shown(as_member, CONFLICT)
    people = re.findall(r'<option value="([^"]+)">', page.partition('name="assignee"')[2].partition("</select>")[0])
    assert people == ["Mara", "Tomas"]
    refused = as_member.post(CONFLICT, ruling(ruling="needs_evidence", assignee="Vera"))
    assert refused.status_code == 422
    as_member.post(CONFLICT, ruling(ruling="needs_evidence", assignee="Mara"))
    assert engine.known_conflicts["cf_date"].assignee == "Mara"
    assert titles(shown(as_member, f"{QUEUE}?tab=assigned")) == ["Launch date of Project Falcon"]


# Phrases


def test_the_keys_hold_phrases_from_the_first_day(as_member: Client) -> None:
    page = shown(as_member, CONFLICT)
    assert re.findall(r'data-phrase-key="(.)"', page) == list("qwrty")
    assert "The newer source holds." in page


def test_a_reason_is_kept_as_a_phrase_of_ones_own(as_member: Client, owner: User, project: Project) -> None:
    as_member.post(CONFLICT, ruling(notes="The memo is  signed.", keep="on"))
    assert Phrase.objects.get().words == "The memo is signed."
    page = shown(as_member, f"{QUEUE}/cf_budget")
    assert re.search(r'data-phrase="The memo is signed\." data-phrase-key="q"', page)
    assert "The memo is signed." not in shown(signed_in(owner), f"{QUEUE}/cf_budget")
    event = AuditEvent.objects.get(action="phrase.kept")
    assert "memo" not in json.dumps([event.target, event.before, event.after])


def test_a_refused_ruling_keeps_no_phrase(as_member: Client) -> None:
    as_member.post(CONFLICT, ruling(digest="moved", keep="on"))
    assert not Phrase.objects.exists()


def test_five_phrases_are_the_most_and_one_is_dropped_for_another(as_member: Client) -> None:
    address = f"{QUEUE}/phrases"
    for words in ("one", "two", "three", "four", "five"):
        assert as_member.post(address, {"words": words}).status_code == 302
    answer = as_member.post(address, {"words": "six"})
    assert answer.status_code == 422
    assert "Drop one first." in answer.content.decode()
    first = Phrase.objects.get(words="one")
    as_member.post(address, {"drop": str(first.pk)})
    assert as_member.post(address, {"words": "six"}).status_code == 302
    as_member.post(CONFLICT, ruling(notes="seven", keep="on"))
    assert Phrase.objects.count() == 5
    assert "all 5 keys are taken" in shown(as_member, CONFLICT)


def test_nobody_drops_the_phrase_of_another(as_member: Client, as_owner: Client) -> None:
    as_owner.post(f"{QUEUE}/phrases", {"words": "mine"})
    as_member.post(f"{QUEUE}/phrases", {"drop": str(Phrase.objects.get().pk)})
    assert Phrase.objects.count() == 1


# Many at once


def test_many_are_shown_before_they_are_ruled(as_member: Client, engine: FakeProvider) -> None:
    answer = as_member.post(f"{QUEUE}/many", {"pick": picks(engine, "cf_budget", "cf_adapter")})
    page = answer.content.decode()
    assert "Rule on 2 disagreements" in page
    assert titles(page) == ["Budget of Project Falcon", "Requirement of the legacy adapter"]
    assert "2 disagreements, 4 statements" in page
    assert " checked" not in page.partition("data-ruling")[2].partition("</form>")[0]
    assert not {"resolve", "resolve_each"} & set(engine.calls)


def test_exactly_the_listed_are_ruled_and_each_is_told(as_member: Client, owner: User, engine: FakeProvider) -> None:
    listed = picks(engine, "cf_budget", "cf_adapter", "cf_date")
    signed_in(owner).post(f"{QUEUE}/cf_adapter", ruling("cf_adapter", ruling="neither"))
    moved = engine.known_conflicts["cf_date"]
    engine.known_conflicts["cf_date"] = replace(moved, digest="moved")
    posted = {"pick": listed, "record": "1", "ruling": "letter:A", "notes": "The memo is signed."}
    answer = as_member.post(f"{QUEUE}/many?tab=open", posted)
    assert answer["Location"] == f"{QUEUE}/many?tab=open"
    page = shown(as_member, answer["Location"])
    assert "1 of 3 rulings recorded" in page
    assert re.findall(r'data-outcome="(\w+)"', page) == ["done", "failed", "failed"]
    assert "Mara recorded it." in page
    ruled = engine.known_conflicts["cf_budget"].ruling
    assert ruled is not None
    assert ruled.winner_id == "side_ki_120"
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN
    assert engine.known_conflicts["cf_twin"].status is ConflictStatus.OPEN
    assert page.count('name="expected_decision"') == 1
    assert as_member.get(f"{QUEUE}/many?tab=open")["Location"] == f"{QUEUE}?tab=open"
    event = AuditEvent.objects.get(action="conflict.ruled_each")
    assert event.after["asked"] == "cf_budget,cf_adapter,cf_date"
    assert event.after["recorded"] == "cf_budget"


def test_what_changed_since_it_was_picked_is_left_out_and_named(as_member: Client, engine: FakeProvider) -> None:
    listed = [*picks(engine, "cf_budget"), "cf_date=other", "cf_gone=1"]
    page = as_member.post(f"{QUEUE}/many", {"pick": listed}).content.decode()
    assert "Rule on 1 disagreement" in page
    assert "Its sides changed since you listed it." in page
    assert "1 of those you picked is not there any more." in page
    form = page.partition("data-ruling")[2].partition("</form>")[0]
    assert re.findall(r'name="pick" value="([^"=]*)=', form) == ["cf_budget"]


def test_an_incomplete_ruling_on_many_keeps_the_list(as_member: Client, engine: FakeProvider) -> None:
    posted = {"pick": picks(engine, "cf_budget", "cf_date"), "record": "1", "ruling": "both", "notes": "Two things."}
    answer = as_member.post(f"{QUEUE}/many", posted)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Say what tells them apart" in page
    assert "Two things." in page
    assert "Rule on 2 disagreements" in page


def test_nothing_picked_leads_back(as_member: Client) -> None:
    assert as_member.post(f"{QUEUE}/many?tab=maybe", {})["Location"] == f"{QUEUE}?tab=maybe"


def test_a_viewer_is_offered_no_ruling(viewer: User, project: Project) -> None:
    client = signed_in(viewer)
    assert 'name="pick"' not in shown(client, QUEUE)
    assert "data-ruling" not in shown(client, CONFLICT)


# Two looks


def test_a_manager_asks_two_people_and_the_second_is_blind(
    as_member: Client, as_owner: Client, engine: FakeProvider
) -> None:
    assert as_member.post(f"{QUEUE}/second-look", {"second_look": "on"}).status_code == 302
    assert engine.second_look
    as_member.post(CONFLICT, ruling(notes="The newer one, plainly."))
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.OPEN
    mine = shown(as_member, CONFLICT)
    assert "Your first look is kept" in mine
    assert "data-ruling" not in mine
    assert "data-undo" not in mine
    other = shown(as_owner, CONFLICT)
    assert "the second look; Tomas gave the first" in other
    assert "plainly" not in other
    again = as_member.post(CONFLICT, ruling())
    assert again.status_code == 409
    assert "A second person must give the other." in again.content.decode()
    assert "Tomas gave the first look" in shown(as_owner, QUEUE)
    as_owner.post(CONFLICT, ruling())
    assert engine.known_conflicts["cf_date"].status is ConflictStatus.RESOLVED


def test_a_reviewer_cannot_turn_the_second_look_off(project: Project, engine: FakeProvider) -> None:
    from console.policy import Role
    from console.projects.actions import add_member
    from tests.console.conftest import BY, person

    reviewer = person(Role.REVIEWER, "Rita")
    add_member(by=BY, project=project, user=reviewer)
    assert signed_in(reviewer).post(f"{QUEUE}/second-look", {"second_look": "off"}).status_code == 403
