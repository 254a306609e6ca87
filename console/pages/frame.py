"""What stands around every page: the rail, the project bar, the person, the theme."""

from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from console.connection.link import Link
from console.connection.states import State
from console.pages.show.text import visible
from console.people.models import User
from console.policy import Permission
from console.projects.models import Project
from console.projects.scopes import Reading, readings_of
from knowledge.scope import Level, Unresolved

THEMES = ("light", "dark")
DENSITIES = ("compact",)
_ENGINE_ICONS = {
    State.READY: "disc",
    State.OFF: "off",
    State.NOT_CONFIGURED: "unplugged",
    State.STARTING: "clock",
    State.UNREACHABLE: "unplugged",
    State.SIGNED_OUT: "key",
    State.INCOMPATIBLE: "stop",
    State.WRONG_ENGINE: "stop",
}
_LOUD = (State.UNREACHABLE, State.INCOMPATIBLE, State.WRONG_ENGINE)


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of the rail."""

    label: str
    icon: str
    url: str
    current: bool
    key: str
    count: str = ""
    count_words: str = ""


@dataclass(frozen=True, slots=True)
class ProjectChoice:
    name: str
    url: str
    reads: str
    current: bool


@dataclass(frozen=True, slots=True)
class Count:
    number: str
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Bar:
    project: str
    reads: str
    base_id: str
    choices: tuple[ProjectChoice, ...]
    counts: tuple[Count, ...]
    awaiting: Count | None
    engine: str
    engine_icon: str
    engine_loud: bool
    may_make_project: bool
    bind_url: str
    find_url: str


@dataclass(frozen=True, slots=True)
class Frame:
    user_name: str
    user_role: str
    user_initials: str
    theme: str
    density: str
    slug: str
    places: tuple[Place, ...]
    colony: tuple[Place, ...]
    settings: tuple[Place, ...]
    settings_current: bool
    bar: Bar

    def offering(self, bind_url: str) -> "Frame":
        """The frame with the way to bind a base, for a project that has none of its own and may have one."""
        return replace(self, bar=replace(self.bar, bind_url=bind_url))

    @property
    def keyed(self) -> tuple[Place, ...]:
        """Places with a key of two strokes, for the map of keys."""
        return (*self.places, *self.colony)


def theme_of(request: HttpRequest) -> str:
    asked = request.COOKIES.get("anthill_theme", "")
    return asked if asked in THEMES else ""


def density_of(request: HttpRequest) -> str:
    asked = request.COOKIES.get("anthill_density", "")
    return asked if asked in DENSITIES else ""


def frame_of(
    request: HttpRequest,
    user: User,
    project: Project | None,
    projects: list[Project],
    permissions: frozenset[Permission],
    link: Link,
) -> Frame:
    settings = _settings(request, permissions)
    return Frame(
        user_name=user.name,
        user_role=user.get_role_display(),
        user_initials=user.initials,
        theme=theme_of(request),
        density=density_of(request),
        slug=project.slug if project else "",
        places=_places(request, project, permissions, link),
        colony=_colony(request, project, permissions),
        settings=settings,
        settings_current=any(place.current for place in settings),
        bar=_bar(project, projects, permissions, link),
    )


def _places(
    request: HttpRequest, project: Project | None, permissions: frozenset[Permission], link: Link
) -> tuple[Place, ...]:
    """Knowledge's own four places, of the project at hand."""
    if project is None or Permission.READ_KNOWLEDGE not in permissions:
        return ()
    open_conflicts = link.counted.open_conflict_count if link.counted else 0
    asked = [
        (gettext("Sources"), "sources", "sources", "g s"),
        (gettext("Knowledge"), "knowledge", "knowledge", "g k"),
        (gettext("Review"), "neq", "review", "g r"),
        (gettext("Export"), "export", "export", "g e"),
    ]
    if Permission.EXPORT_KNOWLEDGE not in permissions:
        asked.pop()
    return tuple(
        Place(
            label,
            icon,
            reverse(name, args=[project.slug]),
            request.path.startswith(f"/p/{project.slug}/{name}"),
            key,
            count=f"{open_conflicts:,}" if name == "review" and open_conflicts else "",
            count_words=gettext("await review"),
        )
        for label, icon, name, key in asked
    )


