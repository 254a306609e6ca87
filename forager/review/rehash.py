"""Scheduled comparing of sources with what was read from them: what broke is flagged, what is whole again unflagged."""

from datetime import timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from forager.model import checking
from forager.model.models import Evidence, KnowledgeBase, Source
from forager.review import views

log = structlog.get_logger("forager.rehash")
CODE = "changed_since_read"
MESSAGE = "The stored source is not what was read any more. Its statements are unresolved."
NEXT = "Restore the data folder from a backup, or load the document again."


def one_due() -> bool:
    """Compares the source that waits longest, when one is due. Answers whether there was one."""
    before = timezone.now() - timedelta(hours=settings.RECHECK_HOURS)
    due = Source.objects.filter(processing_status__in=("indexed", "stale"), stored__isnull=False)
    stale = due.filter(last_verified_at__lt=before) | due.filter(last_verified_at=None, registered_at__lt=before)
    source = stale.order_by(F("last_verified_at").asc(nulls_first=True), "id").first()
    if source is None:
        return False
    compare(source)
    return True


def compare(source: Source) -> bool:
    """Brings the flags of one source to the truth. Answers whether it is whole."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=source.base_id)
        source.refresh_from_db()
        found = checking.check(source)
        rows = Evidence.objects.filter(source=source, rev_to__isnull=True)
        flagged = set(rows.filter(missing_excerpt=True).values_list("pk", flat=True))
        broken = set(found.broken)
        rows.filter(pk__in=broken).update(missing_excerpt=True)
        rows.filter(pk__in=flagged - broken).update(missing_excerpt=False)
        others = [w for w in source.warnings if w["code"] != CODE]
        told = {"code": CODE, "message": MESSAGE, "locator": "", "next_action": NEXT}
        source.warnings = [*others, told] if found.problems else others
        source.last_verified_at = timezone.now()
        source.save(update_fields=["warnings", "last_verified_at"])
        if flagged != broken:
            log.warning("source_compared", source=source.pk, broken=len(broken), codes=[c for c, _ in found.problems])
            views.moved(base, cause=source.pk, origin="engine")
    return not found.problems
