"""Reading packages, for pages: of a base as its project reads it, never of another."""

from datetime import timedelta

from django.db.models import Count, Max
from django.utils import timezone

from console.packages.models import Outcome, Package, PackageQuerySet, Quote

LATELY = timedelta(days=30)
MOST_TOLD = 2000


def packages_of(base_id: str, project_id: int) -> PackageQuerySet:
    """What agents of this project were handed of this base; other projects' agents are theirs."""
    rows = Package.objects.of_base(base_id).filter(token__project_id=project_id)
    return rows.select_related("token").defer("body", "context", "manifest")


def find_package(base_id: str, project_id: int, key: str) -> Package | None:
    return (
        Package.objects.of_base(base_id)
        .filter(token__project_id=project_id, key=key)
        .select_related("token")
        .prefetch_related("quotes", "outcomes", "citation_checks", "corrections")
        .first()
    )


def readers_of(base_id: str, project_id: int, statement_id: str) -> list[Package]:
    """Packages that hold the statement, latest first, at most 8."""
    return list(packages_of(base_id, project_id).filter(quotes__statement_id=statement_id).distinct()[:8])


def count_readers(base_id: str, project_id: int, statement_id: str) -> tuple[int, int]:
    """(packages, tokens) that hold the statement."""
    held = Quote.objects.filter(
        statement_id=statement_id, package__base_id=base_id, package__token__project_id=project_id
    )
    counted = held.aggregate(packages=Count("package", distinct=True), tokens=Count("package__token", distinct=True))
    return counted["packages"], counted["tokens"]


def served_lately(base_id: str, statement_ids: list[str]) -> int:
    """Packages with any of these statements in the last 30 days, of every project that reads the base."""
    since = timezone.now() - LATELY
    quotes = Quote.objects.filter(package__base_id=base_id, package__at__gte=since, statement_id__in=statement_ids)
    return quotes.values("package_id").distinct().count()


def statements_told(base_id: str) -> list[str]:
    """What packages that still hold something quote, the latest told first, at most 2,000."""
    rows = Quote.objects.filter(package__base_id=base_id, package__purged_at=None).order_by()
    latest = rows.values("statement_id").annotate(latest=Max("package_id")).order_by("-latest")
    return [row["statement_id"] for row in latest[:MOST_TOLD]]


def latest_outcomes(packages: list[int]) -> dict[int, str]:
    """Of each package that has one, what was told last."""
    rows = Outcome.objects.filter(package_id__in=packages).order_by("pk")
    return dict(rows.values_list("package_id", "outcome"))
