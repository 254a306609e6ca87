"""The wire's shapes as JSON Schemas (2020-12), written by hand; fixture version contract-1.

``validate(name, value)`` raises ``jsonschema.ValidationError``; a list is checked with the shape of its items.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

VERSION = "contract-1"
FOLDER = Path(__file__).parent / "schemas"


def names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def validate(name: str, value: object, *, of: str = "") -> None:
    """``of`` names the shape of a list's items: ``validate("list", page, of="item")``."""
    validator(name).validate(value)
    if of and isinstance(value, dict):
        for item in value["items"]:
            validator(of).validate(item)


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name), registry=_registry())


@cache
def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _registry() -> Registry[Any]:
    resources = (Resource.from_contents(schema(name)) for name in names())
    return Registry().with_resources((resource.id() or "", resource) for resource in resources)
