"""The words a base adds: what waits for its next run, and what a run reads with."""

from collections.abc import Iterator
from contextlib import contextmanager

from forager.extraction import lexicon, vocabulary
from forager.extraction.lexicon import Vocabulary
from forager.model.models import KnowledgeBase, Source
from forager.pipeline.stages import READ_AGAIN


@contextmanager
def of(base: KnowledgeBase) -> Iterator[None]:
    """Reads with the base's own words, and with nobody else's."""
    with lexicon.using(words_of(base)):
        yield


def words_of(base: KnowledgeBase) -> Vocabulary:
    kept = base.vocabulary
    return vocabulary.read(kept["words"], digest=kept["digest"]) if kept else lexicon.BUILT_IN


def adopt(base_id: str) -> None:
    """A run that begins takes up the words that wait, once; what was read without them is read again."""
    base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
    if base.next_vocabulary is None:
        return
    if base.next_vocabulary != base.vocabulary:
        read = Source.objects.filter(base=base).exclude(processing_status="deleted")
        read.exclude(pipeline_version="").update(pipeline_version=READ_AGAIN)
    base.vocabulary, base.next_vocabulary = base.next_vocabulary, None
    base.save(update_fields=["vocabulary", "next_vocabulary"])
