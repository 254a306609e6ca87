"""Every route, from the registry that the resource modules fill as they are imported."""

from django.http import HttpRequest, JsonResponse

from forager.api import bases, conflicts, engine, entities, exports, jobs, search, sources, statements, tokens
from forager.api.endpoint import registry
from forager.api.errors import ApiError, NotFound, error_response

RESOURCES = (engine, tokens, bases, sources, jobs, statements, search, entities, conflicts, exports)

urlpatterns = registry.urlpatterns()


def not_found(_request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    del exception  # it would name routes; nobody is told
    return error_response(NotFound(), "none")


def failed(_request: HttpRequest) -> JsonResponse:
    return error_response(ApiError(), "none")


handler404 = not_found
handler500 = failed
handler400 = not_found
