"""Each action writes exactly one audit event, whoever calls it and whatever the engine answers."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from console.audit.models import AuditEvent
from console.bases import actions as bases
from console.bases import interchange
from console.bases.actions import Hand
from console.connection import actions as connection
from console.people import actions as people
from console.people.models import User
from console.policy import Role
from console.projects import actions as projects
from console.projects.models import Project
from console.projects.scopes import Reading, reading_of
from knowledge.failures import Failed, Failure
from knowledge.provider import Decision, Naming, UploadFile
from tests.console.conftest import BY
from tests.console.fake import FakeProvider

type Act = Callable[[Hand, User, Project], Any]

DECISION = Decision("neither", "Mara", "Because.", "x")
NAMING = Naming("Mara", "Because.", "x")
FILES = [UploadFile("a.txt", BytesIO(b"a"))]

ACTS: dict[str, Act] = {
    "add_person": lambda h, u, p: people.add_person(by=BY, email="n@x.example", name="N", role=Role.VIEWER),
    "change_person": lambda h, u, p: people.change_person(by=BY, user=u, name="M", role=Role.VIEWER, is_active=True),
    "reset_password": lambda h, u, p: people.reset_password(by=BY, user=u),
    "choose_password": lambda h, u, p: people.choose_password(user=u, password="a long enough one"),
    "note_refused_sign_in": lambda h, u, p: people.note_refused_sign_in(email="x@y.example", locked=False),
    "make_project": lambda h, u, p: projects.make_project(by=BY, name="Other", members=(u,)),
    "add_member": lambda h, u, p: projects.add_member(by=BY, project=p, user=u),
    "remove_member": lambda h, u, p: projects.remove_member(by=BY, project=p, user=u),
    "bind_project": lambda h, u, p: projects.bind_project(by=BY, project=p, base_id="proj_1", base_name="one"),
    "store_settings": lambda h, u, p: connection.store_settings(by=BY, changes={"knowledge_top_k": "9"}),
    "pin_engine": lambda h, u, p: connection.pin_engine(by=BY, instance_id="fgi_1", generation="gen_1"),
    "make_base_and_bind": lambda h, u, p: bases.make_base_and_bind(
        by=BY, project=p, provider=h.provider, name="n", description=""
    ),
    "import_documents": lambda h, u, p: bases.import_documents(hand=h, files=FILES),
    "start_reading": lambda h, u, p: bases.start_reading(hand=h),
    "cancel_job": lambda h, u, p: bases.cancel_job(hand=h, job_id="job_7c1e40"),
    "retry_job": lambda h, u, p: bases.retry_job(hand=h, job_id="job_7c1e40"),
    "rule_on_conflict": lambda h, u, p: bases.rule_on_conflict(hand=h, conflict_id="cf_date", decision=DECISION),
    "reopen_conflict": lambda h, u, p: bases.reopen_conflict(hand=h, conflict_id="cf_date", notes="n"),
    "decide_candidate": lambda h, u, p: bases.decide_candidate(
        hand=h, candidate_id="mc_smith", naming=NAMING, is_one=True
    ),
    "join_entities": lambda h, u, p: bases.join_entities(
        hand=h, entity_id="ent_smith", other_id="ent_northwind", naming=NAMING
    ),
    "separate_name": lambda h, u, p: bases.separate_name(hand=h, entity_id="ent_smith", alias="Bob", naming=NAMING),
    "make_export": lambda h, u, p: interchange.make_export(hand=h, file_format="jsonl"),
    "hand_in_package": lambda h, u, p: interchange.hand_in_package(hand=h, package=UploadFile("a.zip", BytesIO(b"PK"))),
    "take_in_package": lambda h, u, p: interchange.take_in_package(hand=h, import_id="imp_0"),
    "drop_package": lambda h, u, p: interchange.drop_package(hand=h, import_id="imp_0"),
}


@pytest.fixture
def hand(project: Project, engine: FakeProvider) -> Hand:
    reading = reading_of(project)
    assert isinstance(reading, Reading)
    return Hand(by=BY, project=project, scope=reading.scope, provider=engine)


@pytest.mark.parametrize("name", ACTS)
def test_an_action_writes_one_event(hand: Hand, member: User, project: Project, name: str) -> None:
    before = AuditEvent.objects.count()
    ACTS[name](hand, member, project)
    assert AuditEvent.objects.count() == before + 1


@pytest.mark.parametrize("name", [name for name in ACTS if ACTS[name].__code__.co_names[0] == "bases"])
def test_a_refused_act_is_audited_as_refused(
    hand: Hand, member: User, project: Project, engine: FakeProvider, name: str
) -> None:
    engine.engine_outcome = Failed(Failure.UNAVAILABLE, "No reply.")
    before = AuditEvent.objects.count()
    ACTS[name](hand, member, project)
    assert AuditEvent.objects.count() == before + 1
    latest = AuditEvent.objects.first()
    assert latest is not None
    assert latest.after["refused"] == "unavailable"


def test_the_last_administrator_stays(owner: User) -> None:
    with pytest.raises(people.NotAllowed):
        people.change_person(by=BY, user=owner, name="Mara", role=Role.VIEWER, is_active=True)


def test_slugs_do_not_collide(owner: User) -> None:
    made = [projects.make_project(by=BY, name="Falcon Programme!").slug for _ in range(3)]
    assert made == ["falcon-programme", "falcon-programme-2", "falcon-programme-3"]
