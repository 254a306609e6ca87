"""Reading projects: found and allowed are one step."""

from collections.abc import Sequence

from django.db.models import QuerySet

from console.people.models import User
from console.policy import BY_ROLE, Permission, granted
from console.projects.models import Binding, Project
from console.projects.scopes import bases_read


def project_of(user: User, slug: str) -> Project | None:
    """The project when the person belongs to it; a foreign one is the same as none."""
    return Project.objects.readable_by(user).filter(slug=slug).select_related("binding").first()


def projects_of(user: User) -> list[Project]:
    return list(Project.objects.readable_by(user).select_related("binding"))


def permissions_of(user: User, project: Project | None) -> frozenset[Permission]:
    """What the person may do here; ``project`` must be one of theirs."""
    return granted(user.as_role, member=project is not None)


def reviewers_of(project: Project) -> list[str]:
    """Names of the members who may rule, for asking one of them."""
    people = User.objects.filter(memberships__project=project, is_active=True).order_by("name")
    return [each.name for each in people if Permission.REVIEW_KNOWLEDGE in BY_ROLE[each.as_role]]


def read_by_others(mine: Sequence[Project]) -> set[str]:
    """Knowledge bases that are read somewhere, but by none of these projects as their own."""
    bound = set(bases_read())
    return bound - set(Binding.objects.filter(project__in=mine).values_list("base_id", flat=True))


def every_project() -> QuerySet[Project]:
    """For the settings of the console, whose pages only an administrator reaches."""
    return Project.objects.all()
