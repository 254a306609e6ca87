# ruff: noqa: E501 - a table of facts reads better on long lines
"""A base and a console with much in them: long names, words without a blank, many sides, full pages of every list."""

from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from console.audit.models import AuditEvent
from console.people.models import User
from console.phrases.actions import keep_phrase
from console.policy import Permission, Role
from console.projects.actions import bind_project, make_project
from console.projects.models import Project
from console.searches.actions import keep_search
from console.tokens.actions import make_token
from knowledge.provider import Decision
from knowledge.records import Alias, Side
from knowledge.reviewing import StoredDecision
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import Band, JobStatus, Status, Support
from tests.console import falcon
from tests.console.conftest import BY, person
from tests.console.fake import FakeProvider

SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
UNBROKEN = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
PATH = "programme/2026/quarter-1/reviews/working-group-on-propulsion-and-avionics-integration/minutes-of-the-fourteenth-meeting-final-v7-reviewed.docx"
SENTENCE = (
    "Unless the steering committee decides otherwise in its session after next, the launch date for Project Falcon, which had been "
    "January 12 in the proposal, March 3 in the memo of the kickoff and “late spring” in the letter to the customer, is April 10, 2026, "
    "provided that the actuator assemblies arrive, pass inspection and are not needed by the other programme first."
)


def heavy_base() -> FakeProvider:
    """Every list longer than a page, every text longer than a line."""
    made = FakeProvider()
    base = made.known_bases["proj_falcon"]
    made.known_bases["proj_falcon"] = replace(
        base, name=f"{base.name} {UNBROKEN[:60]}", statement_count=1_204_331, entity_count=38_112
    )
    _statements(made)
    _sources(made)
    _entities(made)
    _conflicts(made)
    made.known_jobs = [replace(falcon.job(JobStatus.RUNNING, done=at), id=f"job_{at:06}") for at in range(10)]
    for at in range(30):
        made.create_export(SCOPE, format="jsonl")
        made.known_imports.append(falcon.package_import(f"imp_{at}", producer_base=f"Yard {UNBROKEN[:80]} {at}"))
    for at in range(60):
        made.note_served(
            SCOPE,
            package_id=f"pkg_{at}",
            agent=f"{UNBROKEN[: 20 + at % 30].lower()}-ant-{at % 14}",
            statement_ids=("ki_3", "ki_120"),
        )
    return made


def heavy_console(owner: User, project: Project) -> None:
    """Many people, projects, tokens, searches and phrases, and a long trail."""
    for at in range(24):
        other = make_project(
            by=BY,
            name=f"{('Site operations', 'Propulsion and avionics integration', UNBROKEN[:70])[at % 3]} {at}",
            members=(owner,),
        )
        bind_project(by=BY, project=other, base_id=f"proj_{at}", base_name=f"base-{at}-{UNBROKEN[:40]}")
        person(tuple(Role)[at % 4], f"Maria-Magdalena{at} von und zu {UNBROKEN[:40]}".replace(" ", "-"))
    for at in range(20):
        keep_search(
            user=owner,
            project=project,
            name=f"{at} {UNBROKEN[:60]}",
            query=SENTENCE[:300],
            filters={"historical": "on", "support": "direct_fact", "as_of": "2026-02-27"},
        )
    for at in range(5):
        keep_phrase(user=owner, project=project, words=f"{at} {SENTENCE}"[:200])
    for at in range(30):
        make_token(
            by=BY, project=project, name=f"agent {at} {UNBROKEN[:50]}", permissions=[Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW],
            band=Band.TENANT, min_support=Support.DIRECT_FACT, per_minute=6000, expires_at=timezone.now() + timedelta(days=at + 1),
        )  # fmt: skip
    AuditEvent.objects.bulk_create(
        AuditEvent(actor_key="user:1", actor_name=f"Mara {UNBROKEN[:40]}", action="conflict.ruled", target=UNBROKEN[:150], project=project.slug, after={"base": "proj_falcon", "decision": f"dec_{at}", "reason": SENTENCE, "seconds": at, "presses": at % 9}, request_id=f"req_{at:016}")
        for at in range(120)
    )  # fmt: skip


