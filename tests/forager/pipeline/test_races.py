"""What SQLite holds by having one writer, on a database that has many: raced for real, on PostgreSQL."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from forager.model import blobs, feed
from forager.model.bases import Store
from forager.model.models import Conflict, Decision, Document, FeedEvent, Job, KnowledgeBase, ReviewEvent, Source, Token
from forager.pipeline import lease, registration
from forager.review import lifecycle, rulings, views
from tests.forager.conftest import Api
from tests.racing import race

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MANY = 6


def bases(count: int) -> list[KnowledgeBase]:
    return [registration.create_base(f"base {at}") for at in range(count)]


def failures(results: list[Any]) -> list[Exception]:
    return [each for each in results if isinstance(each, Exception)]


def test_each_job_is_claimed_by_one_worker_and_of_a_base_one_at_a_time(store: Store) -> None:
    mine = bases(4)
    for base in mine:
        lease.enqueue(base, force=False)
    Job.objects.filter(base=mine[0]).update(fence=3)
    for base in mine:
        Job.objects.create(id=f"job_later_{base.pk[-6:]}", base=base, queued_at=Job.objects.get(base=base).queued_at)
    claimed = race([lease.claim] * 8)
    assert failures(claimed) == []
    got = [job for job in claimed if isinstance(job, Job)]
    while (job := lease.claim()) is not None:
        got.append(job)
    assert sorted(job.base_id for job in got) == sorted(base.pk for base in mine)
    assert len({job.pk for job in got}) == 4
    assert {job.attempts for job in got} == {1}


def test_a_claim_passes_by_a_job_whose_worker_is_writing(store: Store) -> None:
    first, second = bases(2)
    held, other = lease.enqueue(first, force=False), lease.enqueue(second, force=False)
    inside, done = threading.Event(), threading.Event()

    def writes() -> None:
        from django.db import transaction

        with transaction.atomic():
            Job.objects.select_for_update().get(pk=held.pk)
            inside.set()
            assert done.wait(20)

    def claims() -> Job | None:
        assert inside.wait(20)
        try:
            return lease.claim()
        finally:
            done.set()

    _, claimed = race([writes, claims])
    assert isinstance(claimed, Job)
    assert claimed.pk == other.pk


def test_a_cancel_is_not_lost_between_waiting_and_running(store: Store) -> None:
    for _ in range(10):
        [base] = bases(1)
        job = lease.enqueue(base, force=False)
        assert failures(race([lease.claim, lambda job=job: lease.cancel(job)])) == []  # type: ignore[misc]
        job.refresh_from_db()
        assert job.cancel_requested
        assert job.status in ("running", "cancelled")
        Job.objects.all().delete()


def test_requests_for_work_share_one_waiting_job(store: Store) -> None:
    [base] = bases(1)
    found = race([lambda: lease.enqueue(base, force=False)] * MANY)
    assert failures(found) == []
    assert Job.objects.count() == 1


def test_versions_of_one_path_are_numbered_one_after_the_other(store: Store) -> None:
    [base] = bases(1)

    def load(text: bytes) -> Callable[[], bool]:
        def run() -> bool:
            from django.db import transaction

            with transaction.atomic():
                return registration.register(base, "memo.txt", blobs.write([text]), origin_kind="test").is_new

        return run

    given = [load(b"version %d" % (at % 3)) for at in range(9)]
    found = race(given)
    assert failures(found) == []
    assert sorted(map(bool, found)) == [False] * 6 + [True] * 3
    assert Document.objects.count() == 1
    assert sorted(Source.objects.values_list("sequence", flat=True)) == [1, 2, 3]
    base.refresh_from_db()
    assert base.source_count == 3


def test_the_same_request_sent_at_once_is_done_once_and_answered_alike(api: Api) -> None:
    def ask() -> Any:
        answer = Api().client.post(
            "/api/projects",
            '{"name": "kite"}',
            content_type="application/json",
            headers={"Idempotency-Key": "one-and-the-same"},
        )
        return answer.status_code, answer.json()["id"]

    found = race([ask] * MANY)
    assert failures(found) == []
    assert len(set(found)) == 1
    assert KnowledgeBase.objects.count() == 1


def test_a_token_keeps_every_base_it_makes(api: Api, token_for: Callable[..., Api]) -> None:
    maker = token_for(scopes=("manage_bases", "read"))

    def make(name: str) -> Callable[[], Any]:
        return lambda: Api(maker.bearer).post("/projects", {"name": name}, 201)["id"]

    made = race([make(f"base {at}") for at in range(MANY)])
    assert failures(made) == []
    assert Token.objects.get().base_ids == sorted(map(str, made))


def test_two_rulings_on_one_conflict_are_one_ruling(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The launch date for Project Kite is March 3, 2026.\n",
                       "b.txt": "The launch date for Project Kite is March 9, 2026.\n"})  # fmt: skip
    conflict = Conflict.objects.get(status="open")
    sides = [side.side_id for side in conflict.sides.all()]

    def rule(side: str, who: str) -> Callable[[], rulings.Outcome]:
        asked = rulings.Ruling("choose_side", who, conflict.digest, side_id=side)
        return lambda: rulings.resolve(conflict.conflict_id, asked)

    found = race([rule(sides[at % 2], f"person {at}") for at in range(MANY)])
    assert len([each for each in found if isinstance(each, rulings.Outcome)]) == 1
    assert {type(each) for each in failures(found)} == {rulings.RulingRefused}
    assert Decision.objects.filter(kind="ruling", state="standing").count() == 1


def test_a_step_of_a_document_is_taken_once(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, {"a.txt": "The launch date for Project Kite is March 3, 2026.\n"})
    document = Document.objects.get()

    def suspend(who: str) -> Callable[[], Document]:
        change = lifecycle.Change("suspended", who, "looked wrong")
        return lambda: lifecycle.change_state(document.pk, change)

    found = race([suspend(f"person {at}") for at in range(MANY)])
    assert {type(each) for each in failures(found)} == {lifecycle.StepRefused}
    assert len(failures(found)) == MANY - 1
    assert ReviewEvent.objects.filter(action="document.suspended").count() == 1


def test_a_reader_of_the_feed_passes_no_event_by(api: Api) -> None:
    """Bases move at once; a place that is handed out earlier and committed later would be skipped."""
    mine = bases(4)
    over = threading.Event()

    def move(base: KnowledgeBase) -> Callable[[], int]:
        def run() -> int:
            from django.db import transaction

            for _ in range(15):
                with transaction.atomic():
                    views.moved(KnowledgeBase.locked(base.pk), cause=base.pk)
                    connection.cursor().execute("SELECT pg_sleep(0.002)")
            return 15

        return run

    def read() -> list[int]:
        seen: list[int] = []
        cursor, rounds = "", 0
        while rounds < 3:
            page = Api().get("/feed", **({"cursor": cursor} if cursor else {}))
            seen += [event["sequence"] for event in page["events"]]
            cursor = page["next_cursor"]
            rounds = rounds + 1 if over.is_set() and not page["events"] else 0
        return seen

    def move_all() -> list[int]:
        try:
            return [run for run in race([move(base) for base in mine]) if isinstance(run, int)]
        finally:
            over.set()

    moved, seen = race([move_all, read])
    assert moved == [15] * 4
    assert seen == list(FeedEvent.objects.order_by("id").values_list("id", flat=True))
    assert len(seen) == 60  # type: ignore[arg-type]
    assert {e.type for e in FeedEvent.objects.all()} == {feed.STATE_CHANGED}
