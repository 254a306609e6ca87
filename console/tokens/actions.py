"""Making, rotating and revoking agent tokens. Each is one transaction: change, one audit event without the secret."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from console.audit.actions import record
from console.audit.models import Actor
from console.policy import Permission
from console.projects.models import Project
from console.tokens.models import GRANTABLE, AgentToken
from knowledge.vocabulary import Band, Support

MARK = "ant_"
SECRET_BYTES = 32
SHOWN = 8


class NotUsable(Exception):
    """The token is revoked, past its end or rotated already; the message says so."""


@dataclass(frozen=True, slots=True)
class Made:
    """``secret`` is shown once to whoever made it."""

    token: AgentToken
    secret: str


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def make_token(
    *,
    by: Actor,
    project: Project,
    name: str,
    permissions: Iterable[Permission],
    band: Band,
    min_support: Support,
    per_minute: int,
    expires_at: datetime | None,
) -> Made:
    made = _fresh(
        by=by,
        project=project,
        name=name,
        permissions=[permission.value for permission in GRANTABLE if permission in set(permissions)],
        band=band.value,
        min_support=min_support.value,
        per_minute=per_minute,
        expires_at=expires_at,
    )
    record(by=by, action="token.made", target=str(made.token), project=project.slug, after=_facts(made.token))
    return made


@transaction.atomic
def rotate_token(*, by: Actor, token: AgentToken, overlap: timedelta) -> Made:
    """A successor with the same reach and length of life; the old one works on for ``overlap`` and not longer."""
    held = AgentToken.objects.select_for_update().get(pk=token.pk)
    now = timezone.now()
    if not AgentToken.objects.usable(now).filter(pk=held.pk, successor=None).exists():
        raise NotUsable(gettext("This token is revoked, has ended or was rotated already. Make a new one."))
    life = held.expires_at - held.created_at if held.expires_at else None
    made = _fresh(
        by=by,
        project=held.project,
        name=held.name,
        permissions=held.permissions,
        band=held.band,
        min_support=held.min_support,
        per_minute=held.per_minute,
        expires_at=now + life if life else None,
        predecessor=held,
    )
    ends = now + overlap
    held.expires_at = min(held.expires_at, ends) if held.expires_at else ends
    held.save(update_fields=["expires_at"])
    after = {"successor": str(made.token), "old_one_ends": held.expires_at.isoformat(timespec="minutes")}
    record(by=by, action="token.rotated", target=str(held), project=held.project.slug, after=after)
    return made


@transaction.atomic
def revoke_token(*, by: Actor, token: AgentToken) -> AgentToken:
    """Stops at its next call. Once revoked it stays so."""
    held = AgentToken.objects.select_for_update().select_related("project").get(pk=token.pk)
    if held.revoked_at is None:
        held.revoked_at = timezone.now()
        held.save(update_fields=["revoked_at"])
        record(by=by, action="token.revoked", target=str(held), project=held.project.slug)
    return held


def _fresh(*, by: Actor, **fields: object) -> Made:
    secret = MARK + secrets.token_urlsafe(SECRET_BYTES)
    token = AgentToken.objects.create(
        prefix=secret[: len(MARK) + SHOWN],
        digest=digest_of(secret),
        created_by=by.name,
        created_by_key=by.key,
        **fields,
    )
    return Made(token, secret)


def _facts(token: AgentToken) -> dict[str, str | int | None]:
    return {
        "may": ", ".join(token.permissions),
        "band": token.band,
        "support_from": token.min_support,
        "per_minute": token.per_minute,
        "ends": token.expires_at.isoformat(timespec="minutes") if token.expires_at else "never",
    }
