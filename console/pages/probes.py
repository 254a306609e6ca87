"""Whether this process lives and may be sent requests; no detail for outsiders."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from console.pages.desk import open_door


@open_door("GET", "HEAD")
def livez(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


@open_door("GET", "HEAD")
def readyz(request: HttpRequest) -> HttpResponse:
    """Ready when the console's own database answers; the engine may be away and pages still render."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "not ready"}, status=503)
    return JsonResponse({"status": "ok"})
