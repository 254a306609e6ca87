"""Everything that changes a project, who belongs to it and what it reads."""

from django.db import transaction
from django.utils.text import slugify

from console.audit.actions import record
from console.audit.models import Actor
from console.people.models import User
from console.projects.models import Binding, Membership, Project


@transaction.atomic
def make_project(*, by: Actor, name: str, description: str = "", members: tuple[User, ...] = ()) -> Project:
    """A new project; whoever is named in ``members`` may use it at once."""
    project = Project.objects.create(slug=free_slug(name), name=name, description=description)
    Membership.objects.bulk_create([Membership(project=project, user=user) for user in members])
    after = {"name": name, "members": ", ".join(user.email for user in members)}
    record(by=by, action="project.made", target=project.slug, project=project.slug, after=after)
    return project


@transaction.atomic
def add_member(*, by: Actor, project: Project, user: User) -> Membership:
    membership, _made = Membership.objects.get_or_create(project=project, user=user)
    record(
        by=by, action="project.member_added", target=project.slug, project=project.slug, after={"person": user.email}
    )
    return membership


@transaction.atomic
def remove_member(*, by: Actor, project: Project, user: User) -> None:
    Membership.objects.filter(project=project, user=user).delete()
    record(
        by=by, action="project.member_removed", target=project.slug, project=project.slug, before={"person": user.email}
    )


@transaction.atomic
def bind_project(*, by: Actor, project: Project, base_id: str, base_name: str) -> Binding:
    """Let the project read this knowledge base from now on; what it read before is kept in the audit trail."""
    held = Binding.objects.filter(project=project).first()
    before = {"base": held.base_id, "name": held.base_name} if held else {}
    binding, _made = Binding.objects.update_or_create(
        project=project, defaults={"base_id": base_id, "base_name": base_name}
    )
    after = {"base": base_id, "name": base_name}
    record(by=by, action="project.bound", target=project.slug, project=project.slug, before=before, after=after)
    return binding


def free_slug(name: str) -> str:
    """A slug no project has yet: ``falcon-programme``, then ``falcon-programme-2``."""
    stem = slugify(name)[:50] or "project"
    taken = set(Project.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return stem if stem not in taken else next(slug for slug in numbered if slug not in taken)
