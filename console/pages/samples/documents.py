"""Evidence, statements, jobs and the life of a document."""

from console.pages.show.documents import ChangeView, DocumentView, VersionView
from console.pages.show.labels import SupportLabel, Tag
from console.pages.show.sources import JobView, StageView, WarningView
from console.pages.show.statements import EvidenceView, HashCheck, Link, StatementView
from console.pages.show.times import NEVER, Moment

AT = Moment("27 Feb 09:41", "2026-02-27T09:41:00+00:00")
STAGES = ("Registering", "Parsing", "Normalising", "Chunking", "Reading", "Entities", "Comparing", "Provenance")
LAST = ("Checking", "Indexing", "Export")
EXCERPT = "The launch date has moved to April 10 because the Northwind parts slipped."
GOOD = HashCheck(True, "Excerpt matches the stored text", "9c02ab…e1")
BAD = HashCheck(False, "The excerpt no longer matches the stored text", "11b0f2…9e")


def samples() -> dict[str, object]:
    return {
        "evidence": _evidence(),
        "statements": [
            statement("ki_s1", Tag("disputed", "neq", "Disputed"), "disputed"),
            statement("ki_s2", Tag("superseded", "bent", "Superseded"), "superseded", successor=Link("ki_s1", "#s1")),
            statement("ki_s3", Tag("unresolved", "broken", "Unresolved"), "unresolved", bare=True),
        ],
        "jobs": [_job("running"), _job("failed"), _job("waiting"), _job("done")],
        "warnings": [WarningView("Pages 7–9 are images only", "pages 7–9", "Add a text version.")],
        "life": _life(),
        "changed": [ChangeView("changed", "March 3, 2026", "April 10, 2026", "paragraph 2")],
    }


def statement(name: str, status: Tag, key: str, *, successor: Link | None = None, bare: bool = False) -> StatementView:
    return StatementView(
        id=name,
        url=f"#{name}",
        text="The launch date for Project Falcon has moved to April 10, 2026.",
        kind="Fact",
        support=SupportLabel("direct", "Direct fact"),
        support_reason="Stated outright in one sentence.",
        status=status,
        status_key=key,
        confidence="0.90",
        effective="10 Apr 2026",
        says="falcon | launch_date = 2026-04-10",
        excerpts="1 excerpt",
        evidence=() if bare else (_evidence()[0],),
        entities=(),
        conflicts=(),
        successor=successor,
        recorded=AT,
        extractor="rules 1",
        why="" if bare else "the words launch, date",
    )


def _evidence() -> list[EvidenceView]:
    return [
        EvidenceView("ev_1", "02-schedule-update.eml", "#", "message body", "All, ", EXCERPT, " Bob", False, GOOD),
        EvidenceView("ev_2", "06-standup-notes.txt", "#", "line 8", "", "Dana says it went up.", "", False, BAD),
        EvidenceView("ev_3", "03-team-roster.csv", "#", "row 4", "", "", "", True, BAD),
    ]


def _job(state: str) -> JobView:
    tags = {
        "running": Tag("running", "turning", "Running"),
        "failed": Tag("failed", "cross", "Failed"),
        "waiting": Tag("waiting", "clock", "Queued"),
        "done": Tag("done", "tick", "Completed"),
    }
    reached = {"running": 4, "failed": 1, "waiting": 0, "done": 11}[state]
    stages = tuple(
        StageView(name, _stage(at, reached, state), "4 of 4" if at < reached else "")
        for at, name in enumerate(STAGES + LAST)
    )
    return JobView(
        id=f"job_{state}",
        title="Reading 4 documents",
        tag=tags[state],
        ended=state in ("failed", "done"),
        queued="Starts when job_running ends. It is queued, not stuck." if state == "waiting" else "",
        stalled="",
        units_done=str(4 * reached),
        units_total="44",
        value=4 * reached,
        maximum=44,
        stages=stages,
        warnings=(WarningView("Pages 7–9 are images only", "pages 7–9", "Add a text version."),)
        if state == "done"
        else (),
        error="The parser was stopped after 60 s." if state == "failed" else "",
        error_stage="Parsing" if state == "failed" else "",
        started=NEVER if state == "waiting" else AT,
        queued_at=AT,
        finished=AT if state in ("failed", "done") else NEVER,
        cancel_url="#cancel" if state == "running" else "",
        retry_url="#retry" if state == "failed" else "",
    )


def _stage(at: int, reached: int, state: str) -> str:
    if at < reached:
        return "skipped" if at == 2 else "done"
    return {"running": "running", "failed": "failed"}.get(state, "waiting") if at == reached else "waiting"


def _life() -> DocumentView:
    return DocumentView(
        id="doc_1",
        state_key="suspended",
        state=Tag("suspended", "bars", "Suspended"),
        why="Under review until the supplier answers.",
        by="Mara Lindqvist",
        at=AT,
        owner="Robert Smith",
        readers="Withheld from every answer until it is active again",
        authoritative=True,
        versions=(VersionView(1, "#v1", False, False), VersionView(2, "#v2", True, True)),
        steps=(),
    )
