"""Who is who: what may be one is decided by a person, bound to what was read; names are taken out and joined."""

from dataclasses import replace

import pytest
from django.test import Client

from console.people.models import User
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider

AT = "/p/falcon-programme/knowledge/entities"


def decide(client: Client, engine: FakeProvider, **more: str) -> tuple[int, str]:
    body = {"ruling": "two", "notes": "Sisters.", "digest": engine.known_candidates["mc_smith"].digest, **more}
    answer = client.post(f"{AT}/candidates/mc_smith", body)
    return answer.status_code, answer.content.decode()


def test_both_names_stand_side_by_side_with_what_is_said_of_them(as_owner: Client) -> None:
    page = as_owner.get(f"{AT}/candidates/mc_smith").content.decode()
    assert "Proposed because their names differ by one letter" in page
    assert page.count('class="side"') == 2
    assert "The customer has already agreed to the new date." in page
    assert "A nickname of Robert" in page
    assert 'data-key="1"' in page
    assert 'data-key="d"' in page


@pytest.mark.parametrize(("ruling", "status"), [("one", "accepted"), ("two", "rejected")])
def test_a_decision_is_recorded_with_its_reason(
    as_owner: Client, engine: FakeProvider, ruling: str, status: str
) -> None:
    assert decide(as_owner, engine, ruling=ruling)[0] == 302
    found = engine.known_candidates["mc_smith"]
    assert (found.status, found.decided_by, found.decided_notes) == (status, "Mara", "Sisters.")


@pytest.mark.parametrize("missing", ["ruling", "notes"])
def test_what_is_missing_is_asked_for(as_owner: Client, engine: FakeProvider, missing: str) -> None:
    code, page = decide(as_owner, engine, **{missing: ""})
    assert code == 422
    assert 'aria-invalid="true"' in page or "Choose whether they are one." in page
    assert engine.known_candidates["mc_smith"].status == "open"


def test_the_second_of_two_is_told_and_keeps_the_reason(as_owner: Client, engine: FakeProvider) -> None:
    code, page = decide(as_owner, engine, digest="0" * 64)
    assert code == 409
    assert "Tomas decided that they are two" in page
    assert "Sisters." in page


def test_a_viewer_reads_the_pair_and_gets_no_form(viewer: User, project: Project) -> None:
    page = signed_in(viewer).get(f"{AT}/candidates/mc_smith").content.decode()
    assert "differ by one letter" in page
    assert "data-ruling" not in page
    assert "Take" not in signed_in(viewer).get(f"{AT}/ent_smith").content.decode()


def test_a_name_is_taken_out_with_a_reason(as_owner: Client, engine: FakeProvider) -> None:
    assert "Take “Bob” out" in as_owner.get(f"{AT}/ent_smith").content.decode()
    assert as_owner.post(f"{AT}/ent_smith/names", {"alias": "Bob", "notes": ""}).status_code == 422
    assert "separate_name" not in engine.calls
    assert as_owner.post(f"{AT}/ent_smith/names", {"alias": "Bob", "notes": "Another man."}).status_code == 302
    assert "separate_name" in engine.calls


def test_two_are_joined_by_the_exact_name_of_the_other(as_owner: Client, engine: FakeProvider) -> None:
    wrong = as_owner.post(f"{AT}/ent_smith/names", {"other": "Nobody", "why": "Same."})
    assert wrong.status_code == 422
    assert "No other entity has exactly this name" in wrong.content.decode()
    answer = as_owner.post(f"{AT}/ent_smith/names", {"other": "robert smyth", "why": "Same."})
    assert answer.status_code == 302
    assert "join_entities" in engine.calls


def test_a_refusal_changes_nothing_and_says_so(as_owner: Client, engine: FakeProvider) -> None:
    engine.failures["separate_name"] = Failed(Failure.CONFLICT, "It is no name of it any more.")
    answer = as_owner.post(f"{AT}/ent_smith/names", {"alias": "Bob", "notes": "x"})
    assert answer.status_code == 409
    assert "It is no name of it any more." in answer.content.decode()


def pairs(engine: FakeProvider) -> None:
    """Three pairs to decide and one that is decided, by id."""
    smith = engine.known_candidates["mc_smith"]
    engine.known_candidates |= {
        key: replace(smith, id=key, status=status)
        for key, status in (("mc_anna", "open"), ("mc_bert", "rejected"), ("mc_zoe", "open"))
    }


def test_one_walks_through_the_pairs_as_through_review(as_owner: Client, engine: FakeProvider) -> None:
    pairs(engine)
    listed = as_owner.get(f"{AT}/candidates").content.decode()
    assert f'href="{AT}/candidates/mc_smith?show=open"' in listed
    page = as_owner.get(f"{AT}/candidates/mc_smith?show=open").content.decode()
    assert f'href="{AT}/candidates/mc_anna?show=open" rel="prev" data-go="k"' in page
    assert f'href="{AT}/candidates/mc_zoe?show=open" rel="next" data-go="j"' in page
    assert '<li aria-current="page">2 of 3</li>' in page
    assert "data-go" not in as_owner.get(f"{AT}/candidates/mc_bert?show=rejected").content.decode()


def test_a_decision_leads_on_to_the_next_pair_and_at_last_to_the_list(as_owner: Client, engine: FakeProvider) -> None:
    pairs(engine)
    body = {"ruling": "two", "notes": "Sisters.", "digest": engine.known_candidates["mc_smith"].digest}
    answer = as_owner.post(f"{AT}/candidates/mc_smith?show=open", body)
    assert answer.headers["Location"] == f"{AT}/candidates/mc_zoe?show=open"
    last = as_owner.post(answer.headers["Location"], body)
    assert last.headers["Location"] == f"{AT}/candidates?show=open"
    by_link = as_owner.post(f"{AT}/candidates/mc_anna", body)
    assert by_link.headers["Location"] == f"{AT}/candidates"


def test_the_page_of_a_pair_takes_two_reads_and_shows_excerpts_in_context(
    as_owner: Client, engine: FakeProvider
) -> None:
    as_owner.get(f"{AT}/candidates/mc_smith")
    engine.calls.clear()
    page = as_owner.get(f"{AT}/candidates/mc_smith").content.decode()
    assert [call for call in engine.calls if call != "engine"] == ["base", "merge_candidate"]
    assert "Excerpt matches the stored text" in page
