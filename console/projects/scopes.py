"""Which knowledge base a project reads: mission, then project, then workspace, then global. One function decides.

Nothing but a configured binding is ever read, and a page or an agent is told which of them it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from console.projects.models import Binding, Project, SharedBinding
from knowledge.scope import KnowledgeScope, Level, Unresolved
from knowledge.vocabulary import Band

SHARED = (Level.WORKSPACE, Level.GLOBAL)
UNBOUND = Unresolved(
    "The project reads no knowledge base, and none is bound for the workspace or globally. A manager of the project "
    "binds one on its page Knowledge base; an administrator binds one for all under Connection, Bindings."
)
MOVED = Unresolved(
    "The mission was made over a knowledge base that its project does not read any more. A manager cancels it, or "
    "binds that base to the project again on its page Knowledge base."
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A base as it was bound; ``name`` is the one it had then."""

    base_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Configured:
    """What people bound, most specific first; None where nobody did."""

    project: Bound | None = None
    workspace: Bound | None = None
    everywhere: Bound | None = None


@dataclass(frozen=True, slots=True)
class MissionBase:
    """What a mission was made over, and the most confidential band it may be told."""

    base_id: str
    band: Band


@dataclass(frozen=True, slots=True)
class Reading:
    """``scope`` is what may be read; ``level`` whose binding it is, and ``name`` the base's as it was bound."""

    scope: KnowledgeScope
    level: Level
    name: str

    @property
    def is_shared(self) -> bool:
        """Read through a binding that is not the project's own: nothing of the base may be changed from here."""
        return self.level in SHARED


def resolve(
    slug: str, configured: Configured, *, ceiling: Band = Band.TENANT, mission: MissionBase | None = None
) -> Reading | Unresolved:
    """The most specific binding there is. A mission reads the base it was made over or none, never another.

    ``ceiling`` is that of whoever reads. A global binding gives general knowledge alone, whoever reads.
    """
    found = _most_specific(configured)
    if found is None:
        return UNBOUND
    level, bound = found
    if mission is not None and mission.base_id != bound.base_id:
        return MOVED
    bands = [ceiling, Band.GENERAL if level is Level.GLOBAL else Band.TENANT, *([mission.band] if mission else [])]
    scope = KnowledgeScope(
        level=Level.MISSION if mission else level,
        base_id=bound.base_id,
        slug=level.value if level in SHARED else slug,
        ceiling=Band.TENANT if all(each is Band.TENANT for each in bands) else Band.GENERAL,
    )
    return Reading(scope, level, bound.name)


def reading_of(
    project: Project, *, ceiling: Band = Band.TENANT, mission: MissionBase | None = None
) -> Reading | Unresolved:
    """What the project reads now, looked up at every call."""
    own = Binding.objects.filter(project=project).first()
    shared = {} if own is not None else _shared()
    return resolve(project.slug, _configured(own, shared), ceiling=ceiling, mission=mission)


def readings_of(projects: Sequence[Project]) -> dict[int, Reading | Unresolved]:
    """By project, for lists; their bindings are best selected along."""
    shared = _shared()
    return {each.pk: resolve(each.slug, _configured(getattr(each, "binding", None), shared)) for each in projects}


def readers_of(base_id: str) -> Iterator[tuple[Project, KnowledgeScope]]:
    """Every project that reads the base now; those whose own it is come first."""
    projects = list(Project.objects.select_related("binding").order_by("pk"))
    readings = readings_of(projects)
    found = [(each, reading) for each in projects if isinstance(reading := readings[each.pk], Reading)]
    mine = [(each, reading) for each, reading in found if reading.scope.base_id == base_id]
    for each, reading in sorted(mine, key=lambda pair: pair[1].is_shared):
        yield each, reading.scope


def whole_scope(base_id: str) -> KnowledgeScope:
    """For the console's own comparing of a base that is bound somewhere: no person and no agent reads through it."""
    return KnowledgeScope(Level.WORKSPACE, base_id, Level.WORKSPACE.value)


def bases_read() -> list[str]:
    """Every base that is bound at any level, each once."""
    own = Binding.objects.values_list("base_id", flat=True)
    return sorted({*own, *SharedBinding.objects.values_list("base_id", flat=True)})


def _most_specific(configured: Configured) -> tuple[Level, Bound] | None:
    ordered = (
        (Level.PROJECT, configured.project),
        (Level.WORKSPACE, configured.workspace),
        (Level.GLOBAL, configured.everywhere),
    )
    return next(((level, bound) for level, bound in ordered if bound is not None), None)


def _configured(own: Binding | None, shared: dict[str, Bound]) -> Configured:
    return Configured(
        project=Bound(own.base_id, own.base_name) if own is not None else None,
        workspace=shared.get(Level.WORKSPACE.value),
        everywhere=shared.get(Level.GLOBAL.value),
    )


def _shared() -> dict[str, Bound]:
    return {each.level: Bound(each.base_id, each.base_name) for each in SharedBinding.objects.all()}
