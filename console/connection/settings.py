"""The connection's settings, read live: environment, then file, then what the Connection page stored, then default."""

import base64
import hashlib
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings as django_settings

from console import env
from console.connection.models import StoredSetting

PINNED = (env.Origin.ENVIRONMENT, env.Origin.FILE)


class Mode(StrEnum):
    MANAGED = "managed"
    ATTACHED = "attached"


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """One reading of every setting that decides how the engine is reached. The token never leaves this object."""

    enabled: bool
    mode: Mode
    endpoint: str
    allow_remote: bool
    token: str
    token_origin: env.Origin
    probe_timeout_ms: int
    retrieval_timeout_ms: int
    ingestion_timeout_ms: int
    top_k: int
    max_context_chars: int
    tokenizer: str
    auto_study: str
    study_interval_hours: int
    cache_seconds: int
    values: env.Values

    def __repr__(self) -> str:
        return f"ConnectionSettings(enabled={self.enabled}, mode={self.mode}, endpoint={self.endpoint})"


def read_settings() -> ConnectionSettings:
    values = _with_stored(env.read())
    mode = Mode.MANAGED if values.text("knowledge_mode") == Mode.MANAGED else Mode.ATTACHED
    token, origin = _token(values, mode)
    return ConnectionSettings(
        enabled=values.flag("knowledge_enabled"),
        mode=mode,
        endpoint=_endpoint(values, mode),
        allow_remote=values.flag("knowledge_forager_allow_remote"),
        token=token,
        token_origin=origin,
        probe_timeout_ms=values.number("knowledge_probe_timeout_ms"),
        retrieval_timeout_ms=values.number("knowledge_retrieval_timeout_ms"),
        ingestion_timeout_ms=values.number("knowledge_ingestion_timeout_ms"),
        top_k=values.number("knowledge_top_k"),
        max_context_chars=values.number("knowledge_max_context_chars"),
        auto_study=values.text("auto_study"),
        study_interval_hours=values.number("study_interval_hours"),
        tokenizer=values.text("knowledge_tokenizer"),
        cache_seconds=values.number("knowledge_cache_seconds"),
        values=values,
    )


def credential_path() -> Path:
    """Where the managed engine's host credential is kept (0600)."""
    return Path(django_settings.DATA_DIR) / "engine-host-credential"


def sealed(secret: str) -> str:
    """A secret as it is stored."""
    return _fernet().encrypt(secret.encode()).decode()


def opened(stored: str) -> str:
    """A stored secret, or empty when it was sealed under another key: the console is then signed out, not broken."""
    try:
        return _fernet().decrypt(stored.encode()).decode()
    except InvalidToken:
        return ""


def _with_stored(values: env.Values) -> env.Values:
    stored = dict(StoredSetting.objects.values_list("name", "value"))
    merged = dict(values.by_name)
    for name, held in values.by_name.items():
        if held.origin is env.Origin.DEFAULT and held.setting.writer is env.Writer.CONSOLE and name in stored:
            raw = opened(stored[name]) if held.setting.secret else stored[name]
            merged[name] = env.Value(held.setting, env.parse(held.setting, raw), env.Origin.STORED)
    return env.Values(merged)


def _token(values: env.Values, mode: Mode) -> tuple[str, env.Origin]:
    """A managed engine knows the host credential of the data folder; only a pinned token goes before it."""
    token, origin = values.text("knowledge_forager_token"), values.origin("knowledge_forager_token")
    path = credential_path()
    if mode is Mode.MANAGED and origin not in PINNED and path.is_file():
        return path.read_text("utf-8").strip(), env.Origin.FILE
    return token, origin


def _endpoint(values: env.Values, mode: Mode) -> str:
    if mode is Mode.MANAGED and values.origin("knowledge_forager_endpoint") not in PINNED:
        return f"http://127.0.0.1:{values.number('engine_port')}"
    return values.text("knowledge_forager_endpoint")


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"engine token" + django_settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def find_mode(values: env.Values) -> None:
    """For a command beside the console: over the data of a managed engine its own credential is used, where nobody
    chose otherwise.
    """
    if values.origin("knowledge_mode") is env.Origin.DEFAULT and credential_path().is_file():
        os.environ["ANTHILL_KNOWLEDGE_MODE"] = Mode.MANAGED.value
