"""One reading of the engine for one request: settings, provider, state, the project's scope and its base."""

from dataclasses import dataclass

from console.connection import providers
from console.connection.actions import SYSTEM, pin_engine
from console.connection.models import EngineProcess, KnownEngine
from console.connection.settings import ConnectionSettings, read_settings
from console.connection.states import EngineState, Pin, State, engine_state, missing_setting
from console.projects.models import Binding, Project
from knowledge.engine.providers import NullProvider
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider
from knowledge.records import Base, Engine
from knowledge.scope import KnowledgeScope, Level


@dataclass(frozen=True, slots=True)
class Link:
    """``scope`` is None when the project reads no base; ``base`` only when the engine told of it."""

    settings: ConnectionSettings
    provider: KnowledgeProvider
    state: EngineState
    engine: Engine | None
    binding: Binding | None
    scope: KnowledgeScope | None
    base: Base | None
    base_failure: Failed | None = None

    @property
    def readable(self) -> bool:
        return self.state.ready and self.scope is not None and self.base is not None


def open_link(project: Project | None) -> Link:
    """Ask the engine who it is (remembered for seconds) and, when it is ours, for the project's base: two calls."""
    settings = read_settings()
    provider = providers.provider_for(settings)
    process = EngineProcess.objects.first()
    probe, state = _standing(settings, provider, process)
    binding = Binding.objects.filter(project=project).first() if project else None
    scope = scope_of(project, binding)
    engine = probe.value if isinstance(probe, Ok) else None
    base, failure = None, None
    if state.ready and scope is not None:
        base, failure, state = _base(provider.base(scope), state, settings, process)
    return Link(settings, provider, state, engine, binding, scope, base, failure)


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


def scope_of(project: Project | None, binding: Binding | None) -> KnowledgeScope | None:
    if project is None or binding is None:
        return None
    return KnowledgeScope(level=Level.PROJECT, base_id=binding.base_id, slug=project.slug)


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


__all__ = ["Link", "State", "open_link", "reading_provider", "scope_of"]
