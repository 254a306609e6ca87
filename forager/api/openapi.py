"""The OpenAPI 3.1 document, made from the registry and the shapes; nothing in it is written by hand."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.conf import settings
from pydantic import TypeAdapter

from forager.api import shapes
from forager.api.endpoint import Endpoint, adapter, registry

REF = "#/components/schemas/{model}"
REASONS = {
    200: "Done", 201: "Made", 202: "Accepted; the work goes on", 206: "A range of the file", 400: "validation_error",
    401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed", 409: "conflict",
    410: "cursor_expired",
    413: "file_too_large or too_many_files", 415: "unsupported_media_type", 416: "range not satisfiable",
    429: "rate_limited", 500: "internal_error", 503: "not_ready", 507: "storage_full",
}  # fmt: skip


@cache
def document() -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    components: dict[str, Any] = {}
    for one in registry.endpoints:
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, path, components)
    _schema(shapes.Error, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Forager, the knowledge engine", "version": settings.VERSION},
        "servers": [{"url": "/api"}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Endpoint, path: str, components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": one.handler.__name__,
        "summary": one.summary,
        "security": [] if one.scope is None else [{"bearer": []}],
        "parameters": [*_path_parameters(path), *_query_parameters(one, components), *_headers(one, path)],
        "responses": {str(status): _response(one, status, components) for status in one.statuses},
    }
    if one.scope is not None:
        operation["x-scope"] = one.scope.value
    if one.body is not None:
        content = {"application/json": {"schema": _schema(one.body, components)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _path_parameters(path: str) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _headers(one: Endpoint, path: str) -> Iterable[dict[str, Any]]:
    if one.method == "POST" and one.scope is not None:
        yield {"name": "Idempotency-Key", "in": "header", "required": False, "schema": {"type": "string"}}
    yield {"name": "X-Request-Id", "in": "header", "required": False, "schema": {"type": "string"}}
    if path.count("{") and not path.startswith("/projects/"):
        yield {"name": "X-Forager-Project", "in": "header", "required": False, "schema": {"type": "string"}}


def _query_parameters(one: Endpoint, components: dict[str, Any]) -> Iterable[dict[str, Any]]:
    if one.query is None:
        return
    schema = adapter(one.query).json_schema(ref_template=REF)
    components.update(schema.pop("$defs", {}))
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        yield {"name": name, "in": "query", "required": name in required, "schema": field}


def _response(one: Endpoint, status: int, components: dict[str, Any]) -> dict[str, Any]:
    failed = status >= 400
    if failed and one.path == "/ready":
        failed = False
    shape = shapes.Error if failed else one.answer
    answer: dict[str, Any] = {"description": REASONS[status]}
    if shape is bytes:
        answer["content"] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    elif shape is not None:
        answer["content"] = {"application/json": {"schema": _schema(shape, components)}}
    answer["headers"] = {"X-Request-Id": {"schema": {"type": "string"}}}
    return answer


def _schema(shape: Any, components: dict[str, Any]) -> dict[str, Any]:
    if shape is dict:
        return {"type": "object"}
    schema = TypeAdapter(shape).json_schema(ref_template=REF)
    components.update(schema.pop("$defs", {}))
    title = schema.get("title")
    if isinstance(title, str) and schema.get("type") == "object":
        components[title] = schema
        return {"$ref": REF.format(model=title)}
    return schema
