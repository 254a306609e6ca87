"""The people of the console and their role."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from console.audit.models import Actor
from console.policy import Role
from console.wording import gettext_lazy as _

ROLE_WORDS = {
    Role.VIEWER: _("Viewer"),
    Role.REVIEWER: _("Reviewer"),
    Role.MANAGER: _("Manager"),
    Role.ADMINISTRATOR: _("Administrator"),
}
ROLE_CHOICES = [(role.value, ROLE_WORDS[role]) for role in Role]


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username or "")


class User(AbstractBaseUser):
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120)
    role = models.CharField(max_length=20, choices=ROLE_CHOICES, default=Role.VIEWER.value)
    is_active = models.BooleanField(default=True)
    must_change_password = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]
    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role]), name="people_known_role"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def as_role(self) -> Role:
        return Role(self.role)

    @property
    def actor(self) -> Actor:
        return Actor(key=f"user:{self.pk}", name=self.name)

    @property
    def initials(self) -> str:
        parts = [part[0] for part in self.name.split() if part]
        return "".join(parts[:1] + parts[1:][-1:]).upper() or "?"


class PersonSession(models.Model):
    """One signed-in browser of a person. Deleting the row ends it at its next request."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sessions")
    started_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(auto_now_add=True)
    browser = models.CharField(max_length=80, blank=True)
    address = models.CharField(max_length=45, blank=True)

    class Meta:
        ordering: ClassVar = ["-seen_at", "-id"]

    def __str__(self) -> str:
        return f"{self.browser or 'A browser'} of {self.user_id}"


class RecoveryCode(models.Model):
    """Stands in once for the code of a lost device; only its digest is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["user", "digest"], name="people_recovery_code_once"),
        ]

    def __str__(self) -> str:
        return f"a recovery code of {self.user_id}"
