"""The eight states of the engine, each with its sentence and the next step. One pure function decides."""

from dataclasses import dataclass
from enum import StrEnum

from console.connection.models import EngineProcess
from console.connection.settings import ConnectionSettings, Mode
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.records import Engine

PROTOCOL = 1
PACKAGE_VERSION = 7


class State(StrEnum):
    OFF = "off"
    NOT_CONFIGURED = "not_configured"
    STARTING = "starting"
    UNREACHABLE = "unreachable"
    SIGNED_OUT = "signed_out"
    INCOMPATIBLE = "incompatible"
    WRONG_ENGINE = "wrong_engine"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Pin:
    instance_id: str
    generation: str


@dataclass(frozen=True, slots=True)
class EngineState:
    """Where the engine stands: ``short`` for the project bar, title, sentence and next step for a page."""

    state: State
    short: str
    title: str
    sentence: str
    next_step: str
    failed: Failed | None

    @property
    def ready(self) -> bool:
        return self.state is State.READY


def engine_state(
    *, settings: ConnectionSettings, process: EngineProcess | None, probe: Outcome[Engine] | None, pin: Pin | None
) -> EngineState:
    """``probe`` is None when nothing was asked because the settings already say why not."""
    if not settings.enabled:
        return _off()
    if (missing := missing_setting(settings)) and not _starting(process):
        return _not_configured(settings, missing)
    match probe:
        case Ok(value=engine):
            return _of_engine(engine, pin)
        case Failed() as failed if failed.failure in _REFUSALS:
            return _signed_out(settings, failed)
        case Failed() as failed if failed.failure is Failure.INCOMPATIBLE:
            return _incompatible(failed.reason)
        case Failed() as failed:
            return _starting_state() if _starting(process) else _unreachable(settings, process, failed)
        case None:
            return _starting_state()


def missing_setting(settings: ConnectionSettings) -> str:
    """The setting without which the engine cannot be asked, or empty."""
    if not settings.endpoint:
        return "knowledge_forager_endpoint"
    return "" if settings.token else "knowledge_forager_token"


_REFUSALS = (Failure.UNAUTHORIZED, Failure.FORBIDDEN)


def _starting(process: EngineProcess | None) -> bool:
    phases = (EngineProcess.Phase.STARTING, EngineProcess.Phase.WAITING)
    return process is not None and process.watched and process.phase in phases


def _off() -> EngineState:
    return EngineState(
        State.OFF,
        "Knowledge is off",
        "Knowledge is off",
        "This console is set not to read any knowledge base. Nothing was deleted: documents and rulings are where "
        "they were.",
        "An administrator turns it on under Connection.",
        Failed(Failure.DISABLED, "Knowledge is off."),
    )


def _not_configured(settings: ConnectionSettings, missing: str) -> EngineState:
    managed = settings.mode is Mode.MANAGED
    step = (
        "Start the console with bin/run: it makes the engine and its key."
        if managed
        else f"Set {missing} in anthill.toml or the environment, or under Connection."
    )
    return EngineState(
        State.NOT_CONFIGURED,
        "Engine not configured",
        "No engine is configured",
        f"Knowledge is on, but {missing} is empty, so there is no engine to ask.",
        step,
        Failed(Failure.DISABLED, f"{missing} is empty."),
    )


def _starting_state() -> EngineState:
    return EngineState(
        State.STARTING,
        "Engine is starting",
        "The engine is starting",
        "Its process is up and it is opening its store. Documents and rulings are safe on disk.",
        "Wait a few seconds, then load this page again.",
        Failed(Failure.UNAVAILABLE, "The engine is starting."),
    )


def _unreachable(settings: ConnectionSettings, process: EngineProcess | None, failed: Failed) -> EngineState:
    return EngineState(
        State.UNREACHABLE,
        "Engine unreachable",
        "The engine does not answer",
        f"{failed.reason} Documents and rulings are safe on disk; importing and ruling wait.",
        _revive(settings, process),
        failed,
    )


def _revive(settings: ConnectionSettings, process: EngineProcess | None) -> str:
    if settings.mode is Mode.ATTACHED:
        return f"Start the engine at {settings.endpoint}, or correct the address under Connection."
    if process is not None and process.phase == EngineProcess.Phase.FAILED:
        reason = process.reason.rstrip(".")
        return f"It stopped too often and was given up: {reason}. Read its log, then start bin/run again."
    return "Start the console with bin/run: it starts the engine and watches it."


def _signed_out(settings: ConnectionSettings, failed: Failed) -> EngineState:
    code = 401 if failed.failure is Failure.UNAUTHORIZED else 403
    where = settings.values.by_name["knowledge_forager_token"].setting.variable
    return EngineState(
        State.SIGNED_OUT,
        "Signed out",
        "Signed out",
        f"The engine is up, but it refused our token with {code}. Nothing was lost.",
        f"Set a new knowledge_forager_token under Connection, or where it is pinned: {where}.",
        failed,
    )


def _incompatible(reason: str) -> EngineState:
    return EngineState(
        State.INCOMPATIBLE,
        "Engine incompatible",
        "This engine speaks another version",
        f"{reason} Nothing was read or written.",
        f"Run an engine that speaks protocol {PROTOCOL}, or update this console.",
        Failed(Failure.INCOMPATIBLE, reason),
    )


def _of_engine(engine: Engine, pin: Pin | None) -> EngineState:
    if engine.protocol_version != PROTOCOL:
        return _incompatible(f"It declares protocol {engine.protocol_version}; this console reads {PROTOCOL}.")
    if pin is not None and engine.instance_id != pin.instance_id:
        return _wrong(f"Instance {engine.instance_id} answered where {pin.instance_id} was pinned.")
    if pin is not None and engine.generation != pin.generation:
        return _wrong(f"Generation {engine.generation} answered where {pin.generation} was pinned: a restored store.")
    return EngineState(
        State.READY,
        "Engine ready",
        "Ready. Nothing to do.",
        "The engine answers and accepts our token.",
        "",
        None,
    )


def _wrong(sentence: str) -> EngineState:
    return EngineState(
        State.WRONG_ENGINE,
        "Another engine",
        "This is not the engine we know",
        f"{sentence} Reading and writing are off until an administrator confirms.",
        "Compare the two under Connection, then confirm the new one or restore the old one.",
        Failed(Failure.INCOMPATIBLE, sentence),
    )
