"""The one error shape of the API, and the small tree of errors a handler may raise.

``{"error": {"code", "message", "request_id", "fields"?}}``. Messages never echo an id a caller sent.

ApiError ─ ValidationFailed, Unauthorized, Forbidden, NotFound, MethodNotAllowed, Conflicting, TooLarge, …
"""

import re
import uuid
from collections.abc import Mapping

from django.http import HttpRequest, JsonResponse

SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,80}")


class ApiError(Exception):
    status = 500
    code = "internal_error"
    message = "The engine failed on this request. Nothing was changed."

    def __init__(self, message: str = "", *, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message or self.message)
        self.text = message or self.message
        self.fields = dict(fields or {})


class ValidationFailed(ApiError):
    status, code, message = 400, "validation_error", "The request is not valid."


class Unauthorized(ApiError):
    status, code, message = 401, "unauthorized", "A valid bearer token is required."


class Forbidden(ApiError):
    status, code, message = 403, "forbidden", "This token may not do that."


class NotFound(ApiError):
    status, code, message = 404, "not_found", "There is no such thing, or it is not visible to this token."


class MethodNotAllowed(ApiError):
    status, code, message = 405, "method_not_allowed", "This route does not take that method."


class Conflicting(ApiError):
    status, code, message = 409, "conflict", "The state changed in between. Nothing was recorded."


class CursorExpired(ApiError):
    status, code = 410, "cursor_expired"
    message = "Events after this cursor are gone, or the store is another one. Read everything anew, then go on."


class FileTooLarge(ApiError):
    status, code, message = 413, "file_too_large", "A file is over the limit."


class TooManyFiles(ApiError):
    status, code, message = 413, "too_many_files", "There are more files than one request may carry."


class UnsupportedMediaType(ApiError):
    status, code, message = 415, "unsupported_media_type", "This route does not take that content type."


class RangeNotSatisfiable(ApiError):
    status, code, message = 416, "range_not_satisfiable", "The file ends before the range that was asked for."


class NotReady(ApiError):
    status, code, message = 503, "not_ready", "The engine is starting."


class Busy(NotReady):
    message = "The store is busy. Nothing was changed; try again in a moment."


class StoreUnreachable(NotReady):
    message = "The database cannot be reached. Nothing was changed; start it, then try again."


class StoreReadOnly(NotReady):
    message = "The store cannot be written: it is read-only. Nothing was changed; make it writable and try again."


class StorageFull(ApiError):
    status, code, message = 507, "storage_full", "The disk is full. Nothing was written; free space and try again."


def request_id_of(request: HttpRequest) -> str:
    """The caller's when it is sane, else one made here."""
    asked = request.headers.get("X-Request-Id", "")
    return asked if SANE_REQUEST_ID.fullmatch(asked) else f"req_{uuid.uuid4().hex}"


def error_response(error: ApiError, request_id: str) -> JsonResponse:
    body: dict[str, object] = {"code": error.code, "message": error.text, "request_id": request_id}
    if error.fields:
        body["fields"] = error.fields
    response = JsonResponse({"error": body}, status=error.status)
    response.headers["X-Request-Id"] = request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
