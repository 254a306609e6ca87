"""``verify``: walks the whole store and names everything that is not as it should be. It changes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from forager.model import checking, dialect
from forager.model.models import Conflict, ConflictMember, Evidence, Export, KnowledgeBase, Source, Statement
from forager.model.statements import MANUAL
from forager.review import sweeping
from forager.search import fusion


@dataclass(frozen=True, slots=True)
class Finding:
    """``kind`` is stable, ``what`` names the thing, ``detail`` says more where there is more to say."""

    kind: str
    what: str
    detail: str = ""


def findings() -> Iterator[Finding]:
    for kind, what, detail in dialect.damage():
        yield Finding(kind, what, detail)
    for base in KnowledgeBase.objects.order_by("id"):
        yield from _base(base)
    yield from _files()


def walked() -> tuple[int, int]:
    """Documents and statements that ``findings`` looks at, in every base."""
    sources = Source.objects.exclude(processing_status="deleted")
    bases = KnowledgeBase.objects.order_by("id")
    statements = sum(Statement.objects.at(each.current_revision).filter(base=each).count() for each in bases)
    return sources.values("base", "document_id").distinct().count(), statements


def _base(base: KnowledgeBase) -> Iterator[Finding]:
    for source in Source.objects.filter(base=base).exclude(processing_status="deleted").order_by("path").iterator(200):
        for code, detail in checking.check(source).problems:
            yield Finding(code, f"{base.pk} {source.path}", detail)
    seen = Statement.objects.at(base.current_revision).filter(base=base)
    resting = Evidence.objects.at(base.current_revision).filter(base=base)
    read = seen.exclude(extractor_name=MANUAL)
    for item in read.exclude(item_id__in=resting.values("item_id")).values_list("item_id", flat=True):
        yield Finding("statement_without_evidence", item)
    counted = resting.filter(item_id=OuterRef("item_id")).order_by().values("item_id").annotate(n=Count("pk"))
    for item in seen.exclude(evidence_count=Coalesce(Subquery(counted.values("n")), 0)).values_list(
        "item_id", flat=True
    ):
        yield Finding("evidence_miscounted", item, "read the sources of its base again")
    standing = Conflict.objects.at(base.current_revision).filter(base=base)
    members = ConflictMember.objects.filter(side__conflict__in=standing).exclude(item_id="")
    for item in members.exclude(item_id__in=seen.values("item_id")).values_list("item_id", flat=True):
        yield Finding("conflict_without_statement", item)
    if base.current_revision and not fusion.active().is_whole(base):
        yield Finding("index_incomplete", base.pk, "run `python -m forager reindex`")


def _files() -> Iterator[Finding]:
    """Bytes nobody owns, and exports whose file is gone."""
    for path in sweeping.without_owner():
        yield Finding("bytes_without_owner", path.name)
    for export in Export.objects.filter(status="completed"):
        if not (Path(settings.DATA_DIR) / "exports" / f"{export.pk}.zip").exists():
            yield Finding("export_missing", export.pk)
