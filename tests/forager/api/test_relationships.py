"""Relations are told of the statements that hold them: both ends, both directions, and only what may be seen."""

from typing import Any

import pytest

from forager.model.models import KnowledgeBase
from tests.forager.conftest import Api

MEMO = (
    "Dana Smith owns Project Kite.\n\n"
    "The owner of Project Osprey is Ivo Brandt.\n\n"
    "Project Kite does not depend on Project Osprey.\n\n"
    "The launch date of Project Kite is 3 March 2026.\n"
)
LINK = {"attribute": "depends_on", "source_type": "code", "confidence": 0.95}


def related(api: Api, base: KnowledgeBase, **query: Any) -> dict[tuple[str, str, str], dict[str, Any]]:
    names = {e["id"]: e["canonical_name"] for e in api.get(f"/projects/{base.pk}/entities")["items"]}
    rows = api.get(f"/projects/{base.pk}/relationships", **query)["items"]
    return {(names[r["from_id"]], r["type"], names[r["to_id"]]): r for r in rows}


def test_owners_join_people_and_projects(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    found = related(api, base)
    assert set(found) == {("Project Kite", "owner", "Dana Smith"), ("Project Osprey", "owner", "Ivo Brandt")}
    one = found["Project Kite", "owner", "Dana Smith"]
    assert one["statement"] == "Dana Smith owns Project Kite."
    assert (one["support"], len(one["evidence_ids"])) == ("direct_fact", 1)


def test_a_relation_is_asked_for_from_both_its_ends(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    expected = {("Project Kite", "owner", "Dana Smith")}
    assert set(related(api, base, entity="Project Kite")) == expected
    assert set(related(api, base, entity="dana smith")) == expected
    api.get(f"/projects/{base.pk}/relationships", expect=404, entity="Nobody Known")


def test_whole_statements_bring_their_relations(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    listed = api.get(f"/projects/{base.pk}/knowledge", expand="entities,evidence")["items"]
    by_text = {i["statement"]: i for i in listed}
    (one,) = by_text["Dana Smith owns Project Kite."]["relationships"]
    assert one["evidence_ids"] == [e["id"] for e in by_text["Dana Smith owns Project Kite."]["evidence"]]
    assert {e["id"] for e in by_text["Dana Smith owns Project Kite."]["entities"]} == {one["from_id"], one["to_id"]}
    assert by_text["The launch date of Project Kite is 3 March 2026."]["relationships"] == []
    assert by_text["Project Kite does not depend on Project Osprey."]["relationships"] == []


@pytest.mark.parametrize("polarity", ["positive", "negative"])
def test_statements_by_hand_name_their_other_end(api: Api, base: KnowledgeBase, polarity: str) -> None:
    made = {"statement": "billing depends on stripe", "subject": "billing", "value": "the stripe library", **LINK}
    body = {**made, "object_entity": "stripe", "polarity": polarity}
    item = api.post(f"/projects/{base.pk}/knowledge", body, status=201)
    expected = {("billing", "depends_on", "stripe")} if polarity == "positive" else set()
    assert set(related(api, base)) == expected
    assert len(item["relationships"]) == len(expected)


def test_a_page_goes_on_behind_statements_that_join_nothing(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    met, cursor = set(), ""
    for _ in range(10):
        page = api.get(f"/projects/{base.pk}/relationships", page_size=1, **({"cursor": cursor} if cursor else {}))
        met |= {r["id"] for r in page["items"]}
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert len(met) == 2


def test_what_is_off_joins_nothing(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    (document,) = api.get(f"/projects/{base.pk}/documents")["items"]
    api.post(f"/documents/{document['id']}/state", {"state": "suspended", "reason": "under question", "actor": "ada"})
    assert api.get(f"/projects/{base.pk}/relationships")["items"] == []


def test_a_reader_of_general_knowledge_sees_general_relations_alone(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"memo.md": MEMO})
    assert related(api, base, band="general") == {}
    (document,) = api.get(f"/projects/{base.pk}/documents")["items"]
    api.patch(f"/documents/{document['id']}", {"band": "general", "reason": "read by all", "actor": "ada"})
    assert len(related(api, base, band="general")) == 2