def _statements(made: FakeProvider) -> None:
    some = list(made.known_statements.values())
    for at in range(60):
        like = some[at % len(some)]
        text = (SENTENCE, f"{like.text} {UNBROKEN}", like.text)[at % 3]
        proof = tuple(
            replace(each, id=f"{each.id}_{at}_{copy}") for each in like.evidence for copy in range(1 + at % 6)
        )
        made.known_statements[f"ki_h{at:03}"] = replace(
            like, id=f"ki_h{at:03}", text=text, evidence=proof, conflict_ids=(), status=tuple(Status)[at % 6], flags=("instruction", "hidden_characters") if at % 7 == 0 else (),
            attribute_key="falcon|launch_date", attribute_value=f"2026-{1 + at % 12:02}-{1 + at % 28:02}",
        )  # fmt: skip


def _sources(made: FakeProvider) -> None:
    some = list(made.known_sources.values())
    for at in range(90):
        like = some[at % len(some)]
        path = (PATH, f"{UNBROKEN}.txt", f"mail/{at}.eml")[at % 3]
        made.known_sources[f"src_h{at}"] = replace(
            like,
            id=f"src_h{at}",
            path=path,
            name=path.rpartition("/")[2],
            statement_count=at * 137,
            warnings=like.warnings * 3,
        )


def _entities(made: FakeProvider) -> None:
    names = tuple(
        Alias(f"{SENTENCE[:40]} {at}", "short", f"A shorter form {UNBROKEN[:30]}", 0.9, separable=at % 2 == 0)
        for at in range(14)
    )
    for key in ("ent_falcon", "ent_smith"):
        made.known_entities[key] = replace(made.known_entities[key], aliases=names, statement_count=120_331)
    for at in range(60):
        like = made.known_entities["ent_smyth"]
        made.known_entities[f"ent_h{at}"] = replace(
            like, id=f"ent_h{at}", name=(f"Robert Smith {at} of {UNBROKEN[:70]}", f"R. S. {at}")[at % 2]
        )
    pair = made.known_candidates["mc_smith"]
    long = tuple(
        replace(side, statements=tuple(made.known_statements[f"ki_h{at:03}"] for at in (3 * n, 3 * n + 1)))
        for n, side in enumerate(pair.sides)
    )
    made.known_candidates["mc_smith"] = replace(pair, sides=long, reason=SENTENCE)
    for at in range(60):
        made.known_candidates[f"mc_h{at:02}"] = replace(made.known_candidates["mc_smith"], id=f"mc_h{at:02}")


def _conflicts(made: FakeProvider) -> None:
    like = made.known_conflicts["cf_date"]
    five = tuple(f"ki_h{at:03}" for at in range(5))
    sides = tuple(
        Side(f"side_{one}", value, value, (one,), ("src_memo", "src_mail"), 2, falcon.sha(one))
        for one, value in zip(
            five, ("2026-03-03", UNBROKEN, "2026-04-10", "late spring, if the parts arrive", "2026-05-01"), strict=True
        )
    )
    made.known_conflicts["cf_date"] = replace(
        like,
        sides=sides,
        statement_ids=five,
        source_ids=("src_memo", "src_mail", "src_notes"),
        subject=f"Project Falcon {UNBROKEN[:60]}",
    )
    for at in range(70):
        made.known_conflicts[f"cf_h{at:02}"] = replace(
            made.known_conflicts[("cf_budget", "cf_date")[at % 2]], id=f"cf_h{at:02}", certainty="candidate" if at % 5 == 0 else "dispute",
            assignee=f"Maria-Magdalena {UNBROKEN[:40]}" if at % 4 == 0 else "", digest=falcon.sha(f"h{at}"),
        )  # fmt: skip
    for at in range(0, 40, 3):
        made.resolve(
            SCOPE, f"cf_h{at:02}", Decision("neither", f"Tomás {UNBROKEN[:30]}", SENTENCE, falcon.sha(f"h{at}"))
        )
    made.known_decisions = [
        StoredDecision(
            f"dec_o{at}",
            "ruling",
            "choose_side",
            "orphaned",
            (UNBROKEN, SENTENCE),
            f"cf_gone{at}",
            "Tomás Oduya",
            SENTENCE,
            falcon.AT,
        )
        for at in range(20)
    ]
