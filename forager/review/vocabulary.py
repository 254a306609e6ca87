"""Setting the words a base adds: checked, bound to what was read, audited; the base's next run takes them up."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from forager.extraction import vocabulary
from forager.model.ids import digest, random_id
from forager.model.models import KnowledgeBase, ReviewEvent
from forager.review.merging import Who
from forager.review.refusal import RulingRefused

NONE: dict[str, Any] = {"concepts": {}, "opposites": {}, "aliases": []}


def asked(base: KnowledgeBase) -> dict[str, Any]:
    """``{"words", "digest"}`` as last set, whether a run has taken them up or not."""
    kept = base.next_vocabulary if base.next_vocabulary is not None else base.vocabulary
    return dict(kept) if kept else {"words": NONE, "digest": digest(NONE)}


def put(base_id: str, words: Mapping[str, Any], who: Who, *, expected_digest: str) -> None:
    """Replaces all of them. ``VocabularyRefused`` when a word is wrong, ``RulingRefused`` when they moved."""
    cleaned = vocabulary.check(words)
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
        before = asked(base)
        if before["digest"] != expected_digest:
            raise RulingRefused("The vocabulary changed after it was read. Nothing was recorded.")
        base.next_vocabulary = {"words": cleaned, "digest": digest(cleaned)}
        base.save(update_fields=["next_vocabulary"])
        KnowledgeBase.objects.filter(pk=base.pk).update(state_epoch=F("state_epoch") + 1)
        ReviewEvent.objects.create(
            id=random_id("rve"),
            base=base,
            target_id=base.pk,
            action="vocabulary",
            before=before["words"],
            after=cleaned,
            actor=who.actor,
            notes=who.notes,
            at=timezone.now(),
        )