def _colony(request: HttpRequest, project: Project | None, permissions: frozenset[Permission]) -> tuple[Place, ...]:
    """The colony's own: what its agents work on in the project at hand, and the engine's connection."""
    connected = request.path.startswith("/connection")
    connection = Place(gettext("Connection"), "plug", reverse("connection"), connected, "g n")
    if project is None or Permission.READ_KNOWLEDGE not in permissions:
        return (connection,)
    is_here = request.path.startswith(f"/p/{project.slug}/colony")
    return (Place(gettext("Colony"), "ants", reverse("colony", args=[project.slug]), is_here, "g c"), connection)


def _settings(request: HttpRequest, permissions: frozenset[Permission]) -> tuple[Place, ...]:
    asked = [(gettext("Projects"), "projects")]
    if Permission.MANAGE_SETTINGS in permissions:
        asked += [(gettext("People"), "people"), (gettext("Agent tokens"), "tokens"), (gettext("Audit"), "audit")]
        asked.append((gettext("Backup"), "backups"))
    asked.append((gettext("Your sign-in"), "security"))
    return tuple(Place(label, "", reverse(name), request.path.startswith(reverse(name)), "") for label, name in asked)


def _bar(project: Project | None, projects: list[Project], permissions: frozenset[Permission], link: Link) -> Bar:
    return Bar(
        project=project.name if project else gettext("No project"),
        reads=reads_words(link.reading, link.base.name if link.base else ""),
        base_id=link.reading.scope.base_id if link.reading else "",
        choices=_choices(projects, project),
        counts=_counts(project, link),
        awaiting=_awaiting(project, link),
        engine=link.state.short,
        engine_icon=_ENGINE_ICONS[link.state.state],
        engine_loud=link.state.state in _LOUD,
        may_make_project=Permission.MANAGE_SETTINGS in permissions,
        bind_url="",
        find_url=_find_url(project, permissions),
    )


def _find_url(project: Project | None, permissions: frozenset[Permission]) -> str:
    reads = project is not None and Permission.READ_KNOWLEDGE in permissions
    return reverse("find", args=[project.slug]) if project is not None and reads else reverse("find-pages")


def _choices(projects: list[Project], current: Project | None) -> tuple[ProjectChoice, ...]:
    readings = readings_of(projects)
    return tuple(
        ProjectChoice(each.name, reverse("sources", args=[each.slug]), reads_words(readings[each.pk]), each == current)
        for each in projects
    )


def reads_words(reading: Reading | Unresolved | None, name: str = "") -> str:
    """What a project reads and whose binding that is. ``name`` is the engine's own, where it told."""
    if not isinstance(reading, Reading):
        return gettext("reads no knowledge base")
    base_name = visible(name or reading.name)
    if reading.level is Level.WORKSPACE:
        return gettext("reads {base_name}, bound for the workspace").format(base_name=base_name)
    if reading.level is Level.GLOBAL:
        return gettext("reads {base_name}, bound globally: general knowledge only").format(base_name=base_name)
    return gettext("reads {base_name}").format(base_name=base_name)


def _counts(project: Project | None, link: Link) -> tuple[Count, ...]:
    base = link.counted
    if project is None or base is None:
        return ()
    asked = [
        (base.source_count, "source", "sources", "sources"),
        (base.statement_count, "statement", "statements", "knowledge"),
        (base.entity_count, "entity", "entities", "entities"),
    ]
    return tuple(
        Count(f"{number:,}", one if number == 1 else many, reverse(name, args=[project.slug]))
        for number, one, many, name in asked
    )


def _awaiting(project: Project | None, link: Link) -> Count | None:
    if project is None or link.counted is None:
        return None
    number = link.counted.open_conflict_count
    words = gettext("awaits review") if number == 1 else gettext("await review")
    return Count(f"{number:,}", words, reverse("review", args=[project.slug]))
