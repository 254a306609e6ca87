"""Everything that changes a project, who belongs to it and what it reads."""

from django.db import transaction
from django.utils.text import slugify

from console.audit.actions import record
from console.audit.models import Actor
from console.people.models import User
from console.projects.models import Binding, Membership, Project, SharedBinding
from console.projects.scopes import SHARED
from knowledge.scope import Level


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


@transaction.atomic
def unbind_project(*, by: Actor, project: Project) -> bool:
    """Let the project read no base of its own any more; False when it read none."""
    held = Binding.objects.filter(project=project).first()
    if held is None:
        return False
    held.delete()
    before = {"base": held.base_id, "name": held.base_name}
    record(by=by, action="project.unbound", target=project.slug, project=project.slug, before=before)
    return True


@transaction.atomic
def bind_shared(*, by: Actor, level: Level, base_id: str, base_name: str) -> SharedBinding:
    """What every project without a base of its own reads from now on; ``level`` is workspace or global."""
    if level not in SHARED:
        raise ValueError(level)
    held = SharedBinding.objects.filter(level=level.value).first()
    before = {"base": held.base_id, "name": held.base_name} if held else {}
    told = {"base_id": base_id, "base_name": base_name, "bound_by": by.name}
    bound, _made = SharedBinding.objects.update_or_create(level=level.value, defaults=told)
    record(
        by=by,
        action="binding.shared",
        target=level.value,
        before=before,
        after={"base": base_id, "name": base_name},
    )
    return bound


@transaction.atomic
def unbind_shared(*, by: Actor, level: Level) -> bool:
    held = SharedBinding.objects.filter(level=level.value).first()
    if held is None:
        return False
    held.delete()
    before = {"base": held.base_id, "name": held.base_name}
    record(by=by, action="binding.unshared", target=level.value, before=before)
    return True


def free_slug(name: str) -> str:
    """A slug no project has yet: ``falcon-programme``, then ``falcon-programme-2``. The names of levels are taken."""
    stem = slugify(name)[:50] or "project"
    taken = {level.value for level in Level} | set(
        Project.objects.filter(slug__startswith=stem).values_list("slug", flat=True)
    )
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return stem if stem not in taken else next(slug for slug in numbered if slug not in taken)
