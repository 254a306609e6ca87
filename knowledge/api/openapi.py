"""The OpenAPI 3.1 document of the tools, made from the table; nothing in it is written by hand."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from knowledge.api.envelope import CODES, REFUSALS
from knowledge.tools import TABLE, Tool

REF = "#/components/schemas/{model}"
TITLE = "Anthill Console: knowledge for agents"


@cache
def document() -> dict[str, Any]:
    schemas = _schemas()
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": "1"},
        "servers": [{"url": "/knowledge"}],
        "security": [{"agent_token": []}],
        "paths": {f"/{tool.at}": _path(tool, schemas) for tool in TABLE},
        "components": {
            "schemas": {**dict(sorted(schemas.items())), "Refusal": _refusal()},
            "securitySchemes": {"agent_token": {"type": "http", "scheme": "bearer", "bearerFormat": "ant_…"}},
        },
    }


def _schemas() -> dict[str, Any]:
    inputs: list[tuple[type[BaseModel], Any]] = [(tool.arguments, "validation") for tool in TABLE]
    outputs: list[tuple[type[BaseModel], Any]] = [(tool.answer, "serialization") for tool in TABLE]
    _names, told = models_json_schema([*inputs, *outputs], ref_template=REF)
    found: dict[str, Any] = told["$defs"]
    return found


def _path(tool: Tool, schemas: dict[str, Any]) -> dict[str, Any]:
    parameters = list(_parameters(tool, schemas))
    in_address = [each for each in parameters if each["in"] == "path"]
    path: dict[str, Any] = {}
    if tool.by_body:
        body = {"content": {"application/json": {"schema": _body(tool, schemas)}}, "required": True}
        path["post"] = {**_operation(tool, tool.name), "requestBody": body}
        path["post"] |= {"parameters": in_address} if in_address else {}
    if tool.by_query:
        name = f"{tool.name}_by_query" if tool.by_body else tool.name
        path["get"] = {**_operation(tool, name), "parameters": parameters}
    return path


def _body(tool: Tool, schemas: dict[str, Any]) -> dict[str, Any]:
    """The arguments; without the one that stands in the address."""
    if not tool.in_address:
        return _ref(tool.arguments)
    whole = schemas[tool.arguments.__name__]
    properties = {name: told for name, told in whole["properties"].items() if name != tool.in_address}
    required = [name for name in whole.get("required", []) if name != tool.in_address]
    return {**whole, "properties": properties, "required": required}


def _operation(tool: Tool, name: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": tool.title,
        "description": tool.description,
        "x-permission": tool.permission,
        "responses": {"200": _response("Answered", _envelope(tool)), **_refusals()},
    }


def _parameters(tool: Tool, schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    schema = schemas[tool.arguments.__name__]
    for name, told in schema["properties"].items():
        place = "path" if name == tool.in_address else "query"
        yield {"name": name, "in": place, "required": name in schema.get("required", []), "schema": told}


def _envelope(tool: Tool) -> dict[str, Any]:
    properties = {
        "success": {"const": True},
        "message": {"type": "string"},
        "data": _ref(tool.answer),
        "error": {"type": "null"},
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _refusal() -> dict[str, Any]:
    codes = sorted({code for _, code in CODES.values()} | {code for code, _ in REFUSALS.values()})
    error = {
        "code": {"enum": codes},
        "request_id": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    properties = {
        "success": {"const": False},
        "message": {"type": "string"},
        "data": {"type": ["object", "null"]},
        "error": {"type": "object", "properties": error, "required": list(error), "additionalProperties": False},
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _refusals() -> dict[str, Any]:
    codes: dict[int, set[str]] = {status: {code} for status, (code, _) in REFUSALS.items()}
    for status, code in CODES.values():
        codes.setdefault(status, set()).add(code)
    schema = {"$ref": REF.format(model="Refusal")}
    return {str(status): _response(" or ".join(sorted(told)), schema) for status, told in sorted(codes.items())}


def _response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REF.format(model=model.__name__)}
