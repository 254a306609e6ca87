"""Integration tokens: made with scopes and bases, shown once, kept as a digest."""

import secrets
from datetime import UTC, datetime

from django.utils import timezone

from forager.api import shapes
from forager.api.access import Scope, known_scopes
from forager.api.endpoint import Call, endpoint
from forager.api.errors import NotFound, ValidationFailed
from forager.api.paging import paginate
from forager.api.times import rfc3339, rfc3339_or_none
from forager.model.ids import random_id, sha256_text
from forager.model.models import KnowledgeBase, Token

PREFIX = "fgr_"


@endpoint("GET", "/settings/tokens", Scope.ADMIN, query=shapes.ListQuery, answer=shapes.Page)
def list_tokens(call: Call[shapes.ListQuery, None]) -> shapes.Page:
    """All integration tokens, without their secrets."""
    return paginate(
        Token.objects.all(),
        ("created_at", "id"),
        lambda rows: [_shape(t) for t in rows],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
    )


@endpoint("POST", "/settings/tokens", Scope.ADMIN, body=shapes.NewToken, answer=shapes.TokenShape, status=201)
def create_token(call: Call[None, shapes.NewToken]) -> shapes.TokenShape:
    """Makes a token for named bases; its secret is in this answer and nowhere else."""
    return create(
        name=call.body["name"],
        scopes=list(call.body["scopes"]),
        base_ids=call.body["project_ids"],
        expires_at=_expiry(call.body.get("expires_at")),
    )


@endpoint("DELETE", "/settings/tokens/<token>", Scope.ADMIN, answer=shapes.TokenShape)
def revoke_token(call: Call[None, None], token: str) -> shapes.TokenShape:
    """Revokes a token at once."""
    row = Token.objects.filter(pk=token).first()
    if row is None:
        raise NotFound
    row.revoked_at = row.revoked_at or timezone.now()
    row.save(update_fields=["revoked_at"])
    return _shape(row)


def create(*, name: str, scopes: list[str], base_ids: list[str], expires_at: datetime | None) -> shapes.TokenShape:
    unknown = set(base_ids) - set(KnowledgeBase.objects.filter(pk__in=base_ids).values_list("pk", flat=True))
    if unknown:
        raise ValidationFailed(fields={"project_ids": "names a knowledge base that does not exist"})
    secret = PREFIX + secrets.token_urlsafe(32)
    row = Token.objects.create(
        id=random_id("tok"),
        name=name,
        digest=sha256_text(secret),
        scopes=known_scopes(scopes),
        base_ids=sorted(set(base_ids)),
        created_at=timezone.now(),
        expires_at=expires_at,
    )
    return {**_shape(row), "token": secret}


def _expiry(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        ahead = at.tzinfo is not None and at.astimezone(UTC) > timezone.now()
    except (ValueError, OverflowError) as error:
        raise ValidationFailed(fields={"expires_at": "not an RFC 3339 time"}) from error
    if not ahead:
        raise ValidationFailed(fields={"expires_at": "needs a zone and must lie ahead"})
    return at


def _shape(row: Token) -> shapes.TokenShape:
    return {
        "id": row.pk,
        "name": row.name,
        "scopes": row.scopes,
        "project_ids": row.base_ids,
        "created_at": rfc3339(row.created_at),
        "expires_at": rfc3339_or_none(row.expires_at),
        "revoked_at": rfc3339_or_none(row.revoked_at),
        "last_used_at": rfc3339_or_none(row.last_used_at),
    }
