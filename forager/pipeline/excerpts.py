"""Whether excerpts are still what the stored texts say, a few texts at a time."""

from itertools import batched, groupby

from django.db.models import QuerySet

from forager.model.models import Evidence, SourceText

TEXTS_AT_ONCE = 50


def not_in_text(rows: QuerySet[Evidence]) -> list[int]:
    """Row ids of the evidence whose ``text[start:end]`` is not its excerpt."""
    missing: list[int] = []
    sources = rows.order_by("source_id").values_list("source_id", flat=True).distinct()
    for some in batched(sources, TEXTS_AT_ONCE):
        texts = dict(SourceText.objects.filter(pk__in=some).values_list("pk", "text"))
        spans = (
            rows.filter(source__in=some).order_by("source_id").values_list("source_id", "pk", "start", "end", "excerpt")
        )
        for source, found in groupby(spans.iterator(), key=lambda row: row[0]):
            text = texts.get(source, "")
            missing.extend(pk for _, pk, start, end, excerpt in found if text[start:end] != excerpt)
    return missing
