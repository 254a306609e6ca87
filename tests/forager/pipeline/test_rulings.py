import pytest

from forager.model.models import Decision, KnowledgeBase, ReviewEvent, Statement
from tests.forager.conftest import Api

MARCH = "The launch date for Project Kite is March 3, 2026."
APRIL = "The launch date for Project Kite has moved to April 10, 2026."


@pytest.fixture
def disputed(api: Api, base: KnowledgeBase) -> dict[str, object]:
    api.load(base.pk, {"memo.txt": MARCH, "mail.txt": APRIL})
    (conflict,) = api.get(f"/projects/{base.pk}/conflicts", status="open")["items"]
    return dict(conflict)


def statuses(base: KnowledgeBase) -> dict[str, str]:
    base.refresh_from_db()
    return dict(Statement.objects.at(base.current_revision).values_list("attribute_value", "status"))


def ruling(conflict: dict[str, object], **more: object) -> dict[str, object]:
    return {"expected_digest": conflict["digest"], "actor": "mara", **more}


def choose(conflict: dict[str, object], value: str, **more: object) -> dict[str, object]:
    side = next(s for s in conflict["sides"] if s["value"] == value)  # type: ignore[attr-defined]
    return ruling(conflict, action="choose_side", side_id=side["id"], **more)


def test_both_sides_are_disputed_until_a_person_rules(base: KnowledgeBase, disputed: dict[str, object]) -> None:
    assert statuses(base) == {"2026-03-03": "disputed", "2026-04-10": "disputed"}


def test_the_chosen_side_supersedes_the_other_at_once(
    api: Api, base: KnowledgeBase, disputed: dict[str, object]
) -> None:
    before = api.get(f"/projects/{base.pk}")["view_id"]
    after = api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10", notes="sent later"))
    assert after["status"] == "resolved"
    assert after["resolution"]["action"] == "choose_side"
    assert statuses(base) == {"2026-03-03": "superseded", "2026-04-10": "active"}
    loser = Statement.objects.get(attribute_value="2026-03-03")
    assert loser.superseded_by == Statement.objects.get(attribute_value="2026-04-10").item_id
    assert api.get(f"/projects/{base.pk}")["view_id"] != before
    assert api.get(f"/projects/{base.pk}")["open_conflict_count"] == 0


def test_reopening_restores_exactly_what_stood_and_keeps_the_trail(
    api: Api, base: KnowledgeBase, disputed: dict[str, object]
) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    again = api.post(f"/conflicts/{disputed['id']}/reopen", {"actor": "tomas", "notes": "too early"})
    assert again == api.get(f"/conflicts/{disputed['id']}")
    assert {**again, "items": []} == disputed
    assert statuses(base) == {"2026-03-03": "disputed", "2026-04-10": "disputed"}
    assert list(ReviewEvent.objects.order_by("at").values_list("action", "actor")) == [
        ("choose_side", "mara"),
        ("reopen", "tomas"),
    ]


def test_a_ruling_survives_reading_everything_again(api: Api, base: KnowledgeBase, disputed: dict[str, object]) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    api.post(f"/projects/{base.pk}/process", {"force": True}, status=202)
    from tests.forager.conftest import work

    work()
    assert statuses(base) == {"2026-03-03": "superseded", "2026-04-10": "active"}
    assert api.get(f"/conflicts/{disputed['id']}")["status"] == "resolved"


def test_a_ruling_survives_another_source_that_joins_a_side(
    api: Api, base: KnowledgeBase, disputed: dict[str, object]
) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    api.load(base.pk, {"later.txt": "Project Kite's launch date is 10 April 2026."})
    (conflict,) = api.get(f"/projects/{base.pk}/conflicts")["items"]
    assert conflict["status"] == "resolved"
    assert statuses(base)["2026-03-03"] == "superseded"


def test_a_ruling_whose_evidence_is_gone_is_listed_as_orphaned_and_comes_back(
    api: Api, base: KnowledgeBase, disputed: dict[str, object]
) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    api.load(base.pk, {"memo.txt": "Nothing about it.", "mail.txt": "Nothing about it either."})
    assert statuses(base)["2026-03-03"] == "superseded"
    assert Decision.objects.get().state in ("standing", "orphaned")


def test_a_ruling_on_what_has_changed_is_refused_with_409(api: Api, disputed: dict[str, object]) -> None:
    stale = {**choose(disputed, "2026-04-10"), "expected_digest": "0" * 64}
    error = api.post(f"/conflicts/{disputed['id']}/resolve", stale, status=409)
    assert error["error"]["code"] == "conflict"
    assert not Decision.objects.exists()


def test_the_second_of_two_reviewers_is_told_who_was_first(api: Api, disputed: dict[str, object]) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    late = {**choose(disputed, "2026-03-03"), "actor": "tomas"}
    error = api.post(f"/conflicts/{disputed['id']}/resolve", late, status=409)
    assert "mara recorded choose_side" in error["error"]["message"]
    assert Decision.objects.count() == 1


def test_both_needs_what_tells_them_apart(api: Api, base: KnowledgeBase, disputed: dict[str, object]) -> None:
    error = api.post(f"/conflicts/{disputed['id']}/resolve", ruling(disputed, action="both"), status=400)
    assert "discriminator" in error["error"]["fields"]
    told = ruling(disputed, action="both", discriminator={"kind": "time", "value": "before and after February"})
    assert api.post(f"/conflicts/{disputed['id']}/resolve", told)["status"] == "resolved"
    assert statuses(base) == {"2026-03-03": "active", "2026-04-10": "active"}


@pytest.mark.parametrize(
    ("action", "status", "said"),
    [("neither", "resolved", "archived"), ("not_a_conflict", "dismissed", "active")],
)
def test_the_other_rulings_do_what_they_say(
    api: Api, base: KnowledgeBase, disputed: dict[str, object], action: str, status: str, said: str
) -> None:
    after = api.post(f"/conflicts/{disputed['id']}/resolve", ruling(disputed, action=action))
    assert after["status"] == status
    assert set(statuses(base).values()) == {said}


def test_needs_evidence_stays_open_and_names_a_person(
    api: Api, base: KnowledgeBase, disputed: dict[str, object]
) -> None:
    api.post(f"/conflicts/{disputed['id']}/resolve", ruling(disputed, action="needs_evidence"), status=400)
    after = api.post(
        f"/conflicts/{disputed['id']}/resolve", ruling(disputed, action="needs_evidence", assignee="priya")
    )
    assert (after["status"], after["assignee"]) == ("open", "priya")
    assert set(statuses(base).values()) == {"disputed"}
    final = api.post(f"/conflicts/{disputed['id']}/resolve", choose(disputed, "2026-04-10"))
    assert final["status"] == "resolved"
