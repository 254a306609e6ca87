"""Two people rule on a list that is read anew under them, straight at the engine: what was not read is never ruled."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forager.model.models import Conflict, Decision, KnowledgeBase
from tests.forager.conftest import Api, assert_derived

FEES = (10, 12, 14)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("read", "rule", "rule", "many", "reload", "undo")), st.integers(0, 1), st.integers(0, 2)
    ),
    min_size=4,
    max_size=10,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_every_decision_was_made_on_the_sides_as_they_stood(
    api: Api, base: KnowledgeBase, steps: list[tuple[str, int, int]]
) -> None:
    Decision.objects.all().delete()
    texts = {f"pier{at}-{side}.txt": fee(at, 10 + side) for at in range(3) for side in range(2)}
    api.load(base.pk, texts)
    seen: list[list[dict[str, str]]] = [listed(api, base), listed(api, base)]
    for kind, who, number in steps:
        before = standing(base)
        if kind == "read":
            seen[who] = listed(api, base)
        elif kind == "reload":
            api.load(base.pk, {f"pier{number}-0.txt": fee(number, FEES[(number + len(texts)) % 3] + len(before))})
        elif kind == "undo" and seen[who]:
            one = seen[who][number % len(seen[who])]
            api.client.post(f"/api/conflicts/{one['id']}/reopen", {"actor": f"p{who}"}, content_type="application/json")
        elif seen[who]:
            rule(api, base, kind, who, number, seen[who])
        assert_derived(base)


def rule(api: Api, base: KnowledgeBase, kind: str, who: int, number: int, seen: list[dict[str, str]]) -> None:
    before = standing(base)
    asked = seen if kind == "many" else [seen[number % len(seen)]]
    may = {one["id"] for one in asked if before.get(one["id"]) == ("open", one["digest"])}
    items = [{"conflict_id": one["id"], "expected_digest": one["digest"]} for one in asked]
    body = {"items": items, "action": "neither", "actor": f"p{who}", "actor_key": str(who)}
    outcomes = api.post(f"/projects/{base.pk}/conflicts/resolve", body)["outcomes"]
    recorded = {o["conflict_id"] for o in outcomes if o["outcome"] == "recorded"}
    assert recorded == may
    after = standing(base)
    assert {one for one in after if after[one][0] != before.get(one, ("open",))[0]} == may
    for one in outcomes:
        if one["outcome"] == "refused" and before.get(one["conflict_id"], ("gone",))[0] == "resolved":
            assert "recorded neither" in one["message"]


def fee(at: int, euros: int) -> str:
    return f"The fee of Pier {['Nine', 'Ten', 'Elm'][at]} is {euros} EUR."


def listed(api: Api, base: KnowledgeBase) -> list[dict[str, str]]:
    found = api.get(f"/projects/{base.pk}/review-queue", type="attribute_mismatch")["items"]
    return [{"id": one["id"], "digest": one["digest"]} for one in found]


def standing(base: KnowledgeBase) -> dict[str, tuple[str, str]]:
    base.refresh_from_db()
    rows = Conflict.objects.at(base.current_revision).filter(base=base)
    return {row.conflict_id: (row.status, row.digest) for row in rows}
