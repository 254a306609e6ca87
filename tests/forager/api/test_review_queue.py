"""The queue by risk, the brief of one conflict, rulings on many, and the blind second look."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forager.model.models import Conflict, Decision, KnowledgeBase, ReviewEvent, Served, Statement
from forager.review import risk, standing
from tests.forager.conftest import Api, assert_derived

SIDES = {
    "kite-a.txt": "The launch date for Project Kite is March 3, 2026.",
    "kite-b.txt": "The launch date for Project Kite has moved to April 10, 2026.",
    "kite-c.txt": "Project Kite's launch date is 10 April 2026.",
    "pier-a.txt": "The fee of Pier Nine is 10 EUR.",
    "pier-b.txt": "The fee of Pier Nine is 12 EUR.",
    "gate-a.txt": "The opening time of Gate Four is 9:00.",
    "gate-b.txt": "The opening time of Gate Four is 10:30.",
}


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, SIDES)
    return base


def queue(api: Api, base: KnowledgeBase, **asked: Any) -> Any:
    return api.get(f"/projects/{base.pk}/review-queue", **asked)


def about(found: Any, subject: str) -> Any:
    return next(each for each in found["items"] if subject in each["subject"])


def served(api: Api, base: KnowledgeBase, package: str, items: list[str], agent: str = "planner-ant") -> int:
    body = {"package_id": package, "agent": agent, "item_ids": items}
    return int(api.post(f"/projects/{base.pk}/served", body)["known"])


def ruling(found: Any, **more: object) -> dict[str, object]:
    return {"expected_digest": found["digest"], "actor": "mara", "actor_key": "1", **more}


def statuses(base: KnowledgeBase) -> dict[str, str]:
    base.refresh_from_db()
    return dict(Statement.objects.at(base.current_revision).filter(base=base).values_list("item_id", "status"))


def test_the_riskiest_comes_first_and_its_sum_can_be_checked(api: Api, loaded: KnowledgeBase) -> None:
    fee = about(queue(api, loaded), "pier")
    for package in ("pkg_1", "pkg_2", "pkg_2"):
        assert served(api, loaded, package, [fee["item_ids"][0], "ki_unknown"]) == 1
    Conflict.objects.filter(subject__icontains="gate").update(opened_day=risk.today() - 1)
    found = queue(api, loaded)
    assert [each["subject"] for each in found["items"]] == ["pier_nine", "gate_four", "kite"]
    for each in found["items"]:
        weight = each["weight"]
        assert weight["risk"] == (1 + weight["served"]) * weight["uncertainty"] * weight["days"]
    assert found["items"][0]["weight"] == {"served": 2, "uncertainty": 100, "days": 1, "risk": 300, "sources": 2}
    assert found["items"][2]["weight"]["uncertainty"] == 67


@pytest.mark.parametrize(
    ("kind", "certainty", "origins", "expected"),
    [
        ("attribute_mismatch", "dispute", [1, 1], 100),
        ("attribute_mismatch", "dispute", [3, 1], 50),
        ("attribute_mismatch", "dispute", [1, 1, 1], 100),
        ("contradiction", "candidate", [1, 1], 50),
        ("attribute_mismatch", "dispute", [1000, 1], 1),
        ("duplicate_source", "dispute", [1, 0], 20),
        ("attribute_mismatch", "dispute", [], 100),
    ],
)
def test_uncertainty_falls_with_the_share_of_the_strongest(
    kind: str, certainty: str, origins: list[int], expected: int
) -> None:
    assert risk.uncertainty(kind, certainty, origins) == expected


def test_pages_follow_each_other_also_while_rows_leave_and_move(api: Api, loaded: KnowledgeBase) -> None:
    whole = [each["id"] for each in queue(api, loaded)["items"]]
    first = queue(api, loaded, page_size=1)
    assert first["total"] == 3
    gone = first["items"][0]
    api.post(f"/conflicts/{gone['id']}/resolve", ruling(gone, action="neither"))
    second = queue(api, loaded, page_size=1, cursor=first["next_cursor"])
    assert [each["id"] for each in second["items"]] == whole[1:2]
    assert [each["id"] for each in queue(api, loaded, after=gone["id"])["items"]] == whole[1:]
    assert [each["id"] for each in queue(api, loaded, tab="solved")["items"]] == [gone["id"]]


def test_a_cursor_of_another_list_is_refused(api: Api, loaded: KnowledgeBase) -> None:
    cursor = queue(api, loaded, page_size=1)["next_cursor"]
    assert queue(api, loaded, tab="maybe", cursor=cursor)["items"] == []
    api.get(f"/projects/{loaded.pk}/review-queue", expect=400, tab="solved", cursor=cursor)
    api.get(f"/projects/{loaded.pk}/review-queue", expect=400, cursor="bm90")


def test_filters_narrow_and_counts_tell_of_the_whole_tab(api: Api, loaded: KnowledgeBase) -> None:
    gate = about(queue(api, loaded), "gate")
    asks = ruling(gate, action="needs_evidence", assignee="Priya")
    api.post(f"/conflicts/{gate['id']}/resolve", asks)
    assert [each["id"] for each in queue(api, loaded, tab="assigned")["items"]] == [gate["id"]]
    assert [each["id"] for each in queue(api, loaded, assignee="Priya")["items"]] == [gate["id"]]
    assert {each["subject"] for each in queue(api, loaded, min_sources=3)["items"]} == {"kite"}
    assert queue(api, loaded, older_than=1)["items"] == []
    found = queue(api, loaded, attribute="fee")
    assert {each["subject"] for each in found["items"]} == {"pier_nine"}
    assert found["total"] == 1
    assert found["counts"]["tabs"] == {"open": 3, "assigned": 1, "maybe": 0, "solved": 0, "orphaned": 0}
    assert found["counts"]["types"] == {"attribute_mismatch": 3}
    assert found["counts"]["assignees"] == {"Priya": 1}


def test_a_conflict_keeps_its_first_day_when_its_evidence_changes(api: Api, loaded: KnowledgeBase) -> None:
    long_ago = timezone.now() - timedelta(days=9)
    Conflict.objects.filter(subject="kite").update(detected_at=long_ago, opened_day=long_ago.date().toordinal())
    before = about(queue(api, loaded), "kite")
    api.load(loaded.pk, {"kite-d.txt": "The launch date of Project Kite is 3 March 2026."})
    after = about(queue(api, loaded), "kite")
    assert after["digest"] != before["digest"]
    assert after["weight"]["days"] == 10


def test_the_brief_holds_all_that_a_ruling_needs(api: Api, loaded: KnowledgeBase) -> None:
    ids = [each["id"] for each in queue(api, loaded)["items"]]
    served(api, loaded, "pkg_1", about(queue(api, loaded), "kite")["item_ids"])
    kite = about(queue(api, loaded), "kite")
    brief = api.get(f"/conflicts/{kite['id']}/brief")
    assert brief["conflict"] == api.get(f"/conflicts/{kite['id']}")
    evidence = [e for item in brief["conflict"]["items"] for e in item["evidence"]]
    assert {p["evidence_id"]: p["state"] for p in brief["passages"]} == {e["id"]: "whole" for e in evidence}
    assert {s["path"] for s in brief["sources"]} == {"kite-a.txt", "kite-b.txt", "kite-c.txt"}
    assert brief["reach"] == {"packages": 1, "agents": ["planner-ant"], "exports": 0}
    assert (brief["place"]["position"], brief["place"]["total"]) == (1, 3)
    assert brief["place"]["before"] is None
    assert brief["place"]["after"] in ids
    assert (brief["trail"], brief["decision_id"], brief["awaits_second"]) == ([], None, None)


def test_a_passage_that_no_longer_stands_in_its_text_says_so(api: Api, loaded: KnowledgeBase) -> None:
    from forager.model.models import SourceText

    kite = about(queue(api, loaded), "kite")
    stored = SourceText.objects.get(source__path="kite-a.txt")
    stored.text = "X" + stored.text[1:]
    stored.save()
    states = [p["state"] for p in api.get(f"/conflicts/{kite['id']}/brief")["passages"]]
    assert sorted(states) == ["moved", "whole", "whole"]


@pytest.mark.parametrize("action", ["choose_side", "both", "neither", "not_a_conflict", "needs_evidence"])
def test_what_a_preview_says_is_what_the_ruling_does_and_undoing_takes_back(
    api: Api, loaded: KnowledgeBase, action: str
) -> None:
    found, at_first = about(queue(api, loaded), "kite"), statuses(loaded)
    side = found["sides"][1]["id"] if action == "choose_side" else None
    told = api.get(f"/conflicts/{found['id']}/brief")["previews"]
    preview = next(p for p in told if (p["action"], p["side_id"]) == (action, side))
    extra: dict[str, object] = {"side_id": side} if side else {}
    if action == "both":
        extra["discriminator"] = {"kind": "time", "value": "before February"}
    if action == "needs_evidence":
        extra["assignee"] = "priya"
    api.post(f"/conflicts/{found['id']}/resolve", ruling(found, action=action, **extra))
    assert _changed(at_first, statuses(loaded)) == _told(preview)
    assert_derived(loaded)
    if action != "needs_evidence":
        ruled = statuses(loaded)
        brief = api.get(f"/conflicts/{found['id']}/brief")
        (undo,) = brief["previews"]
        assert undo["action"] == "reopen"
        body = {"actor": "tomas", "expected_decision": brief["decision_id"]}
        api.post(f"/conflicts/{found['id']}/reopen", body)
        assert statuses(loaded) == at_first
        assert_derived(loaded)
        assert _changed(ruled, at_first) == _told(undo)


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    return {item: status for item, status in after.items() if before[item] != status}


def _told(preview: Any) -> dict[str, str]:
    return {item: change["status"] for change in preview["changes"] for item in change["item_ids"]}


def test_undoing_takes_back_only_the_ruling_that_was_read(api: Api, loaded: KnowledgeBase) -> None:
    fee = about(queue(api, loaded), "pier")
    api.post(f"/conflicts/{fee['id']}/resolve", ruling(fee, action="neither"))
    read = api.get(f"/conflicts/{fee['id']}/brief")["decision_id"]
    api.post(f"/conflicts/{fee['id']}/reopen", {"actor": "tomas"})
    api.post(f"/conflicts/{fee['id']}/resolve", ruling(fee, action="not_a_conflict", actor="priya"))
    error = api.post(f"/conflicts/{fee['id']}/reopen", {"actor": "mara", "expected_decision": read}, status=409)
    assert "priya recorded not_a_conflict" in error["error"]["message"]
    assert api.get(f"/conflicts/{fee['id']}")["status"] == "dismissed"


def test_many_are_ruled_each_by_id_and_digest_and_each_is_told(api: Api, loaded: KnowledgeBase) -> None:
    gate, fee, kite = (about(queue(api, loaded), name) for name in ("gate", "pier", "kite"))
    api.post(f"/conflicts/{fee['id']}/resolve", ruling(fee, action="neither", actor="tomas"))
    asked = [(gate["id"], gate["digest"]), (fee["id"], fee["digest"]), (kite["id"], "0" * 64), ("cf_none", "0")]
    body = {
        "items": [{"conflict_id": one, "expected_digest": digest} for one, digest in asked],
        "action": "not_a_conflict",
        "notes": "Different things.",
        "actor": "mara",
    }
    outcomes = api.post(f"/projects/{loaded.pk}/conflicts/resolve", body)["outcomes"]
    assert_derived(loaded)
    assert [o["conflict_id"] for o in outcomes] == [one for one, _ in asked]
    assert [o["outcome"] for o in outcomes] == ["recorded", "refused", "refused", "refused"]
    assert outcomes[0]["decision_id"] == api.get(f"/conflicts/{gate['id']}/brief")["decision_id"]
    assert "tomas recorded neither" in outcomes[1]["message"]
    assert "sides changed" in outcomes[2]["message"]
    stand = {c["subject"]: c["status"] for c in api.get(f"/projects/{loaded.pk}/conflicts")["items"]}
    assert stand == {"gate_four": "dismissed", "pier_nine": "resolved", "kite": "open"}
    assert [e["target_id"] for e in api.get(f"/projects/{loaded.pk}/review-events")["items"]] == [gate["id"], fee["id"]]


def test_a_list_of_another_base_touches_nothing(api: Api, loaded: KnowledgeBase) -> None:
    from forager.pipeline import registration

    other = registration.create_base("Other", namespace="11" * 16)
    fee = about(queue(api, loaded), "pier")
    items = [{"conflict_id": fee["id"], "expected_digest": fee["digest"]}]
    body = {"items": items, "action": "neither", "actor": "mara"}
    (outcome,) = api.post(f"/projects/{other.pk}/conflicts/resolve", body)["outcomes"]
    assert outcome["outcome"] == "refused"
    assert outcome["message"] == "There is no such conflict."
    assert outcome["decision_id"] is None
    assert not Decision.objects.exists()


@pytest.fixture
def two_eyes(api: Api, loaded: KnowledgeBase) -> Any:
    answer = api.client.patch(f"/api/projects/{loaded.pk}", '{"second_look": true}', content_type="application/json")
    assert answer.status_code == 200
    return about(queue(api, loaded), "pier")


def choose(found: Any, at: int, **more: object) -> dict[str, object]:
    return ruling(found, action="choose_side", side_id=found["sides"][at]["id"], **more)


def test_a_ruling_waits_unseen_for_a_second_person(api: Api, loaded: KnowledgeBase, two_eyes: Any) -> None:
    path = f"/conflicts/{two_eyes['id']}"
    after = api.post(f"{path}/resolve", choose(two_eyes, 1, notes="the newer list"))
    assert after["status"] == "open"
    brief = api.get(f"{path}/brief")
    assert (brief["second_look"], brief["awaits_second"]) == (True, "mara")
    shown = str([brief, api.get(f"/projects/{loaded.pk}/decisions"), api.get(f"/projects/{loaded.pk}/review-events")])
    assert "newer list" not in shown
    assert api.get(f"/projects/{loaded.pk}/decisions")["items"] == []
    assert [e["action"] for e in brief["trail"]] == ["first_look"]


def test_the_same_person_twice_is_refused_also_under_another_name(api: Api, two_eyes: Any) -> None:
    path = f"/conflicts/{two_eyes['id']}/resolve"
    api.post(path, choose(two_eyes, 1))
    error = api.post(path, choose(two_eyes, 1, actor="Mara L."), status=409)
    assert "second person" in error["error"]["message"]
    assert api.post(path, choose(two_eyes, 1, actor_key="2"))["status"] == "resolved"


def test_two_that_agree_settle_it(api: Api, loaded: KnowledgeBase, two_eyes: Any) -> None:
    path = f"/conflicts/{two_eyes['id']}"
    api.post(f"{path}/resolve", choose(two_eyes, 1))
    after = api.post(f"{path}/resolve", choose(two_eyes, 1, actor="tomas", actor_key="2"))
    assert (after["status"], after["resolution"]["actor"]) == ("resolved", "tomas")
    first, second = Decision.objects.order_by("decided_at")
    assert (first.state, second.state, second.first_look) == ("seconded", "standing", first.pk)


def test_two_that_differ_settle_nothing_and_both_are_told(api: Api, loaded: KnowledgeBase, two_eyes: Any) -> None:
    path = f"/conflicts/{two_eyes['id']}"
    api.post(f"{path}/resolve", choose(two_eyes, 1))
    after = api.post(f"{path}/resolve", choose(two_eyes, 0, actor="tomas", actor_key="2"))
    assert after["status"] == "open"
    parted, _first = api.get(f"{path}/brief")["trail"]
    assert parted["notes"] == "mara said choose_side, tomas said choose_side"
    assert api.get(f"{path}/brief")["awaits_second"] is None
    assert set(Decision.objects.values_list("state", flat=True)) == {"parted"}


def test_what_was_done_lately_is_counted(api: Api, loaded: KnowledgeBase) -> None:
    kite = about(queue(api, loaded), "kite")
    Conflict.objects.filter(conflict_id=kite["id"]).update(
        suggestion={"winner": kite["sides"][0]["id"], "reason": "it is dated"}
    )
    api.post(f"/conflicts/{kite['id']}/resolve", choose(kite, 0))
    fee = about(queue(api, loaded), "pier")
    api.post(f"/conflicts/{fee['id']}/resolve", ruling(fee, action="neither"))
    api.post(f"/conflicts/{fee['id']}/reopen", {"actor": "tomas"})
    assert queue(api, loaded)["record"] == {"rulings": 2, "undone": 1, "with_suggestion": 1, "as_suggested": 1}


def test_deriving_everything_again_writes_nothing_that_stands(loaded: KnowledgeBase) -> None:
    loaded.refresh_from_db()
    before = list(Conflict.objects.order_by("pk").values())
    standing.apply(loaded)
    assert list(Conflict.objects.order_by("pk").values()) == before
    assert not Served.objects.exists()


def test_the_trail_is_narrowed_by_a_name_and_between_two_times(api: Api, loaded: KnowledgeBase) -> None:
    now = timezone.now()
    ReviewEvent.objects.bulk_create(
        ReviewEvent(
            id=f"rvw_{at}",
            base=loaded,
            target_id="cf_x",
            action="choose_side",
            before="open",
            after="resolved",
            actor=("Mara", "Tomás Oduya")[at % 2],
            at=now - timedelta(days=at),
        )
        for at in range(6)
    )
    path = f"/projects/{loaded.pk}/review-events"

    def told(**asked: str) -> list[str]:
        return [row["id"] for row in api.get(path, **asked)["items"]]

    assert told(actor="oduya") == ["rvw_1", "rvw_3", "rvw_5"]
    since, until = (now - timedelta(days=4)).isoformat(), (now - timedelta(days=1)).isoformat()
    assert told(since=since) == ["rvw_0", "rvw_1", "rvw_2", "rvw_3", "rvw_4"]
    assert told(since=since, until=until) == ["rvw_2", "rvw_3", "rvw_4"], "the end does not count itself"
    assert told(actor="Mara", since=since, until=until) == ["rvw_2", "rvw_4"]
    api.get(path, expect=400, since="2026-03-01T00:00:00")
