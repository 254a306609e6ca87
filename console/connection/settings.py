"""The connection's settings, read live: environment, then file, then what the Connection page stored, then default."""

import base64
import hashlib
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings as django_settings
from django.utils.translation import gettext

from console import env
from console.connection.models import EngineProcess, StoredSetting
from knowledge.engine.address import check_endpoint
from knowledge.failures import Failed

log = structlog.get_logger("console.connection")

LOOPBACK = ("127.0.0.1", "localhost", "::1")
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


class Declared:
    """The file and the environment as they stand. What cannot be read changes nothing: what was read last holds."""

    def __init__(self) -> None:
        self._last: env.Values | None = None
        self.problem = ""

    def read(self) -> env.Values:
        """``problem`` says why what is returned is not what stands there. At the first reading there is no last one."""
        try:
            values = env.read()
        except env.SettingError as error:
            if self._last is None:
                raise
            if self.problem != str(error):
                log.warning("settings.unreadable", why=str(error))
            self.problem = str(error)
            return self._last
        self._last, self.problem = values, ""
        return values


declared = Declared()


def read_settings() -> ConnectionSettings:
    values = _with_stored(declared.read())
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
            merged[name] = _stored(held, raw)
    return env.Values(merged)


def _stored(held: env.Value, raw: str) -> env.Value:
    """What another version wrote and this one does not take is as if it was never written."""
    try:
        return env.Value(held.setting, env.parse(held.setting, raw), env.Origin.STORED)
    except env.SettingError as error:
        log.warning("settings.stored_unreadable", why=str(error))
        return held


def refusal(name: str, raw: str, settings: ConnectionSettings) -> str:
    """Why this may not be written here, for a person; empty when it may."""
    setting = env.BY_NAME.get(name)
    if setting is None:
        return gettext("There is no setting of this name.")
    if setting.writer is not env.Writer.CONSOLE:
        return gettext("Only the configuration file or {variable} sets it.").format(variable=setting.variable)
    if where := pinned_by(name, settings):
        return gettext("Pinned by {where}.").format(where=where)
    try:
        env.parse(setting, raw)
    except env.SettingError as error:
        return str(error)
    if name == "knowledge_forager_endpoint":
        return _endpoint_refusal(raw)
    return ""


def pinned_by(name: str, settings: ConnectionSettings) -> str:
    """What decides the setting before this console may: a variable, the file, the managed engine; else empty."""
    held = settings.values.by_name[name]
    if held.origin is env.Origin.ENVIRONMENT:
        return held.setting.variable
    if held.origin is env.Origin.FILE:
        return gettext("the configuration file")
    own = settings.mode is Mode.MANAGED and name in ("knowledge_forager_endpoint", "knowledge_forager_token")
    return gettext("the managed engine") if own else ""


def _endpoint_refusal(raw: str) -> str:
    """The page takes an engine on this machine alone; whom the colony trusts beyond it is for the file to say."""
    try:
        host = urlsplit(raw.strip()).hostname
    except ValueError:
        host = ""
    if host not in LOOPBACK:
        return gettext("That address is on another machine. A remote engine is set in the configuration file.")
    checked = check_endpoint(raw, allow_remote=False)
    return checked.reason if isinstance(checked, Failed) else ""


def _token(values: env.Values, mode: Mode) -> tuple[str, env.Origin]:
    """A managed engine knows the host credential of the data folder; only a pinned token goes before it."""
    token, origin = values.text("knowledge_forager_token"), values.origin("knowledge_forager_token")
    path = credential_path()
    if mode is Mode.MANAGED and origin not in PINNED and path.is_file():
        return path.read_text("utf-8").strip(), env.Origin.FILE
    return token, origin


def _endpoint(values: env.Values, mode: Mode) -> str:
    if mode is Mode.MANAGED and values.origin("knowledge_forager_endpoint") not in PINNED:
        return f"http://127.0.0.1:{_engine_port(values)}"
    return values.text("knowledge_forager_endpoint")


def _engine_port(values: env.Values) -> int:
    """Where this process's own environment names none, the one its supervisor wrote: that was told another perhaps."""
    if values.origin("engine_port") is env.Origin.ENVIRONMENT:
        return values.number("engine_port")
    return EngineProcess.objects.values_list("port", flat=True).first() or values.number("engine_port")


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"engine token" + django_settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def find_mode(values: env.Values) -> None:
    """For a command beside the console: over the data of a managed engine its own credential is used, where nobody
    chose otherwise.
    """
    if values.origin("knowledge_mode") is env.Origin.DEFAULT and credential_path().is_file():
        os.environ["ANTHILL_KNOWLEDGE_MODE"] = Mode.MANAGED.value
