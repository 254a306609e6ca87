"""Every route, from the registry that the resource modules fill as they are imported."""

from django.http import HttpRequest, JsonResponse

from forager.api import (
    bases,
    briefs,
    conflicts,
    decisions,
    documents,
    engine,
    entities,
    exports,
    feed,
    graph,
    imports,
    jobs,
    manual,
    merging,
    queue,
    references,
    search,
    sources,
    statements,
    tokens,
    vocabulary,
)
from forager.api.endpoint import registry
from forager.api.errors import ApiError, NotFound, error_response, request_id_of

RULING = (conflicts, queue, decisions, vocabulary)
KNOWING = (statements, references, manual, search, graph, entities, merging, briefs, *RULING)
RESOURCES = (engine, tokens, bases, documents, sources, jobs, *KNOWING, exports, imports, feed)

urlpatterns = registry.urlpatterns()


def not_found(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    del exception  # it would name routes; nobody is told
    return error_response(NotFound(), request_id_of(request))


def failed(request: HttpRequest) -> JsonResponse:
    return error_response(ApiError(), request_id_of(request))


handler404 = not_found
handler500 = failed
handler400 = not_found
