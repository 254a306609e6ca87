"""Acts on a knowledge base. The engine is asked first; one audit event tells what it answered, either way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from console.audit.actions import Facts, record
from console.audit.models import Actor
from console.bases.authorities import Authority, contradictory, contradictory_among, owners_of
from console.packages.actions import FOR_GOOD, purge_document
from console.packages.correcting import Cause, correct, statements_of_document
from console.projects.actions import bind_project
from console.projects.models import Binding, Project
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.paths import Workspace
from knowledge.provider import (
    BulkItem,
    Decision,
    DocumentEdit,
    KnowledgeProvider,
    Naming,
    QueueFilter,
    StateChange,
    UploadFile,
)
from knowledge.records import Base, Conflict, Document, Entity, ImportedFolder, Job, MergeCandidate, Uploaded
from knowledge.reviewing import Ruled, RulingOutcome
from knowledge.scope import KnowledgeScope

RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought in and the job that reads it; ``job`` failed when only the reading could not start."""

    uploaded: Uploaded
    job: Outcome[Job] | None


@dataclass(frozen=True, slots=True)
class Effort:
    """What a ruling took: seconds from reading to recording, and keys and clicks beside the reason. None: not known."""

    seconds: int | None = None
    presses: int | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """Who acts, in which project, on which base, through which provider."""

    by: Actor
    project: Project
    scope: KnowledgeScope
    provider: KnowledgeProvider

    def note(self, action: str, target: str, outcome: Outcome[object], after: Facts | None = None) -> None:
        """The one audit event of an act."""
        told: dict[str, str | int | float | bool | None] = {"base": self.scope.base_id, **(after or {})}
        if isinstance(outcome, Failed):
            told |= {"refused": outcome.failure.value, "upstream_request": outcome.upstream_request_id}
        record(by=self.by, action=action, target=target, project=self.project.slug, after=told)

    def correct(self, statement_ids: Iterable[str], cause: Cause, reference: str) -> int:
        """Tells the packages that hold these what an act overturned; how many there are."""
        return correct(
            scope=self.scope, provider=self.provider, statement_ids=statement_ids, cause=cause, reference=reference
        )


def make_base_and_bind(
    *, by: Actor, project: Project, provider: KnowledgeProvider, name: str, description: str
) -> Outcome[Binding]:
    """Make a knowledge base in the engine and let the project read it, in one step."""
    made = provider.create_base(name=name, description=description)
    if isinstance(made, Failed):
        after = {"name": name, "refused": made.failure.value}
        record(by=by, action="base.made", target=project.slug, project=project.slug, after=after)
        return made
    return Ok(bind_project(by=by, project=project, base_id=made.value.id, base_name=made.value.name))


def import_documents(*, hand: Hand, files: Sequence[UploadFile]) -> Outcome[Imported]:
    """Send files to the engine and start reading them. Nothing fails the batch; refused files are named."""
    uploaded = hand.provider.upload(hand.scope, files)
    job = _read(hand, uploaded)
    after: dict[str, str | int | float | bool | None] = {"files": len(files)}
    if isinstance(uploaded, Ok):
        after |= {"taken": len(uploaded.value.sources), "refused_files": len(uploaded.value.refused)}
    if isinstance(job, Ok):
        after["job"] = job.value.id
    hand.note("documents.imported", hand.scope.base_id, uploaded, after)
    return uploaded if isinstance(uploaded, Failed) else Ok(Imported(uploaded.value, job))


def import_folder(*, hand: Hand, path: str, workspace: Workspace) -> Outcome[ImportedFolder]:
    """Let the engine take a folder in and start reading. A path outside the workspace is refused before it is asked."""
    inside = workspace.resolve(path)
    taken = hand.provider.import_folder(hand.scope, str(inside.value)) if isinstance(inside, Ok) else inside
    after: dict[str, str | int | float | bool | None] = {"path": path[:300]}
    if isinstance(taken, Ok):
        after |= {"taken": taken.value.registered, "refused_files": taken.value.refused_count}
        job = hand.provider.process(hand.scope) if taken.value.registered else None
        if isinstance(job, Ok):
            after["job"] = job.value.id
    hand.note("folder.imported", hand.scope.base_id, taken, after)
    return taken


def _read(hand: Hand, uploaded: Outcome[Uploaded]) -> Outcome[Job] | None:
    if isinstance(uploaded, Ok) and uploaded.value.sources:
        return hand.provider.process(hand.scope)
    return None


