"""Every setting of the console in one table: name, kind, default, help and who may write it.

Read from ``anthill.toml`` (optional, ``ANTHILL_CONFIG`` names another) and the environment, the environment winning.
``ANTHILL_DATA_DIR`` sets ``data_dir``, ``ANTHILL_KNOWLEDGE_TOP_K`` sets ``knowledge_top_k`` and so on. A secret may
stand in a file instead: ``ANTHILL_DATABASE_URL_FILE`` names the one that holds ``database_url``.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Kind(StrEnum):
    FLAG = "yes or no"
    NUMBER = "whole number"
    TEXT = "text"
    PATH = "path"
    WORDS = "list of words"


class Writer(StrEnum):
    """Who may change a setting: the file and environment alone, or the Connection page too."""

    FILE = "file"
    CONSOLE = "console"


class Origin(StrEnum):
    ENVIRONMENT = "environment"
    FILE = "file"
    STORED = "stored"
    DEFAULT = "default"


class SettingError(ValueError):
    """A setting has a value it cannot have; the message names it."""


LIVE = ("knowledge_", "auto_study", "study_", "metrics_", "keep_", "backup_")

type Plain = bool | int | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    kind: Kind
    default: Plain
    help: str
    writer: Writer = Writer.FILE
    secret: bool = False
    lowest: int = 0
    highest: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        return f"ANTHILL_{self.name.upper()}"

    @property
    def file_variable(self) -> str:
        """Names a file that holds it; empty for what is no secret."""
        return f"{self.variable}_FILE" if self.secret else ""

    @property
    def is_live(self) -> bool:
        """Read anew for each request; the others hold from the next start."""
        return self.name.startswith(LIVE)


TABLE: tuple[Setting, ...] = (
    Setting("data_dir", Kind.PATH, "var", "Where databases, keys and logs live."),
    Setting(
        "database_url", Kind.TEXT, "", "The console's PostgreSQL database; empty: SQLite in data_dir.", secret=True
    ),
    Setting(
        "engine_database_url",
        Kind.TEXT,
        "",
        "The managed engine's PostgreSQL database; empty: SQLite in data_dir.",
        secret=True,
    ),
    Setting("console_host", Kind.TEXT, "127.0.0.1", "The address the console listens on."),
    Setting("console_port", Kind.NUMBER, 8000, "The port the console listens on."),
    Setting("engine_port", Kind.NUMBER, 8790, "The port the managed engine listens on."),
    Setting("mcp_port", Kind.NUMBER, 8791, "The port agents reach over MCP, where that is served."),
    Setting("production", Kind.FLAG, False, "Behind TLS: secure cookies, HSTS, redirect to https."),
    Setting("debug", Kind.FLAG, False, "Developer pages. Never in production."),
    Setting("allowed_hosts", Kind.WORDS, ("127.0.0.1", "localhost", "[::1]"), "Names the console answers to."),
    Setting("trusted_origins", Kind.WORDS, (), "Origins forms may come from, when a proxy changes the name."),
    Setting("time_zone", Kind.TEXT, "UTC", "The zone times are shown in."),
    Setting(
        "metrics_token", Kind.TEXT, "", "The bearer of whoever scrapes /metrics, beside administrators.", secret=True
    ),
    Setting("session_hours", Kind.NUMBER, 12, "Hours without use after which a session ends.", lowest=1),
    Setting("knowledge_enabled", Kind.FLAG, False, "Whether this console reads knowledge at all.", Writer.CONSOLE),
    Setting(
        "knowledge_mode",
        Kind.TEXT,
        "attached",
        "managed: this console runs the engine; attached: someone else.",
        choices=("managed", "attached"),
    ),
    Setting("knowledge_forager_endpoint", Kind.TEXT, "http://127.0.0.1:8790", "Where the engine is.", Writer.CONSOLE),
    Setting("knowledge_forager_token", Kind.TEXT, "", "The engine's token for us.", Writer.CONSOLE, secret=True),
    Setting("knowledge_forager_allow_remote", Kind.FLAG, False, "Whether the engine may be on another machine."),
    Setting("knowledge_forager_input_roots", Kind.WORDS, (), "Folders the managed engine may import from."),
    Setting("knowledge_workspace_dir", Kind.PATH, "", "The folder tree an operator may import paths from."),
    Setting(
        "knowledge_probe_timeout_ms",
        Kind.NUMBER,
        2000,
        "How long to wait for a probe.",
        Writer.CONSOLE,
        lowest=50,
        highest=600_000,
    ),
    Setting(
        "knowledge_retrieval_timeout_ms",
        Kind.NUMBER,
        5000,
        "How long to wait for an answer.",
        Writer.CONSOLE,
        lowest=50,
        highest=600_000,
    ),
    Setting(
        "knowledge_ingestion_timeout_ms",
        Kind.NUMBER,
        10000,
        "How long to wait for an import.",
        Writer.CONSOLE,
        lowest=50,
        highest=600_000,
    ),
    Setting(
        "knowledge_top_k",
        Kind.NUMBER,
        8,
        "Statements an agent gets for a question.",
        Writer.CONSOLE,
        lowest=1,
        highest=50,
    ),
    Setting(
        "knowledge_max_context_chars",
        Kind.NUMBER,
        12000,
        "Characters an agent gets at most.",
        Writer.CONSOLE,
        lowest=500,
        highest=1_000_000,
    ),
    Setting("knowledge_tokenizer", Kind.TEXT, "", "Counts packets: file:PATH, tiktoken:NAME; empty: UTF-8 bytes."),
    Setting(
        "auto_study",
        Kind.TEXT,
        "off",
        "Looking for documents to study: off, suggest or on.",
        Writer.CONSOLE,
        choices=("off", "suggest", "on"),
    ),
    Setting(
        "study_interval_hours",
        Kind.NUMBER,
        6,
        "Hours between two such looks.",
        Writer.CONSOLE,
        lowest=1,
        highest=8760,
    ),
    Setting("keep_packages_days", Kind.NUMBER, 0, "Days the bytes of packages are kept; 0: without end."),
    Setting("keep_audit_days", Kind.NUMBER, 0, "Days the audit trail is kept; 0: without end."),
    Setting("keep_calls_days", Kind.NUMBER, 0, "Days the calls of agents are kept; 0: without end."),
    Setting("keep_receipts_days", Kind.NUMBER, 0, "Days receipts of the feed are kept once acted on; 0: without end."),
    Setting("keep_backups_days", Kind.NUMBER, 0, "Days backups are kept, the newest one always; 0: without end."),
    Setting("backup_dir", Kind.PATH, "", "Where backups are put; empty: the folder backups in data_dir."),
    Setting("knowledge_cache_seconds", Kind.NUMBER, 30, "How long an answer about the engine is kept.", highest=3600),
)
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in TABLE}


@dataclass(frozen=True, slots=True)
class Value:
    setting: Setting
    value: Plain
    origin: Origin


@dataclass(frozen=True, slots=True)
class Values:
    """The settings as they stand, each with where it came from."""

    by_name: Mapping[str, Value]

    def origin(self, name: str) -> Origin:
        return self.by_name[name].origin

    def flag(self, name: str) -> bool:
        return bool(self.by_name[name].value)

    def number(self, name: str) -> int:
        value = self.by_name[name].value
        return value if isinstance(value, int) else int(str(value))

    def text(self, name: str) -> str:
        return str(self.by_name[name].value)

    def words(self, name: str) -> tuple[str, ...]:
        value = self.by_name[name].value
        return value if isinstance(value, tuple) else (str(value),)

    def path(self, name: str) -> Path:
        """Absolute; a relative one is taken from the root of the checkout."""
        return (ROOT / Path(self.text(name)).expanduser()).resolve()


def parse(setting: Setting, raw: object) -> Plain:
    """Read one raw value; ``SettingError`` names the setting and what it takes, never a secret."""
    try:
        value = _PARSERS[setting.kind](setting, raw)
    except SettingError:
        raise
    except (TypeError, ValueError):
        raise SettingError(f"{setting.name} must be a {setting.kind}: {_told(setting, raw)} is not.") from None
    if setting.choices and value not in setting.choices:
        raise SettingError(f"{setting.name} must be one of {', '.join(setting.choices)}: {_told(setting, raw)} is not.")
    return value


def _told(setting: Setting, raw: object) -> str:
    return "what was given" if setting.secret else repr(str(raw)[:80])


def read(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Values:
    environ = os.environ if environ is None else environ
    stored = _file(file or Path(environ.get("ANTHILL_CONFIG") or ROOT / "anthill.toml"))
    return Values({setting.name: _one(setting, environ, stored) for setting in TABLE})


def _one(setting: Setting, environ: Mapping[str, str], stored: Mapping[str, object]) -> Value:
    if setting.variable in environ:
        return Value(setting, parse(setting, environ[setting.variable]), Origin.ENVIRONMENT)
    if named := environ.get(setting.file_variable, ""):
        return Value(setting, parse(setting, _held_by(setting, named)), Origin.ENVIRONMENT)
    if setting.name in stored:
        return Value(setting, parse(setting, stored[setting.name]), Origin.FILE)
    return Value(setting, setting.default, Origin.DEFAULT)


def _held_by(setting: Setting, path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SettingError(f"{setting.file_variable} names a file that cannot be read: {why}.") from None


def _file(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingError(f"{path.name} cannot be read: {str(error)[:200]}") from None
    if unknown := sorted(set(content) - set(BY_NAME)):
        raise SettingError(f"{path.name} has a setting this version does not know: {unknown[0]}.")
    return content


def _flag(_setting: Setting, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if (word := str(raw).strip().lower()) not in words and word:
        raise ValueError(word)
    return words.get(word, False)


def _number(setting: Setting, raw: object) -> int:
    number = int(str(raw))
    if number < setting.lowest:
        raise SettingError(f"{setting.name} must be at least {setting.lowest}: {number} is not.")
    if setting.highest is not None and number > setting.highest:
        raise SettingError(f"{setting.name} must be at most {setting.highest}: {number} is not.")
    return number


def _text(_setting: Setting, raw: object) -> str:
    return str(raw).strip()


def _words(_setting: Setting, raw: object) -> tuple[str, ...]:
    parts = raw if isinstance(raw, list) else str(raw).split(",")
    return tuple(word for part in parts if (word := str(part).strip()))


_PARSERS: dict[Kind, Callable[[Setting, object], Plain]] = {
    Kind.FLAG: _flag,
    Kind.NUMBER: _number,
    Kind.TEXT: _text,
    Kind.PATH: _text,
    Kind.WORDS: _words,
}
