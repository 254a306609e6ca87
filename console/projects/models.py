"""A project is the unit of work and access; a binding says which knowledge base it reads."""

from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models

from console.people.models import User
from knowledge.scope import Level


class ProjectQuerySet(models.QuerySet["Project"]):
    def readable_by(self, user: User) -> Self:
        """Projects the person belongs to."""
        return self.filter(memberships__user=user)


class Project(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["project", "user"], name="projects_member_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.project_id}"


class Binding(models.Model):
    """One knowledge base a project. ``base_name`` is the name at the time of binding, for when the engine is away."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="binding")
    base_id = models.CharField(max_length=80)
    base_name = models.CharField(max_length=200)
    bound_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.project_id} reads {self.base_id}"


class SharedBinding(models.Model):
    """What projects without a base of their own read: one for the workspace, one for all. None unless configured."""

    LEVELS = [(Level.WORKSPACE.value, "workspace"), (Level.GLOBAL.value, "global")]

    level = models.CharField(max_length=20, choices=LEVELS, unique=True)
    base_id = models.CharField(max_length=80)
    base_name = models.CharField(max_length=200)
    bound_at = models.DateTimeField(auto_now=True)
    bound_by = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.level} reads {self.base_id}"
