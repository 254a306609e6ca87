"""The feed tells what was published and what changed its standing, in order, to those who may know."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forager.model import feed
from forager.model.bases import Store
from forager.model.models import Document, FeedEvent, Job, KnowledgeBase
from forager.pipeline import publication, registration, runner
from tests.forager.conftest import Api, work

MEMO = "The launch date for Project Kite is March 3, 2026.\n"
MAIL = "The launch date for Project Kite is April 10, 2026.\n"


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, {"memo.txt": MEMO, "mail.txt": MAIL})
    return base


def types(answer: Any) -> list[str]:
    return [e["event_type"].removeprefix("knowledge.") for e in answer["events"]]


def test_everything_that_moves_a_view_is_told_in_order(api: Api, loaded: KnowledgeBase) -> None:
    conflict = api.get(f"/projects/{loaded.pk}/conflicts")["items"][0]
    ruling = {"action": "neither", "expected_digest": conflict["digest"], "actor": "m"}
    api.post(f"/conflicts/{conflict['id']}/resolve", ruling)
    document = Document.objects.get(path="memo.txt").pk
    api.post(f"/documents/{document}/state", {"state": "suspended", "reason": "x", "actor": "m"})
    api.post(f"/projects/{loaded.pk}/exports", {"format": "jsonl"}, 202)
    from forager.interchange import writing

    writing.write_waiting()
    told = api.get("/feed")
    assert types(told) == ["revision.published", "state.changed", "state.changed", "export.completed"]
    revision = api.get(f"/projects/{loaded.pk}/revisions")["items"][0]
    assert told["events"][0]["revision_id"] == revision["id"]
    assert told["events"][0]["logical_content_hash"] == revision["logical_content_hash"]
    assert [e["causation_id"] for e in told["events"][1:3]] == [conflict["id"], document]
    assert told["events"][2]["view_id"] == "1:2"


def test_a_cursor_goes_on_and_repeats_nothing(api: Api, loaded: KnowledgeBase) -> None:
    first = api.get("/feed", limit=1)
    assert api.get("/feed", cursor=first["next_cursor"])["events"] == []
    api.load(loaded.pk, {"more.txt": "The fee of Kite is 12 EUR.\n"})
    again = api.get("/feed", cursor=first["next_cursor"])
    assert types(again) == ["revision.published"]
    assert api.get("/feed", cursor=again["next_cursor"]) == {"events": [], "next_cursor": again["next_cursor"]}


def test_a_run_that_changes_nothing_tells_nothing(api: Api, loaded: KnowledgeBase) -> None:
    api.post(f"/projects/{loaded.pk}/process", {"force": True}, 202)
    work()
    assert FeedEvent.objects.count() == 1


def test_no_event_without_its_revision(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    def publish_and_fail(*_given: object) -> None:
        real(*_given)  # type: ignore[arg-type]
        raise RuntimeError

    real = publication.publish
    monkeypatch.setattr(runner.base_stages.publication, "publish", publish_and_fail)
    Api().load(base.pk, {"memo.txt": MEMO})
    assert Job.objects.get().status == "failed"
    assert not FeedEvent.objects.exists()
    base.refresh_from_db()
    assert base.current_revision == 0


def test_a_token_hears_of_its_own_bases_alone(api: Api, loaded: KnowledgeBase, token_for: Callable[..., Api]) -> None:
    other = registration.create_base("Other", namespace="ee" * 16)
    api.load(other.pk, {"memo.txt": MEMO})
    limited = token_for(other.pk)
    assert {e["source_project_id"] for e in limited.get("/feed")["events"]} == {other.pk}
    limited.get("/feed", expect=404, project=loaded.pk)
    assert {e["source_project_id"] for e in api.get("/feed", project=loaded.pk)["events"]} == {loaded.pk}


def test_a_cursor_from_before_what_is_kept_is_expired_and_names_the_oldest(api: Api, loaded: KnowledgeBase) -> None:
    start = api.get("/feed", limit=1)["next_cursor"]
    api.load(loaded.pk, {"more.txt": "The fee of Kite is 12 EUR.\n"})
    api.load(loaded.pk, {"most.txt": "The width of Kite is 12 m.\n"})
    FeedEvent.objects.exclude(pk=FeedEvent.objects.latest("id").pk).update(
        occurred_at=timezone.now() - timedelta(days=91)
    )
    feed.prune()
    error = api.get("/feed", expect=410, cursor=start)["error"]
    assert error["code"] == "cursor_expired"
    assert types(api.get("/feed", cursor=error["fields"]["oldest"])) == ["revision.published"]
    assert len(api.get("/feed")["events"]) == 1


def test_a_cursor_of_another_generation_is_expired(api: Api, loaded: KnowledgeBase) -> None:
    cursor = api.get("/feed")["next_cursor"]
    Store.objects.update(generation="gen_restored")
    assert api.get("/feed", expect=410, cursor=cursor)["error"]["code"] == "cursor_expired"


@pytest.mark.parametrize("cursor", ["x", "bm9uZQ", "WzEsMl0", "W10", "WyJnIiwtMV0"])
def test_what_is_no_cursor_is_400(api: Api, loaded: KnowledgeBase, cursor: str) -> None:
    api.get("/feed", expect=400, cursor=cursor)


def test_no_two_bases_share_a_namespace_and_so_their_ids(api: Api, loaded: KnowledgeBase) -> None:
    """Else a revision of one would be written over that of the other."""
    body = {"name": "Another", "namespace": loaded.namespace}
    assert api.post("/projects", body, 409)["error"]["code"] == "conflict"
    assert api.get("/projects")["items"][0]["name"] == loaded.name
    assert api.post("/projects", {**body, "namespace": "12" * 16}, 201)["name"] == "Another"
