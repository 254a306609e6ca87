"""One pass, one code path: a timer and a button file the same findings, and nothing is filed twice."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.projects.models import Project
from console.study.models import Decision, Finding, Kind, StudyPass
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Source
from knowledge.scope import KnowledgeScope

PAGE = 200
READ = "indexed"
STANDING = ("active", "stale")


class Mode(StrEnum):
    """``suggest`` files findings every few hours; ``on`` decides them for study, too."""

    OFF = "off"
    SUGGEST = "suggest"
    ON = "on"


type Queue = Callable[[Sequence[Finding]], None]
"""What happens with findings that are to be studied; called inside the transaction that decides them."""


def is_due(base_id: str, mode: Mode, every: timedelta) -> bool:
    if mode is Mode.OFF:
        return False
    last = StudyPass.objects.filter(base_id=base_id).first()
    return last is None or last.at <= timezone.now() - every


def look_through(
    *, scope: KnowledgeScope, provider: KnowledgeProvider, mode: Mode, by: Actor, project: Project, queue: Queue
) -> Outcome[int]:
    """Files what is new or changed; how many. With ``on`` they are decided for study at once."""
    sources = _standing(provider, scope)
    if isinstance(sources, Failed):
        return sources
    with transaction.atomic():
        filed = [found for source in sources.value if (found := _file(scope.base_id, source)) is not None]
        StudyPass.objects.update_or_create(base_id=scope.base_id, defaults={"at": timezone.now(), "filed": len(filed)})
        if mode is Mode.ON and filed:
            decide(by=by, project=project, findings=filed, decision=Decision.STUDY, queue=queue)
    return Ok(len(filed))


@transaction.atomic
def decide(
    *, by: Actor, project: Project, findings: Sequence[Finding], decision: Decision, queue: Queue
) -> list[Finding]:
    """Decides those that are still open, and answers them; the others were decided by somebody else meanwhile."""
    now = timezone.now()
    mine = []
    for each in findings:
        row = Finding.objects.filter(pk=each.pk, decision=Decision.OPEN)
        if row.update(decision=decision, decided_by=by.name, decided_at=now):
            mine.append(each)
    if mine and decision is Decision.STUDY:
        queue(mine)
    for each in mine:
        after = {"decision": decision.value, "document": each.document_id, "hash": each.content_hash[:16]}
        record(by=by, action="finding.decided", target=str(each.pk), project=project.slug, after=after)
    return mine


def _standing(provider: KnowledgeProvider, scope: KnowledgeScope) -> Outcome[list[Source]]:
    """The current version of every document that readers see; copies of another document are that document."""
    found: list[Source] = []
    cursor = ""
    while True:
        page = provider.sources(scope, cursor=cursor, page_size=PAGE)
        if isinstance(page, Failed):
            return page
        found += [each for each in page.value.items if _is_standing(each)]
        cursor = page.value.next_cursor or ""
        if not cursor:
            return Ok(found)


def _is_standing(source: Source) -> bool:
    is_current = source.superseded_by is None and source.duplicate_of is None
    return is_current and source.processing_status == READ and source.state in STANDING


def _file(base_id: str, source: Source) -> Finding | None:
    """None when these bytes of this document were filed before, whatever was decided then."""
    known = Finding.objects.of(base_id).filter(document_id=source.document_id)
    if known.filter(content_hash=source.content_hash).exists():
        return None
    found, is_new = Finding.objects.get_or_create(
        base_id=base_id,
        document_id=source.document_id,
        content_hash=source.content_hash,
        defaults={
            "source_id": source.id,
            "path": (source.path or source.name)[:500],
            "kind": Kind.CHANGED if known.exists() else Kind.NEW,
            "statements": source.statement_count,
        },
    )
    return found if is_new else None
