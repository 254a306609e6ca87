"""Decisions about names: what a person joined or told apart stays so, over every run, and can be taken back exactly."""

from typing import Any

import pytest

from forager.interchange import jsonl
from forager.model.models import Decision, KnowledgeBase, MergeCandidate, ReviewEvent
from forager.review import merging
from tests.forager.conftest import Api, work

DOCUMENTS = {
    "minutes.txt": "Ingrid Solvang signed the Pier contract on 3 March 2026. Ingrid Solvang leads the harbour works.",
    "letter.txt": "Ingrid Slovang asked for a copy of the plans.",
}


@pytest.fixture
def candidate(api: Api, base: KnowledgeBase) -> dict[str, Any]:
    api.load(base.pk, DOCUMENTS)
    (found,) = api.get(f"/projects/{base.pk}/merge-candidates", status="open")["items"]
    return dict(api.get(f"/merge-candidates/{found['id']}"))


def people(api: Api, base: KnowledgeBase) -> dict[str, list[tuple[str, str]]]:
    listed = api.get(f"/projects/{base.pk}/entities", q="ingrid")["items"]
    return {e["canonical_name"]: [(a["alias"], a["reason"]) for a in e["aliases"]] for e in listed}


def decide(api: Api, candidate: dict[str, Any], what: str, **more: Any) -> Any:
    body = {"expected_digest": candidate["digest"], "actor": "mara", **more}
    answer = api.post(f"/merge-candidates/{candidate['id']}/{what}", body)
    work()
    return answer


def read_again(api: Api, base: KnowledgeBase) -> None:
    api.post(f"/projects/{base.pk}/process", {"force": True}, status=202)
    work()


def snapshot(base: KnowledgeBase) -> list[bytes]:
    """All records but the decisions themselves."""
    base.refresh_from_db()
    return [line for line in jsonl.logical_lines(base).splitlines() if b'"anchor"' not in line]


def test_a_candidate_shows_evidence_beside_both_names(candidate: dict[str, Any]) -> None:
    assert candidate["reason"] == "their names differ by one letter"
    names = {s["entity"]["canonical_name"]: [i["statement"] for i in s["items"]] for s in candidate["sides"]}
    assert "Ingrid Slovang asked for a copy of the plans." in names["Ingrid Slovang"]
    assert len(names["Ingrid Solvang"]) == 2
    assert all(i["evidence"] for s in candidate["sides"] for i in s["items"])


def test_a_rejected_candidate_is_never_proposed_again(api: Api, base: KnowledgeBase, candidate: dict[str, Any]) -> None:
    after = decide(api, candidate, "reject", notes="two sisters")
    assert (after["status"], after["decision"]["notes"]) == ("rejected", "two sisters")
    read_again(api, base)
    api.load(base.pk, {"more.txt": "Ingrid Slovang and Ingrid Solvang met."})
    assert api.get(f"/projects/{base.pk}/merge-candidates", status="open")["items"] == []
    assert len(people(api, base)) == 2


def test_an_accepted_one_is_joined_and_stays_so(api: Api, base: KnowledgeBase, candidate: dict[str, Any]) -> None:
    after = decide(api, candidate, "accept")
    assert (after["status"], after["job_id"][:4]) == ("accepted", "job_")
    joined = {"Ingrid Solvang": [("Ingrid Slovang", "joined by mara")]}
    assert people(api, base) == joined
    read_again(api, base)
    assert people(api, base) == joined
    api.load(base.pk, {"more.txt": "Ingrid Slovang wrote again."})
    (one,) = api.get(f"/projects/{base.pk}/entities", q="ingrid")["items"]
    assert len(one["aliases"]) == 1


def test_unmerging_restores_exactly_what_stood(api: Api, base: KnowledgeBase, candidate: dict[str, Any]) -> None:
    before = snapshot(base)
    decide(api, candidate, "accept")
    (one,) = api.get(f"/projects/{base.pk}/entities", q="ingrid")["items"]
    assert snapshot(base) != before
    api.post(f"/entities/{one['id']}/unmerge", {"alias": "Ingrid Slovang", "actor": "tomas", "notes": "wrong"})
    work()
    assert snapshot(base) == before
    again = api.get(f"/merge-candidates/{candidate['id']}")
    assert (again["status"], again["digest"]) == ("open", candidate["digest"])
    assert list(ReviewEvent.objects.order_by("at").values_list("action", "actor")) == [
        ("merge", "mara"),
        ("unmerge", "tomas"),
    ]


