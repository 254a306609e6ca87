"""The packages of one token and of those it follows: found by their owner alone, and only on the base read now."""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from django.db.models import Prefetch

from console.audit.models import Actor
from console.packages import actions
from console.packages.correcting import compare_waiting
from console.packages.models import Correction, Package, Quote
from console.tokens.models import AgentToken
from console.tokens.queries import lineage
from knowledge.citations import Report
from knowledge.contract import Consumed
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.tools import keeping
from knowledge.vocabulary import Band

SYSTEM = Actor(key="system:packages", name="Packages")


class TokenPackages:
    """``scope`` is asked at every use, so that a package of a base bound before is as good as unknown."""

    def __init__(
        self,
        token: AgentToken,
        scope: Callable[[], KnowledgeScope | Unresolved],
        provider: Callable[[], KnowledgeProvider],
    ) -> None:
        self._token = token
        self._scope = scope
        self._provider = provider

    def freeze(self, sheet: keeping.Sheet, request_id: str) -> keeping.Receipt:
        scope = self._scope()
        assert isinstance(scope, KnowledgeScope)  # noqa: S101 - a call without a scope reaches no tool
        return actions.freeze_package(token=self._token, scope=scope, sheet=sheet, request_id=request_id)

    def find(self, package_id: str) -> keeping.Package | None:
        row = self._row(package_id)
        return package_of(row) if row is not None else None

    def purge(self, package_id: str, because: str) -> None:
        row = self._row(package_id)
        if row is not None:
            project = self._token.project.slug
            actions.purge_packages(by=SYSTEM, project=project, packages=[row.pk], because=because)

    def note_outcome(self, package_id: str, outcome: Consumed, raw: str, *, grounded: bool) -> None:
        row = self._row(package_id)
        if row is not None:
            actions.note_outcome(package=row, outcome=outcome, raw=raw, grounded=grounded)

    def note_citations(self, package_id: str, answer: str, report: Report) -> None:
        row = self._row(package_id)
        if row is not None:
            actions.note_citations(package=row, answer=answer, report=report)

    def corrections(self, after: int, limit: int) -> Sequence[keeping.Overturned]:
        scope = self._scope()
        if isinstance(scope, Unresolved):
            return ()
        compare_waiting(replace(scope, ceiling=Band.TENANT), self._provider())
        owned = Package.objects.of_tokens(lineage(self._token))
        rows = Correction.objects.filter(base_id=scope.base_id, pk__gt=after, packages__in=owned)
        mine = Prefetch("packages", queryset=owned.order_by("pk"))
        return [_overturned(each) for each in rows.distinct().order_by("pk").prefetch_related(mine)[:limit]]

    def _row(self, package_id: str) -> Package | None:
        scope = self._scope()
        base_id = scope.base_id if isinstance(scope, KnowledgeScope) else ""
        return Package.objects.of_tokens(lineage(self._token)).of_base(base_id).filter(key=package_id).first()


def package_of(row: Package) -> keeping.Package:
    return keeping.Package(
        id=row.key,
        kind=row.kind,
        status=row.status,
        digest=row.digest,
        manifest_digest=row.manifest_digest,
        manifest=json.loads(bytes(row.manifest)),
        text=None if row.body is None else bytes(row.body).decode("utf-8", "surrogatepass"),
        context=None if row.context is None else actions.CONTEXT.validate_json(zlib.decompress(bytes(row.context))),
        quoted=tuple(_quoted(each) for each in row.quotes.all()),
        admitted_at=row.admitted_at,
        attempt=row.attempt,
        outcomes=tuple(row.outcomes.values_list("outcome", flat=True)),
    )


def _quoted(row: Quote) -> keeping.Quoted:
    return keeping.Quoted(
        statement_id=row.statement_id,
        evidence_id=row.evidence_id,
        source_id=row.source_id,
        document_id=row.document_id,
        version=row.version,
        excerpt_hash=row.excerpt_hash,
        start=row.start,
        end=row.end,
        standing=row.standing,
    )


def _overturned(row: Correction) -> keeping.Overturned:
    return keeping.Overturned(
        id=row.pk,
        at=row.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        cause=row.cause,
        statement_id=row.statement_id,
        standing=row.standing,
        successor_id=row.successor_id,
        packages=tuple(each.key for each in row.packages.all()),
    )
