"""Freezing packages, noting what came of them, and emptying those whose evidence was deleted."""

import hashlib
import secrets
import zlib
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone
from pydantic import TypeAdapter

from console import database
from console.audit.actions import record
from console.audit.models import Actor
from console.packages.models import CitationCheck, Outcome, Package, Quote, packages_purged
from console.tokens.models import AgentToken
from knowledge.citations import Report
from knowledge.context import KnowledgeContext
from knowledge.contract import Consumed
from knowledge.scope import KnowledgeScope
from knowledge.tools.keeping import Receipt, Sheet, manifest_of

CONTEXT: TypeAdapter[KnowledgeContext] = TypeAdapter(KnowledgeContext)
MARK = "pkg_"
OUTCOMES_KEPT = 20
"""Outcomes kept of one package; a consumer that tells more tells nothing new."""
CHECKS_KEPT = 50
FINDINGS_KEPT = 100
FOR_GOOD = ("deleted", "revoked")
"""States no document comes back from: what quotes it is emptied."""


@transaction.atomic
def freeze_package(*, token: AgentToken, scope: KnowledgeScope, sheet: Sheet, request_id: str) -> Receipt:
    """Every call makes one of its own, the same question of the same attempt, too."""
    key = MARK + secrets.token_hex(16)
    manifest = manifest_of(sheet, scope, package_id=key, agent=str(token), request_id=request_id)
    body = sheet.text.encode("utf-8", "surrogatepass")
    row = Package.objects.create(
        key=key,
        token=token,
        base_id=scope.base_id,
        kind=sheet.kind,
        status=sheet.status,
        digest=sheet.digest,
        manifest_digest=hashlib.sha256(manifest).hexdigest(),
        manifest=manifest,
        body=body,
        context=zlib.compress(CONTEXT.dump_json(sheet.context)),
        size=len(body),
        statement_count=len(sheet.context.facts),
        attempt=sheet.attempt,
        request_id=request_id[:64],
        admitted_at=sheet.admitted_at,
    )
    Quote.objects.bulk_create(
        Quote(
            package=row,
            statement_id=each.statement_id,
            evidence_id=each.evidence_id,
            source_id=each.source_id,
            document_id=each.document_id,
            version=each.version,
            excerpt_hash=each.excerpt_hash,
            start=each.start,
            end=each.end,
            standing=each.standing,
        )
        for each in sheet.quoted
    )
    return Receipt(key, row.manifest_digest)


@transaction.atomic
def note_outcome(*, package: Package, outcome: Consumed, raw: str, grounded: bool) -> None:
    """The same outcome told twice is one."""
    digest = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
    package = Package.objects.select_for_update().get(pk=package.pk)
    mine = Outcome.objects.filter(package=package)
    if mine.filter(outcome=outcome.value, raw_digest=digest).exists() or mine.count() >= OUTCOMES_KEPT:
        return
    kept = "" if package.purged_at else raw
    Outcome.objects.create(package=package, outcome=outcome.value, grounded=grounded, raw=kept, raw_digest=digest)


@transaction.atomic
def note_citations(*, package: Package, answer: str, report: Report) -> None:
    """Each check counts; of the findings of the latest ones the words are kept, too."""
    CitationCheck.objects.create(
        package=package,
        answer_digest=hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest(),
        holds=report.holds,
        cited=len(report.cited_and_admitted),
        finding_count=len(report.findings),
        findings=[
            {"kind": each.kind.value, "sentence": each.sentence, "what": each.what, "cited": list(each.cited)}
            for each in report.findings[:FINDINGS_KEPT]
        ],
    )
    latest = CitationCheck.objects.filter(package=package).order_by("-id").values_list("pk", flat=True)[:CHECKS_KEPT]
    CitationCheck.objects.filter(package=package).exclude(pk__in=list(latest)).update(findings=[])


@transaction.atomic
def purge_packages(*, by: Actor, project: str, packages: Iterable[int], because: str) -> int:
    """Empties the bytes for good; digests and manifests stay. One audit event says how many."""
    database.erase_thoroughly(("packages_package", "packages_outcome", "packages_citationcheck"))
    rows = Package.objects.filter(pk__in=list(packages), purged_at=None)
    ids = list(rows.values_list("pk", flat=True))
    if not ids:
        return 0
    rows.update(body=None, context=None, purged_at=timezone.now(), purged_because=because[:120], standing="unavailable")
    Outcome.objects.filter(package_id__in=ids).update(raw="")
    CitationCheck.objects.filter(package_id__in=ids).update(findings=[])
    packages_purged.send(sender=Package, packages=ids)
    record(by=by, action="packages.purged", target=because, project=project, after={"packages": len(ids)})
    return len(ids)


def purge_document(*, by: Actor, project: str, base_id: str, document_id: str, because: str) -> int:
    """Every package of the base that quotes the document, whoever it was handed to."""
    quoting = Quote.objects.filter(document_id=document_id, package__base_id=base_id)
    return purge_packages(
        by=by, project=project, packages=quoting.values_list("package_id", flat=True).distinct(), because=because
    )


def note_standing(*, package: Package, standing: str) -> None:
    """What the latest re-check found, for lists."""
    Package.objects.filter(pk=package.pk).update(checked_at=timezone.now(), standing=standing)
