"""Review through our client against a real engine: the queue, the brief, rulings bound to what was read, two looks."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

import httpx2
import pytest

from knowledge.engine.circuit import Circuit
from knowledge.engine.client import EngineAccess, EngineClient
from knowledge.engine.fence import Alarm
from knowledge.engine.providers import ForagerProvider
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import BulkItem, Decision, QueueFilter, UploadFile
from knowledge.reviewing import Queued
from knowledge.scope import KnowledgeScope, Level
from tests.engine_process import EngineProcess

TEXTS = {
    "a.txt": "The fee of Pier Nine is 10 EUR.",
    "b.txt": "The fee of Pier Nine is 12 EUR.",
    "c.txt": "The launch date for Project Kite is March 3, 2026.",
    "d.txt": "The launch date for Project Kite has moved to April 10, 2026.",
}
ALL = QueueFilter()


@dataclass(frozen=True)
class Desk:
    provider: ForagerProvider
    scope: KnowledgeScope
    other: KnowledgeScope
    alarms: list[Alarm]

    def queue(self, where: QueueFilter = ALL) -> tuple[Queued, ...]:
        return value(self.provider.queue(self.scope, where)).items

    def about(self, subject: str) -> Queued:
        return next(one for one in self.queue() if subject in one.conflict.subject)


def value[T](outcome: Outcome[T]) -> T:
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def decision(found: Queued, **more: str) -> Decision:
    said = {"action": "neither", "actor": "mara", "notes": "", "actor_key": "1", **more}
    return Decision(expected_digest=found.conflict.digest, **said)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    process = EngineProcess(tmp_path_factory.mktemp("engine")).start()
    alarms: list[Alarm] = []
    with httpx2.Client(trust_env=False) as http:
        access = EngineAccess(process.endpoint, process.key)
        provider = ForagerProvider(access, client=EngineClient(http, Circuit()), on_alarm=alarms.append)
        scopes = [
            KnowledgeScope(Level.PROJECT, value(provider.create_base(name=name, description="")).id, name)
            for name in ("piers", "other")
        ]
        files = [UploadFile(path, BytesIO(text.encode())) for path, text in TEXTS.items()]
        value(provider.upload(scopes[0], files))
        job = value(provider.process(scopes[0]))
        deadline = time.monotonic() + 60
        while not job.status.ended and time.monotonic() < deadline:
            time.sleep(0.1)
            job = value(provider.job(scopes[0], job.id))
        yield Desk(provider, *scopes, alarms)
    assert process.stop() == 0


def test_the_queue_answers_its_arithmetic_its_counts_and_its_cursor(desk: Desk) -> None:
    fee = desk.about("pier")
    assert value(
        desk.provider.note_served(desk.scope, package_id="pkg_1", agent="ant", statement_ids=fee.conflict.statement_ids)
    ) == len(fee.conflict.statement_ids)
    first = value(desk.provider.queue(desk.scope, ALL, page_size=1))
    assert first.items[0].conflict.id == fee.conflict.id
    weight = first.items[0].weight
    assert (weight.served, weight.risk) == (1, 2 * weight.uncertainty * weight.days)
    assert dict(first.tabs)["open"] == 2
    second = value(desk.provider.queue(desk.scope, ALL, page_size=1, cursor=first.next_cursor or ""))
    behind = value(desk.provider.queue(desk.scope, ALL, after=fee.conflict.id))
    assert [one.conflict.id for one in second.items] == [one.conflict.id for one in behind.items]
    assert desk.queue(QueueFilter(attribute="fee", min_sources=2))[0].conflict.id == fee.conflict.id


def test_a_brief_holds_the_sides_in_context_and_what_each_ruling_changes(desk: Desk) -> None:
    kite = desk.about("kite")
    brief = value(desk.provider.brief(desk.scope, kite.conflict.id, ALL))
    assert {passage.state for passage in brief.passages} == {"whole"}
    assert {source.path for source in brief.sources} == {"c.txt", "d.txt"}
    assert {preview.action for preview in brief.previews} == {
        *("choose_side", "both", "neither", "not_a_conflict", "needs_evidence")
    }
    assert brief.place.total == 2
    assert all(statement.evidence for statement in brief.conflict.statements)


def test_another_base_sees_none_of_it(desk: Desk) -> None:
    kite = desk.about("kite").conflict
    foreign = desk.provider.brief(desk.other, kite.id, ALL)
    unknown = desk.provider.brief(desk.other, "cf_none", ALL)
    assert isinstance(foreign, Failed)
    assert isinstance(unknown, Failed)
    assert (foreign.failure, foreign.reason) == (unknown.failure, unknown.reason)
    assert value(desk.provider.queued(desk.other, [kite.id])).items == ()
    (outcome,) = value(desk.provider.resolve_each(desk.other, [BulkItem(kite.id, kite.digest)], _neither()))
    assert outcome.outcome == "refused"
    assert desk.alarms == []


def _neither() -> Decision:
    return Decision("neither", "mara", "", "")


def test_a_ruling_and_its_undoing_are_bound_to_what_was_read(desk: Desk) -> None:
    kite = desk.about("kite")
    ruled = value(desk.provider.resolve(desk.scope, kite.conflict.id, decision(kite)))
    assert ruled.outcome == "recorded"
    brief = value(desk.provider.brief(desk.scope, kite.conflict.id, ALL))
    assert brief.decision_id == ruled.decision_id
    assert brief.trail[0].action == "neither"
    late = desk.provider.reopen(desk.scope, kite.conflict.id, actor="x", notes="", expected_decision="dec_other")
    assert isinstance(late, Failed)
    assert late.failure is Failure.CONFLICT
    value(desk.provider.reopen(desk.scope, kite.conflict.id, actor="x", notes="", expected_decision=ruled.decision_id))
    assert desk.about("kite").conflict.digest == kite.conflict.digest


def test_many_are_told_each_what_became_of_it(desk: Desk) -> None:
    listed = desk.queue()
    items = [BulkItem(one.conflict.id, one.conflict.digest) for one in listed] + [BulkItem("cf_none", "0")]
    items[0] = BulkItem(items[0].conflict_id, "0" * 64)
    outcomes = value(desk.provider.resolve_each(desk.scope, items, _neither()))
    assert [one.outcome for one in outcomes] == ["refused", "recorded", "refused"]
    value(desk.provider.reopen(desk.scope, items[1].conflict_id, actor="x", notes=""))


def test_two_people_are_asked_when_the_base_says_so(desk: Desk) -> None:
    value(desk.provider.ask_two(desk.scope, is_asked=True))
    fee = desk.about("pier")
    first = value(desk.provider.resolve(desk.scope, fee.conflict.id, decision(fee)))
    assert (first.outcome, first.decision_id) == ("awaiting", "")
    assert desk.about("pier").awaits_second == "mara"
    again = desk.provider.resolve(desk.scope, fee.conflict.id, decision(fee))
    assert isinstance(again, Failed)
    assert again.failure is Failure.CONFLICT
    second = decision(fee, actor="tomas", actor_key="2")
    assert value(desk.provider.resolve(desk.scope, fee.conflict.id, second)).outcome == "recorded"
    value(desk.provider.ask_two(desk.scope, is_asked=False))
    value(desk.provider.reopen(desk.scope, fee.conflict.id, actor="x", notes=""))


def test_sources_are_found_by_a_part_of_their_path(desk: Desk) -> None:
    assert [one.path for one in value(desk.provider.sources(desk.scope, q="C.tx")).items] == ["c.txt"]
