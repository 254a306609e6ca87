"""What was handed out to whom: the console tells, so that a ruling can say what it will correct."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from forager.model.models import KnowledgeBase, Served, Statement
from forager.review import risk


@dataclass(frozen=True, slots=True)
class Package:
    """A context package that left: its id, the agent it went to, the statements in it."""

    id: str
    agent: str
    items: Sequence[str]


def record(base_id: str, package: Package) -> int:
    """Remembers what of the package this base knows, once; answers how many statements that is."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
        rows = Statement.objects.at(base.current_revision).filter(base=base, item_id__in=list(package.items))
        known = sorted(set(rows.values_list("item_id", flat=True)))
        now = timezone.now()
        Served.objects.bulk_create(
            [Served(base=base, item_id=i, package_id=package.id, agent=package.agent, at=now) for i in known],
            ignore_conflicts=True,
        )
        risk.count_again(base, known)
    return len(known)
