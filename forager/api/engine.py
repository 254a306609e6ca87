"""The engine itself: health, readiness, who it is, what it can do, and stopping."""

import os
import signal

from django.conf import settings
from django.db import DatabaseError
from django.http import JsonResponse
from django.utils import timezone

from forager.api import openapi, shapes
from forager.api.access import Scope, authenticate
from forager.api.endpoint import Call, endpoint
from forager.api.errors import ApiError, Conflicting
from forager.api.times import rfc3339
from forager.interchange import jsonl, package
from forager.model import dialect
from forager.model.bases import Store
from forager.parsing import archive
from forager.search.fusion import active

SCHEMA_VERSION = 1
SERVE_PID_VARIABLE = "FORAGER_SERVE_PID"


@endpoint("GET", "/health", None, answer=shapes.Health)
def health(_call: Call[None, None]) -> shapes.Health:
    """The process answers."""
    return {"status": "ok"}


@endpoint("GET", "/ready", None, answer=shapes.Ready, errors=(503,))
def ready(_call: Call[None, None]) -> object:
    """The engine can be used; 503 with the same body when it cannot."""
    body: shapes.Ready = {"status": "ok", "version": settings.VERSION, "schema_version": SCHEMA_VERSION}
    try:
        usable = Store.objects.exists()
    except DatabaseError:
        usable = False
    if usable:
        return body
    return JsonResponse({**body, "status": "degraded"}, status=503)


@endpoint("GET", "/session", None, answer=shapes.Session)
def session(call: Call[None, None]) -> shapes.Session:
    """Whether the request carries a token this engine knows."""
    try:
        authenticate(call.request)
    except ApiError:
        return {"authenticated": False}
    return {"authenticated": True}


@endpoint("GET", "/openapi.json", None, answer=dict)
def openapi_document(_call: Call[None, None]) -> dict[str, object]:
    """The OpenAPI 3.1 document of these routes."""
    return openapi.document()


@endpoint("GET", "/capabilities", Scope.READ, answer=shapes.Capabilities)
def capabilities(_call: Call[None, None]) -> shapes.Capabilities:
    """Who this engine is and what it really can do."""
    store = Store.objects.get()
    return {
        "protocol_version": 1,
        "canonical_schema_version": 1,
        "engine": {"name": "forager", "version": settings.VERSION},
        "instance": {
            "instance_id": store.instance_id,
            "generation": store.generation,
            "generation_reason": store.generation_reason,
            "created_at": rfc3339(store.created_at),
            "data_dir": str(settings.DATA_DIR),
            "mode": "managed" if settings.HOST_CREDENTIAL_FILE else "standalone",
        },
        "database": dialect.named(),
        "search_backend": active().name,
        "model_provider": "none",
        "capabilities": _abilities(),
        "authentication": {
            "required": True,
            "schemes": ["bearer"],
            "note": "Four routes are public: health, ready, session and this document's schema.",
        },
        "limits": limits(),
        "time": rfc3339(timezone.now()),
    }


def _abilities() -> shapes.Abilities:
    """A capability is true only when it is real."""
    return {
        "retrieval": True,
        "ingestion": True,
        "batch_items": True,
        "references_check": True,
        "recall": True,
        "walk": True,
        "history": True,
        "publication": True,
        "change_feed": True,
        "push_delivery": False,
        "canonical_import": True,
        "authentication": True,
        "project_discovery": True,
        "exports": {
            "jsonl": {"package_version": jsonl.FORMAT_VERSION, "canonical": True, "manifest": True, "checksums": True},
            "anthill": {"package_version": package.VERSION, "canonical": True, "manifest": True, "checksums": True},
            "obsidian": {"package_version": 1, "canonical": False, "manifest": False, "checksums": False},
        },
        "imports": ["anthill"],
    }


def limits() -> shapes.Limits:
    return {
        "max_file_bytes": settings.MAX_FILE_BYTES,
        "max_files": settings.MAX_FILES,
        "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
        "max_archive_entries": archive.MAX_ENTRIES,
        "max_archive_bytes": archive.MAX_TOTAL_BYTES,
        "query_chars": settings.QUERY_CHARS,
    }


@endpoint("GET", "/settings", Scope.READ, answer=shapes.Settings)
def engine_settings(_call: Call[None, None]) -> shapes.Settings:
    """The settings that shape what this engine does; no secrets."""
    return {
        "limits": limits(),
        "search_backend": active().name,
        "model_provider": "none",
        "allowed_input_roots": list(settings.ALLOWED_INPUT_ROOTS),
    }


@endpoint("POST", "/shutdown", Scope.HOST, answer=shapes.Health, status=202, errors=(409,))
def shutdown(_call: Call[None, None]) -> shapes.Health:
    """Stops the engine cleanly; only its host may ask."""
    pid = int(os.environ.get(SERVE_PID_VARIABLE, "0"))
    if not pid:
        raise Conflicting("This engine is not run by a serving process that could stop it.")
    os.kill(pid, signal.SIGTERM)
    return {"status": "ok"}
