"""One reading of the engine for one request: settings, provider, state, the project's scope and its base."""

from dataclasses import dataclass

from console.connection import providers
from console.connection.actions import SYSTEM, pin_engine
from console.connection.models import EngineProcess, KnownEngine
from console.connection.settings import ConnectionSettings, read_settings
from console.connection.states import EngineState, Pin, State, engine_state, missing_setting
from console.projects.models import Project
from console.projects.scopes import Reading, reading_of
from knowledge.engine.providers import NullProvider
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Base, Engine
from knowledge.scope import KnowledgeScope
from knowledge.vocabulary import Band


@dataclass(frozen=True, slots=True)
class Link:
    """``reading`` is None when the project reads no base; ``base`` only when the engine told of it."""

    settings: ConnectionSettings
    provider: KnowledgeProvider
    state: EngineState
    engine: Engine | None
    reading: Reading | None
    base: Base | None
    base_failure: Failed | None = None

    @property
    def scope(self) -> KnowledgeScope | None:
        return self.reading.scope if self.reading is not None else None

    @property
    def counted(self) -> Base | None:
        """The base where its counters may be told: to whoever reads general knowledge alone they tell of the rest."""
        return self.base if self.scope is not None and self.scope.allows(Band.TENANT) else None

    @property
    def readable(self) -> bool:
        return self.state.ready and self.scope is not None and self.base is not None


def read_by(project: Project | None) -> Reading | None:
    """What a page of the project reads; None for one that reads nothing, and where there is no project."""
    reading = reading_of(project) if project is not None else None
    return reading if isinstance(reading, Reading) else None


def open_link(reading: Reading | None) -> Link:
    """Ask the engine who it is (remembered for seconds) and, when it is ours, for the project's base: two calls."""
    settings = read_settings()
    provider = providers.provider_for(settings)
    process = EngineProcess.objects.first()
    probe, state = _standing(settings, provider, process)
    engine = probe.value if isinstance(probe, Ok) else None
    base, failure = None, None
    if state.ready and reading is not None:
        base, failure, state = _base(provider.base(reading.scope), state, settings, process)
    return Link(settings, provider, state, engine, reading, base, failure)


def reading_provider(settings: ConnectionSettings) -> KnowledgeProvider:
    """For the call of a program: the engine when it answers and is the one we know, else one that refuses alike."""
    provider = providers.provider_for(settings)
    _probe, state = _standing(settings, provider, EngineProcess.objects.first())
    return NullProvider(state.failed.reason, state.failed.failure) if state.failed else provider


def _standing(
    settings: ConnectionSettings, provider: KnowledgeProvider, process: EngineProcess | None
) -> tuple[Outcome[Engine] | None, EngineState]:
    probe = None if not settings.enabled or missing_setting(settings) else providers.probe_engine(settings, provider)
    return probe, engine_state(settings=settings, process=process, probe=probe, pin=_pin(probe))


def _base(
    answer: Outcome[Base], state: EngineState, settings: ConnectionSettings, process: EngineProcess | None
) -> tuple[Base | None, Failed | None, EngineState]:
    """A base that is gone is the binding's trouble; any other failure is the engine's and becomes the state."""
    if isinstance(answer, Ok):
        return answer.value, None, state
    if answer.failure is Failure.NOT_FOUND:
        return None, answer, state
    providers.forget_probe()
    return None, answer, engine_state(settings=settings, process=process, probe=answer, pin=None)


def _pin(probe: Outcome[Engine] | None) -> Pin | None:
    """The engine we know; the first one to answer becomes it."""
    known = KnownEngine.objects.first()
    if known is None and isinstance(probe, Ok) and probe.value.protocol_version == 1:
        known = pin_engine(by=SYSTEM, instance_id=probe.value.instance_id, generation=probe.value.generation)
    return Pin(known.instance_id, known.generation) if known else None


__all__ = ["Link", "State", "open_link", "read_by", "reading_provider"]