def start_reading(*, hand: Hand) -> Outcome[Job]:
    """Read every document again with the engine's rules as they are now."""
    job = hand.provider.process(hand.scope, force=True)
    hand.note("job.started", hand.scope.base_id, job, {"job": job.value.id} if isinstance(job, Ok) else None)
    return job


def cancel_job(*, hand: Hand, job_id: str) -> Outcome[Job]:
    job = hand.provider.cancel_job(hand.scope, job_id)
    hand.note("job.cancelled", job_id, job)
    return job


def retry_job(*, hand: Hand, job_id: str) -> Outcome[Job]:
    job = hand.provider.retry_job(hand.scope, job_id)
    hand.note("job.retried", job_id, job)
    return job


def change_document_state(*, hand: Hand, document_id: str, change: StateChange) -> Outcome[Document]:
    """Take one step of a document's lifecycle."""
    changed = hand.provider.change_state(hand.scope, document_id, change)
    hand.note("document.state_changed", document_id, changed, {"state": change.state, "code": change.reason_code})
    if isinstance(changed, Ok):
        served = statements_of_document(hand.scope.base_id, document_id)
        hand.correct(served, Cause.LIFECYCLE, document_id)
        if change.state in FOR_GOOD:
            purge_document(
                by=hand.by,
                project=hand.project.slug,
                base_id=hand.scope.base_id,
                document_id=document_id,
                because=f"document {document_id} is {change.state}",
            )
    return changed


def edit_document(*, hand: Hand, document_id: str, edit: DocumentEdit) -> Outcome[Document]:
    changed = hand.provider.edit_document(hand.scope, document_id, edit)
    after: Facts = {"band": edit.band, "authoritative": edit.authoritative, "owner": edit.owner}
    hand.note("document.edited", document_id, changed, after)
    return changed


def rule_on_conflict(
    *,
    hand: Hand,
    conflict_id: str,
    decision: Decision,
    effort: Effort | None = None,
    authorities: tuple[Authority, ...] | None = None,
) -> Outcome[Ruled]:
    """Record a ruling, bound to the digest of what was read. The event tells what it took, for ``audit.queries``.

    ``authorities`` as they were read with it, None where nobody read them: then they are read first.
    """
    authorities = _authorities(hand, conflict_id) if authorities is None else authorities
    ruled = hand.provider.resolve(hand.scope, conflict_id, decision)
    after: dict[str, str | int | float | bool | None] = {
        **_escalation(authorities, decision),
        "ruling": decision.action,
        "side": decision.side_id,
        "digest": decision.expected_digest,
    }
    if isinstance(ruled, Ok):
        after |= {"outcome": ruled.value.outcome, "decision": ruled.value.decision_id}
        after |= {name: each for name, each in asdict(effort or Effort()).items() if each is not None}
    hand.note("conflict.ruled", conflict_id, ruled, after)
    if isinstance(ruled, Ok) and ruled.value.outcome == RECORDED:
        hand.correct(ruled.value.conflict.statement_ids, Cause.RULING, conflict_id)
    return ruled


def _authorities(hand: Hand, conflict_id: str) -> tuple[Authority, ...]:
    """Read before the ruling; where they cannot be, the ruling itself tells why."""
    brief = hand.provider.brief(hand.scope, conflict_id, QueueFilter())
    return contradictory(brief.value) if isinstance(brief, Ok) else ()


def _escalation(authorities: tuple[Authority, ...], decision: Decision) -> dict[str, str | int | float | bool | None]:
    """What the trail keeps where governing documents disagree: who was asked, or that a person made an exception."""
    if not authorities:
        return {}
    owners = owners_of(authorities)
    if decision.action == "needs_evidence":
        return {"authorities": len(authorities), "asked_owner": decision.assignee in owners}
    return {"authorities": len(authorities), "exception": True, "owners": ", ".join(owners)[:200]}


def rule_on_each(*, hand: Hand, items: Sequence[BulkItem], decision: Decision) -> Outcome[tuple[RulingOutcome, ...]]:
    """The same ruling for exactly these, each bound to its own digest; every id stands in the one audit event."""
    disagreeing = _authorities_of_each(hand, [one.conflict_id for one in items])
    ruled = hand.provider.resolve_each(hand.scope, items, decision)
    after: Facts = {"ruling": decision.action, "asked": ",".join(one.conflict_id for one in items)}
    if isinstance(ruled, Ok):
        recorded = [one.conflict_id for one in ruled.value if one.outcome == RECORDED]
        after = {**after, "recorded": ",".join(recorded), **_escalations(disagreeing, recorded, decision)}
        _correct_each(hand, recorded)
    hand.note("conflict.ruled_each", hand.scope.base_id, ruled, after)
    return ruled


