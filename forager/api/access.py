"""Who is calling and what they may touch. Every route but the public four passes here.

The operator key and the host credential may do everything; an integration token has scopes and named bases. An id of
a base the caller may not touch answers exactly like an unknown id.
"""

import hmac
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, transaction
from django.http import HttpRequest
from django.utils import timezone

from forager.api.errors import Forbidden, NotFound, Unauthorized
from forager.model.bases import KnowledgeBase
from forager.model.ids import sha256_text
from forager.model.models import Token
from forager.model.reading import by_key

LAST_USED_STEP = timedelta(minutes=1)


class Scope(StrEnum):
    READ = "read"
    INGEST = "ingest"
    REVIEW = "review"
    EXPORT = "export"
    MANAGE_BASES = "manage_bases"
    ADMIN = "admin"
    HOST = "host"


TOKEN_SCOPES = (Scope.READ, Scope.INGEST, Scope.REVIEW, Scope.EXPORT, Scope.MANAGE_BASES)


@dataclass(frozen=True, slots=True)
class Caller:
    """``base_ids`` is None for the two keys, which may touch every base; ``token_id`` is empty for them."""

    name: str
    scopes: frozenset[Scope]
    base_ids: frozenset[str] | None
    token_id: str = ""

    def may_touch(self, base_id: str) -> bool:
        return self.base_ids is None or base_id in self.base_ids


def authenticate(request: HttpRequest) -> Caller:
    """The caller behind the bearer token; ``Unauthorized`` when there is none we know."""
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer" or not secret:
        raise Unauthorized
    return _by_key(secret) or _by_token(secret)


def require(caller: Caller, scope: Scope) -> None:
    if scope not in caller.scopes:
        raise Forbidden(f"This token lacks the scope '{scope}'.")


def own(caller: Caller, base_id: str) -> None:
    """A token that made a base is good for it; without this its maker could never see it."""
    with transaction.atomic():
        token = Token.objects.select_for_update().filter(pk=caller.token_id).first()
        if token is not None:
            token.base_ids = sorted({*token.base_ids, base_id})
            token.save(update_fields=["base_ids"])


def base_for(caller: Caller, base_id: str) -> KnowledgeBase:
    """The base, or the same 404 whether it is unknown or not the caller's."""
    base = by_key(KnowledgeBase, base_id)
    if base is None or not caller.may_touch(base.pk):
        raise NotFound
    return base


def fence(caller: Caller, request: HttpRequest, base_id: str) -> None:
    """For routes by id: the object's base must be the caller's and the one named in ``X-Forager-Project``."""
    named = request.headers.get("X-Forager-Project")
    if not caller.may_touch(base_id) or (named is not None and named != base_id):
        raise NotFound


def _by_key(secret: str) -> Caller | None:
    everything = frozenset(Scope) - {Scope.HOST}
    for name, path, scopes in (
        ("operator", settings.OPERATOR_KEY_FILE, everything),
        ("host", settings.HOST_CREDENTIAL_FILE, everything | {Scope.HOST}),
    ):
        key = _key(path)
        if key and hmac.compare_digest(key.encode(), secret.encode()):
            return Caller(name, scopes, None)
    return None


@lru_cache
def _key(path: str) -> str:
    return Path(path).read_text(encoding="utf-8").strip() if path else ""


def _by_token(secret: str) -> Caller:
    now = timezone.now()
    token = Token.objects.filter(digest=sha256_text(secret), revoked_at__isnull=True).first()
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        raise Unauthorized
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_STEP:
        with suppress(OperationalError):  # a store that cannot be written can still be read
            Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return Caller(token.name, frozenset(Scope(s) for s in token.scopes), frozenset(token.base_ids), token.pk)


def known_scopes(names: Iterable[str]) -> list[str]:
    return sorted({Scope(name).value for name in names})
