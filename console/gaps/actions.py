"""Counting questions without an answer, asking them again when the base has moved, and setting them aside."""

import hashlib
import re
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.gaps.models import MOST, Gap, GapState
from console.projects.models import Project
from console.tokens.models import AgentToken
from knowledge.context import KnowledgeContext, build_context
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope
from knowledge.tools.abstaining import judged
from knowledge.tools.seat import Unanswered
from knowledge.vocabulary import Band, Status, Support

AT_ONCE = 50
"""Gaps asked again in one pass; the most recently asked ones go first, the others have their turn in the next."""
ANSWERED = (None, "contested")
"""Codes of an answer that says something: a dispute is for Review, no gap any more."""
END = re.compile(r"[\s?!.…]+$")


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did. ``waiting`` open gaps have not been asked of the base as it is now."""

    asked: int
    closed: int
    waiting: int


@transaction.atomic
def note_gap(*, token: AgentToken, scope: KnowledgeScope, gap: Unanswered) -> None:
    """Counts the question; one that was closed is open again, one that was dismissed stays so and counts."""
    now = timezone.now()
    row, is_made = Gap.objects.get_or_create(
        project_id=token.project_id,
        base_id=scope.base_id,
        digest=question_digest(gap.question),
        band=scope.ceiling.value,
        floor=gap.floor.value,
        defaults={"question": gap.question, "code": gap.code, "last_at": now, "token": token},
    )
    if is_made:
        _bound(token.project_id, scope.base_id)
        return
    Gap.objects.filter(pk=row.pk).update(count=F("count") + 1, last_at=now, code=gap.code, token=token)
    if row.state == GapState.CLOSED:
        Gap.objects.filter(pk=row.pk).update(state=GapState.OPEN, ended_at=None, statement_id="", asked_revision=0)


def ask_again(
    *,
    project: Project,
    scope: KnowledgeScope,
    provider: KnowledgeProvider,
    top_k: int,
    at_most: int = AT_ONCE,
    revision: int | None = None,
) -> Outcome[Pass]:
    """Open gaps that were not asked of the base as it is now, with the reach and the floor they were asked with.

    ``revision`` is the base's, where it was just read.
    """
    if revision is None:
        base = provider.base(scope)
        if isinstance(base, Failed):
            return base
        revision = base.value.current_revision
    waiting = Gap.objects.of(project, scope.base_id).open().filter(asked_revision__lt=revision)
    asked = closed = 0
    for row in list(waiting[:at_most]):
        reach = replace(scope, ceiling=Band.read(row.band))
        built = build_context(provider, reach, row.question, top_k=top_k, min_support=Support.read(row.floor))
        if isinstance(built, Failed):
            return built
        asked += 1
        closed += _settle(row, built.value, revision)
    return Ok(Pass(asked, closed, waiting.count()))


@transaction.atomic
def dismiss_gap(*, by: Actor, gap: Gap, reason: str) -> bool:
    """Set aside with a reason; whether it was still open."""
    mine = Gap.objects.filter(pk=gap.pk, state=GapState.OPEN)
    done = mine.update(state=GapState.DISMISSED, ended_at=timezone.now(), dismissed_by=by.name, reason=reason[:500])
    if done:
        record(
            by=by, action="gap.dismissed", target=str(gap.pk), project=gap.project.slug, after={"reason": reason[:200]}
        )
    return bool(done)


def question_digest(question: str) -> str:
    """The same for questions that differ in case, blanks and punctuation at their end."""
    told = END.sub("", " ".join(question.casefold().split()))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def _settle(row: Gap, context: KnowledgeContext, revision: int) -> bool:
    """Closed by the statement that answers it now, else asked of this revision."""
    facts = [fact.statement for fact in context.facts]
    disputed = [each.id for each, fact in zip(facts, context.facts, strict=True) if fact.contested]
    disputed += [each.id for each in facts if each.status is Status.DISPUTED]
    ordered = [*(each for each in facts if each.id in disputed), *(each for each in facts if each.id not in disputed)]
    found = judged(ordered, disputed)
    code = found.code if found else None
    if code not in ANSWERED:
        Gap.objects.filter(pk=row.pk).update(asked_revision=revision)
        return False
    Gap.objects.filter(pk=row.pk, state=GapState.OPEN).update(
        state=GapState.CLOSED,
        ended_at=timezone.now(),
        statement_id=ordered[0].id,
        is_contested=code == "contested",
        asked_revision=revision,
    )
    return True


def _bound(project_id: int, base_id: str) -> None:
    rows = Gap.objects.filter(project_id=project_id, base_id=base_id, state=GapState.OPEN)
    beyond = rows.order_by("-last_at", "-id").values_list("pk", flat=True)[MOST:]
    Gap.objects.filter(pk__in=list(beyond)).delete()
