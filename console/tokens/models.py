"""An agent's token: one project, what it may do there, how much it may see, and until when; and what it asked."""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from console.policy import Permission
from console.projects.models import Project
from knowledge.vocabulary import Band, Support

GRANTABLE = (Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW, Permission.WORK_MISSIONS)
"""What a token may hold at most: never to rule, to manage or to set anything."""
FLOORS = tuple(support for support in Support if support is not Support.UNKNOWN)


class TokenState(StrEnum):
    ACTIVE = "active"
    ENDING = "ending"
    EXPIRED = "expired"
    REVOKED = "revoked"


class AgentTokenQuerySet(models.QuerySet["AgentToken"]):
    def usable(self, at: datetime) -> Self:
        """Neither revoked nor past its end at this moment."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=at), revoked_at=None)


class AgentToken(models.Model):
    """``digest`` is the SHA-256 of the secret, which nobody keeps; ``prefix`` tells tokens apart on pages.

    ``created_by_key`` says which person made it, empty for one of an earlier release.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="agent_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    permissions = models.JSONField(default=list)
    band = models.CharField(max_length=20, default=Band.GENERAL.value)
    min_support = models.CharField(max_length=30, default=Support.UNVERIFIED_CLAIM.value)
    per_minute = models.PositiveIntegerField(default=120)
    created_by = models.CharField(max_length=200)
    created_by_key = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    predecessor = models.OneToOneField("self", on_delete=models.SET_NULL, null=True, related_name="successor")

    objects = AgentTokenQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["project__name", "name", "-id"]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=Q(band__in=[b.value for b in Band]), name="tokens_known_band"),
            models.CheckConstraint(condition=Q(min_support__in=[s.value for s in FLOORS]), name="tokens_known_floor"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def granted(self) -> frozenset[Permission]:
        """What it may do now; a permission no token may hold is never read out of a row."""
        return frozenset(permission for permission in GRANTABLE if permission.value in self.permissions)

    @property
    def state(self) -> TokenState:
        if self.revoked_at is not None:
            return TokenState.REVOKED
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return TokenState.EXPIRED
        return TokenState.ENDING if hasattr(self, "successor") else TokenState.ACTIVE


class CallWindow(models.Model):
    """Calls of one token within the minute that began at ``began_at``; ``refused`` counts those beyond its rate."""

    token = models.OneToOneField(AgentToken, on_delete=models.CASCADE, related_name="window")
    began_at = models.DateTimeField()
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.token_id}: {self.calls} calls"


class ToolCallQuerySet(models.QuerySet["ToolCall"]):
    def of_token(self, token: AgentToken) -> Self:
        return self.filter(token=token)


class ToolCall(models.Model):
    """One call of an agent, refused or not. Never a question, a statement or an excerpt: only ids and a digest.

    ``package`` is what its answer was frozen as, ``mission`` what the agent worked on; empty where there was none.
    """

    token = models.ForeignKey(AgentToken, on_delete=models.CASCADE, related_name="tool_calls")
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    tool = models.CharField(max_length=60)
    query_digest = models.CharField(max_length=64)
    served_ids = models.JSONField(default=list)
    failure = models.CharField(max_length=30, blank=True)
    abstained = models.CharField(max_length=30, blank=True)
    elapsed_ms = models.PositiveIntegerField()
    request_id = models.CharField(max_length=64, blank=True)
    candidates = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)
    package = models.CharField(max_length=40, blank=True)
    mission = models.CharField(max_length=40, blank=True, db_index=True)

    objects = ToolCallQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.tool} by {self.token_id}"
