"""Questions without an answer: counted, asked again as they were asked, closed by the statement, or set aside."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from console.audit.models import AuditEvent
from console.gaps import actions
from console.gaps.actions import question_digest
from console.gaps.models import Gap, GapState
from console.people.models import User
from console.projects.models import Project
from knowledge.vocabulary import Band, Support
from tests.console import falcon
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.console.test_agent_api import asked
from tests.console.test_callers import given_secret

PAGE = "/p/falcon-programme/knowledge/gaps"
QUESTION = "Which paint covers the hangar doors?"


@pytest.fixture
def secret(project: Project) -> str:
    return given_secret(project, per_minute=1000)


def ask(secret: str, question: str = QUESTION, path: str = "retrieve", **more: object) -> None:
    assert asked(secret, path, {"query": question, **more})[0] == 200


def imported(engine: FakeProvider, support: Support = Support.DIRECT_FACT, band: Band = Band.TENANT) -> None:
    """A document came in that answers, and was published."""
    words = "Grey paint covers the hangar doors."
    made = replace(falcon.statement("ki_3", "x", "src_memo", falcon.MEMO[2:22]), id="ki_paint", text=words)
    piece = replace(made.evidence[0], statement_id="ki_paint")
    engine.known_statements["ki_paint"] = replace(made, evidence=(piece,), support=support, band=band)
    base = engine.known_bases["proj_falcon"]
    engine.known_bases["proj_falcon"] = replace(base, current_revision=base.current_revision + 1)


def test_a_question_is_one_gap_however_often_and_wherever_it_is_asked(secret: str) -> None:
    for question in (QUESTION, "which PAINT covers  the hangar doors", f"{QUESTION}?!"):
        ask(secret, question)
    ask(secret, path="search")
    gap = Gap.objects.get()
    assert (gap.count, gap.code, gap.band, gap.floor) == (4, "no_match", "tenant", "supported_inference")
    assert (gap.state, gap.question) == (GapState.OPEN, QUESTION)
    assert gap.token is not None


def test_an_answered_question_is_none(secret: str) -> None:
    ask(secret, "When is the Falcon launch date?")
    assert not Gap.objects.exists()


def test_another_floor_is_another_gap(secret: str) -> None:
    ask(secret)
    ask(secret, min_support="direct_fact")
    assert Gap.objects.count() == 2


def test_an_import_that_answers_closes_it_and_names_the_statement(
    secret: str, as_member: Client, engine: FakeProvider
) -> None:
    ask(secret)
    assert QUESTION.partition("?")[0] in as_member.get(PAGE).content.decode()
    assert Gap.objects.get().asked_revision == 1
    engine.calls.clear()
    as_member.get(PAGE)
    assert "search" not in engine.calls, "the base has not moved"
    imported(engine)
    page = as_member.get(PAGE).content.decode()
    assert "No open gap" in page
    gap = Gap.objects.get()
    assert (gap.state, gap.statement_id) == (GapState.CLOSED, "ki_paint")
    closed = as_member.get(f"{PAGE}?state=closed").content.decode()
    assert "/p/falcon-programme/knowledge/ki_paint" in closed


def test_it_is_asked_again_as_it_was_asked(project: Project, engine: FakeProvider, as_member: Client) -> None:
    """A tenant's sentence answers nobody who may read general knowledge alone; a weak one no strict floor."""
    ask(given_secret(project, band=Band.GENERAL))
    imported(engine)
    as_member.get(PAGE)
    assert Gap.objects.get().state == GapState.OPEN
    imported(engine, support=Support.UNVERIFIED_CLAIM, band=Band.GENERAL)
    as_member.get(PAGE)
    assert Gap.objects.get().state == GapState.OPEN
    imported(engine, band=Band.GENERAL)
    as_member.get(PAGE)
    assert Gap.objects.get().state == GapState.CLOSED


def test_one_that_is_asked_again_without_an_answer_opens(secret: str, as_member: Client, engine: FakeProvider) -> None:
    ask(secret)
    imported(engine)
    as_member.get(PAGE)
    del engine.known_statements["ki_paint"]
    ask(secret)
    gap = Gap.objects.get()
    assert (gap.state, gap.count, gap.statement_id) == (GapState.OPEN, 2, "")


def test_the_command_asks_a_bounded_number_and_says_what_waits(secret: str, engine: FakeProvider) -> None:
    for at in range(5):
        ask(secret, f"What about zanzibar {at}?")
    ask(secret)
    imported(engine)
    told = []
    for _ in range(3):
        out = StringIO()
        call_command("gaps", at_most=3, stdout=out)
        told.append(out.getvalue().strip())
    assert told == [
        "falcon-programme: 3 asked, 1 closed, 3 wait",
        "falcon-programme: 3 asked, 0 closed, 0 wait",
        "falcon-programme: 0 asked, 0 closed, 0 wait",
    ]


def test_it_is_set_aside_with_a_reason_and_stays_so(secret: str, as_member: Client) -> None:
    ask(secret)
    pk = Gap.objects.get().pk
    wrong = as_member.post(f"{PAGE}/{pk}/dismiss", {"reason": " "})
    assert wrong.status_code == 422
    assert "Say why, so that the next person need not ask." in wrong.content.decode()
    assert Gap.objects.get().state == GapState.OPEN
    assert as_member.post(f"{PAGE}/{pk}/dismiss", {"reason": "Nobody paints them."}).status_code == 302
    gap = Gap.objects.get()
    assert (gap.state, gap.dismissed_by, gap.reason) == (GapState.DISMISSED, "Tomas", "Nobody paints them.")
    ask(secret)
    assert (Gap.objects.get().state, Gap.objects.get().count) == (GapState.DISMISSED, 2)
    assert AuditEvent.objects.get(action="gap.dismissed").after == {"reason": "Nobody paints them."}
    assert "Nobody paints them." in as_member.get(f"{PAGE}?state=dismissed").content.decode()


def test_who_may_not_rule_reads_and_sets_nothing_aside(secret: str, viewer: User) -> None:
    ask(secret)
    client = signed_in(viewer)
    assert "Set aside…" not in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}/{Gap.objects.get().pk}/dismiss", {"reason": "x"}).status_code == 403
    refused = client.post(PAGE)
    assert refused.status_code == 403
    assert "Your role in this project does not include it. A manager or an administrator can." in (
        refused.content.decode()
    )


def test_a_gap_of_another_project_is_none(
    secret: str, project: Project, other_project: Project, stranger: User
) -> None:
    ask(secret)
    client = signed_in(stranger)
    assert QUESTION.partition("?")[0] not in client.get("/p/site-operations/knowledge/gaps").content.decode()
    address = f"/p/site-operations/knowledge/gaps/{Gap.objects.get().pk}/dismiss"
    assert client.post(address, {"reason": "x"}).status_code == 404


def test_there_are_only_so_many(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST", 3)
    for at in range(5):
        ask(secret, f"What about zanzibar {at}?")
    assert sorted(Gap.objects.values_list("question", flat=True)) == [f"What about zanzibar {at}?" for at in (2, 3, 4)]


def test_questions_differ_by_words_alone() -> None:
    assert question_digest("Who leads it?") == question_digest("  who  leads it")
    assert question_digest("Who leads it?") != question_digest("Who led it?")