def test_a_name_that_a_rule_joined_can_be_taken_out_and_stays_out(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "Robert Tanner signed it. Bob Tanner signed it too."})
    (one,) = api.get(f"/projects/{base.pk}/entities", q="tanner")["items"]
    assert [(a["alias"], a["separable"]) for a in one["aliases"]] == [("Bob Tanner", True)]
    api.post(f"/entities/{one['id']}/unmerge", {"alias": "Bob Tanner", "actor": "mara"})
    work()
    read_again(api, base)
    assert len(api.get(f"/projects/{base.pk}/entities", q="tanner")["items"]) == 2


def test_a_later_joining_wins_and_taking_it_back_lets_the_rejection_count_again(
    api: Api, base: KnowledgeBase, candidate: dict[str, Any]
) -> None:
    rejected = decide(api, candidate, "reject")
    decide(api, rejected, "accept")
    (one,) = api.get(f"/projects/{base.pk}/entities", q="ingrid")["items"]
    api.post(f"/entities/{one['id']}/unmerge", {"alias": "Ingrid Slovang", "actor": "mara"})
    work()
    assert api.get(f"/merge-candidates/{candidate['id']}")["status"] == "rejected"


def test_two_entities_no_rule_proposed_can_be_joined(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "Project Heron is late. Project Egret is early."})
    found = {e["canonical_name"]: e["id"] for e in api.get(f"/projects/{base.pk}/entities")["items"]}
    body = {"other_id": found["Project Egret"], "actor": "mara"}
    api.post(f"/entities/{found['Project Heron']}/merge", body)
    work()
    (one,) = api.get(f"/projects/{base.pk}/entities", q="project")["items"]
    api.post(f"/entities/{one['id']}/merge", {**body, "other_id": "ent_none"}, status=400)


def test_the_second_of_two_reviewers_is_told_who_was_first(api: Api, candidate: dict[str, Any]) -> None:
    decide(api, candidate, "reject")
    body = {"expected_digest": candidate["digest"], "actor": "tomas"}
    error = api.post(f"/merge-candidates/{candidate['id']}/accept", body, status=409)
    assert "mara decided that they are two" in error["error"]["message"]
    assert Decision.objects.count() == 1


def test_a_decision_about_names_that_are_gone_is_listed_as_orphaned_and_comes_back(
    api: Api, base: KnowledgeBase, candidate: dict[str, Any]
) -> None:
    decide(api, candidate, "reject")
    merging.settle(base, frozenset({"somebody else"}))
    (orphan,) = api.get(f"/projects/{base.pk}/decisions", state="orphaned")["items"]
    assert (orphan["kind"], orphan["action"], orphan["actor"]) == ("entities", "keep_apart", "mara")
    read_again(api, base)
    assert api.get(f"/projects/{base.pk}/decisions", state="orphaned")["items"] == []
    assert [c["status"] for c in api.get(f"/projects/{base.pk}/merge-candidates")["items"]] == ["rejected"]


def test_a_candidate_tells_its_place_in_a_list_and_its_excerpts_in_context(
    api: Api, base: KnowledgeBase, candidate: dict[str, Any]
) -> None:
    again = api.get(f"/merge-candidates/{candidate['id']}/brief", status="open")
    assert again["place"] == {"position": 1, "total": 1, "before": None, "after": None}
    told = {e["id"] for side in again["candidate"]["sides"] for item in side["items"] for e in item["evidence"]}
    assert {p["evidence_id"] for p in again["passages"]} == told
    assert {p["state"] for p in again["passages"]} == {"whole"}
    assert api.get(f"/merge-candidates/{candidate['id']}/brief", status="rejected")["place"]["position"] == 0
    row = MergeCandidate.objects.get(candidate_id=candidate["id"])
    for key in ("mc_0", "mc_zzzzzzzz"):
        row.pk, row.candidate_id = None, key
        row.save()
    place = api.get(f"/merge-candidates/{candidate['id']}/brief", status="open")["place"]
    assert place == {"position": 2, "total": 3, "before": "mc_0", "after": "mc_zzzzzzzz"}