def _authorities_of_each(hand: Hand, conflict_ids: Sequence[str]) -> Mapping[str, tuple[Authority, ...]] | None:
    """By conflict, as they stand before the ruling; each source is read once. None where they could not be read."""
    found = hand.provider.queued(hand.scope, list(conflict_ids))
    if isinstance(found, Failed):
        return None
    conflicts = [each.conflict for each in found.value.items if len(each.conflict.sides) > 1]
    ids = dict.fromkeys(key for each in conflicts for side in each.sides for key in side.source_ids)
    sources = {key: hand.provider.source(hand.scope, key) for key in ids}
    if any(isinstance(each, Failed) and each.failure is not Failure.NOT_FOUND for each in sources.values()):
        return None
    known = {key: each.value for key, each in sources.items() if isinstance(each, Ok)}
    return {each.id: contradictory_among(each, known) for each in conflicts}


def _escalations(
    disagreeing: Mapping[str, tuple[Authority, ...]] | None, recorded: Sequence[str], decision: Decision
) -> Facts:
    """As for one: which of those that were recorded are exceptions, and whose documents they are about."""
    if disagreeing is None:
        return {"authorities": "not read"}
    told = {key: _escalation(disagreeing[key], decision) for key in recorded if disagreeing.get(key)}
    if not told:
        return {}
    owners = dict.fromkeys(owner for key in told for owner in owners_of(disagreeing[key]))
    exceptions = [key for key, each in told.items() if each.get("exception")]
    return {
        "authorities": ",".join(told),
        **({"exception": True, "exceptions": ",".join(exceptions)} if exceptions else {}),
        "owners": ", ".join(owners)[:200],
    }


def _correct_each(hand: Hand, conflict_ids: Sequence[str]) -> None:
    found = hand.provider.queued(hand.scope, conflict_ids) if conflict_ids else None
    for each in found.value.items if isinstance(found, Ok) else ():
        hand.correct(each.conflict.statement_ids, Cause.RULING, each.conflict.id)


def reopen_conflict(*, hand: Hand, conflict_id: str, notes: str, expected_decision: str = "") -> Outcome[Conflict]:
    """Take a ruling back; named by ``expected_decision``, only that one."""
    reopened = hand.provider.reopen(
        hand.scope, conflict_id, actor=hand.by.name, notes=notes, expected_decision=expected_decision
    )
    hand.note("conflict.reopened", conflict_id, reopened)
    if isinstance(reopened, Ok):
        hand.correct(reopened.value.statement_ids, Cause.UNDO, conflict_id)
    return reopened


def ask_two(*, hand: Hand, is_asked: bool) -> Outcome[Base]:
    """Whether a ruling in this base needs a second person, who decides without seeing what the first said."""
    base = hand.provider.ask_two(hand.scope, is_asked=is_asked)
    hand.note("base.second_look", hand.scope.base_id, base, {"second_look": is_asked})
    return base


def decide_candidate(*, hand: Hand, candidate_id: str, naming: Naming, is_one: bool) -> Outcome[MergeCandidate]:
    """Record that two names are one or two, bound to the digest of what was read."""
    decided = hand.provider.decide_candidate(hand.scope, candidate_id, naming, is_one=is_one)
    after: Facts = {"decided": "one" if is_one else "two", "digest": naming.expected_digest}
    hand.note("entities.decided", candidate_id, decided, after)
    return decided


def join_entities(*, hand: Hand, entity_id: str, other_id: str, naming: Naming) -> Outcome[Entity]:
    joined = hand.provider.join_entities(hand.scope, entity_id, other_id, naming)
    hand.note("entities.joined", entity_id, joined, {"other": other_id})
    return joined


def separate_name(*, hand: Hand, entity_id: str, alias: str, naming: Naming) -> Outcome[Entity]:
    separated = hand.provider.separate_name(hand.scope, entity_id, alias, naming)
    hand.note("entities.separated", entity_id, separated, {"name": alias})
    return separated
