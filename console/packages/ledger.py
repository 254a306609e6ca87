"""The honesty ledger of a token: what it asked, was served, cited rightly or wrongly, and where it got no answer."""

from dataclasses import asdict, dataclass

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from console.packages.models import CitationCheck, Outcome, Package
from console.tokens.models import AgentToken, ToolCall
from knowledge.contract import Consumed
from knowledge.tools.keeping import ADMISSION

ASKING = tuple(f"knowledge_{name}" for name in ("search", "retrieve", "recall", "entity", "neighbors", "walk"))


@dataclass(frozen=True, slots=True)
class Ledger:
    """Exact totals since the token was made.

    ``asked``: answered calls of the tools that take a question or an entity; ``abstained`` those of them whose answer
    was a reason; ``refused``: calls of any tool. ``served``: packages that hold a statement, ``admitted`` those of them
    that are admissions. ``cited``: checked answers that held; ``failed_checks`` those that did not. ``grounded`` and
    ``not_grounded``: outcomes told as answered, with and without evidence; ``unfinished``: all other outcomes.
    """

    asked: int
    abstained: int
    refused: int
    served: int
    admitted: int
    cited: int
    failed_checks: int
    grounded: int
    not_grounded: int
    unfinished: int

    def as_json(self) -> dict[str, int]:
        return asdict(self)


def ledger_of(token: AgentToken) -> Ledger:
    """One query."""
    calls = ToolCall.objects.filter(token=OuterRef("pk"))
    asked = calls.filter(tool__in=ASKING, failure="")
    packages = Package.objects.filter(token=OuterRef("pk"), statement_count__gt=0)
    checks = CitationCheck.objects.filter(package__token=OuterRef("pk"))
    outcomes = Outcome.objects.filter(package__token=OuterRef("pk"))
    answered = outcomes.filter(outcome=Consumed.ANSWERED.value)
    totals = AgentToken.objects.filter(pk=token.pk).annotate(
        asked=_count(asked, "token"),
        abstained=_count(asked.exclude(abstained=""), "token"),
        refused=_count(calls.exclude(failure=""), "token"),
        served=_count(packages, "token"),
        admitted=_count(packages.filter(kind=ADMISSION), "token"),
        cited=_count(checks.filter(holds=True), "package__token"),
        failed_checks=_count(checks.filter(holds=False), "package__token"),
        grounded=_count(answered.filter(grounded=True), "package__token"),
        not_grounded=_count(answered.filter(grounded=False), "package__token"),
        unfinished=_count(outcomes.filter(~Q(outcome=Consumed.ANSWERED.value)), "package__token"),
    )
    return Ledger(**totals.values(*Ledger.__dataclass_fields__).get())


def _count(
    rows: QuerySet[ToolCall] | QuerySet[Package] | QuerySet[CitationCheck] | QuerySet[Outcome], by: str
) -> Coalesce:
    counted = rows.order_by().values(by).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
