"""The eight states of the engine, each with its sentence and the next step. One pure function decides."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext

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


_AT_REST = (EngineProcess.Phase.STOPPING, EngineProcess.Phase.STOPPED)
_REFUSALS = (Failure.UNAUTHORIZED, Failure.FORBIDDEN)


def _starting(process: EngineProcess | None) -> bool:
    phases = (EngineProcess.Phase.STARTING, EngineProcess.Phase.WAITING)
    return process is not None and process.watched and process.phase in phases


def _off() -> EngineState:
    return EngineState(
        State.OFF,
        gettext("Knowledge is off"),
        gettext("Knowledge is off"),
        gettext(
            "This console is set not to read any knowledge base. Nothing was deleted: documents and rulings are where "
            "they were."
        ),
        gettext("An administrator turns it on under Connection."),
        Failed(Failure.DISABLED, gettext("Knowledge is off.")),
    )


def _not_configured(settings: ConnectionSettings, missing: str) -> EngineState:
    managed = settings.mode is Mode.MANAGED
    step = (
        gettext("Start the console with bin/run: it makes the engine and its key.")
        if managed
        else gettext("Set {missing} in anthill.toml or the environment, or under Connection.").format(missing=missing)
    )
    return EngineState(
        State.NOT_CONFIGURED,
        gettext("Engine not configured"),
        gettext("No engine is configured"),
        gettext("Knowledge is on, but {missing} is empty, so there is no engine to ask.").format(missing=missing),
        step,
        Failed(Failure.DISABLED, gettext("{missing} is empty.").format(missing=missing)),
    )


def _starting_state() -> EngineState:
    return EngineState(
        State.STARTING,
        gettext("Engine is starting"),
        gettext("The engine is starting"),
        gettext("Its process is up and it is opening its store. Documents and rulings are safe on disk."),
        gettext("Wait a few seconds, then load this page again."),
        Failed(Failure.UNAVAILABLE, gettext("The engine is starting.")),
    )


def _unreachable(settings: ConnectionSettings, process: EngineProcess | None, failed: Failed) -> EngineState:
    return EngineState(
        State.UNREACHABLE,
        gettext("Engine unreachable"),
        gettext("The engine does not answer"),
        gettext("{reason} Documents and rulings are safe on disk; importing and ruling wait.").format(
            reason=failed.reason
        ),
        _revive(settings, process),
        failed,
    )


def _revive(settings: ConnectionSettings, process: EngineProcess | None) -> str:
    if settings.mode is Mode.ATTACHED:
        return gettext("Start the engine at {endpoint}, or correct the address under Connection.").format(
            endpoint=settings.endpoint
        )
    if process is not None and process.phase == EngineProcess.Phase.FAILED:
        reason = process.reason.rstrip(".")
        return gettext(
            "It stopped too often and was given up: {reason}. Read its log, then start it under Connection."
        ).format(reason=reason)
    if process is not None and process.watched and process.phase in _AT_REST:
        return gettext("A person stopped it. An administrator starts it under Connection.")
    return gettext("Start the console with bin/run: it starts the engine and watches it.")


def _signed_out(settings: ConnectionSettings, failed: Failed) -> EngineState:
    code = 401 if failed.failure is Failure.UNAUTHORIZED else 403
    where = settings.values.by_name["knowledge_forager_token"].setting.variable
    return EngineState(
        State.SIGNED_OUT,
        gettext("Signed out"),
        gettext("Signed out"),
        gettext("The engine is up, but it refused our token with {code}. Nothing was lost.").format(code=code),
        gettext("Set a new knowledge_forager_token under Connection, or where it is pinned: {where}.").format(
            where=where
        ),
        failed,
    )


def _incompatible(reason: str) -> EngineState:
    return EngineState(
        State.INCOMPATIBLE,
        gettext("Engine incompatible"),
        gettext("This engine speaks another version"),
        gettext("{reason} Nothing was read or written.").format(reason=reason),
        gettext("Run an engine that speaks protocol {protocol}, or update this console.").format(protocol=PROTOCOL),
        Failed(Failure.INCOMPATIBLE, reason),
    )


def _of_engine(engine: Engine, pin: Pin | None) -> EngineState:
    if engine.protocol_version != PROTOCOL:
        return _incompatible(
            gettext("It declares protocol {protocol_version}; this console reads {protocol}.").format(
                protocol_version=engine.protocol_version, protocol=PROTOCOL
            )
        )
    if pin is not None and engine.instance_id != pin.instance_id:
        return _wrong(
            gettext("Instance {instance_id} answered where {instance_id_2} was pinned.").format(
                instance_id=engine.instance_id, instance_id_2=pin.instance_id
            )
        )
    if pin is not None and engine.generation != pin.generation:
        return _wrong(
            gettext("Generation {generation} answered where {generation_2} was pinned: a restored store.").format(
                generation=engine.generation, generation_2=pin.generation
            )
        )
    return EngineState(
        State.READY,
        gettext("Engine ready"),
        gettext("Ready. Nothing to do."),
        gettext("The engine answers and accepts our token."),
        "",
        None,
    )


def _wrong(sentence: str) -> EngineState:
    return EngineState(
        State.WRONG_ENGINE,
        gettext("Another engine"),
        gettext("This is not the engine we know"),
        gettext("{sentence} Reading and writing are off until an administrator confirms.").format(sentence=sentence),
        gettext("Compare the two under Connection, then confirm the new one or restore the old one."),
        Failed(Failure.INCOMPATIBLE, sentence),
    )
