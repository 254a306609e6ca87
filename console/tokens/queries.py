"""Reading agent tokens: by their secret at the moment of use, and for the page that lists them."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from console.tokens.actions import MARK, digest_of
from console.tokens.models import AgentToken, ToolCall

SEEN_EVERY = timedelta(minutes=1)
CHAIN = 100


def token_of(secret: str) -> AgentToken | None:
    """The usable token of this secret, marked as used; an unknown, ended or revoked one is the same as none."""
    if not secret.startswith(MARK):
        return None
    now = timezone.now()
    found = AgentToken.objects.usable(now).select_related("project__binding").filter(digest=digest_of(secret)).first()
    if found is not None and (found.last_used_at is None or now - found.last_used_at > SEEN_EVERY):
        AgentToken.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


def calls_for(mission: str, most: int) -> list[ToolCall]:
    """Latest first, of whoever worked on it."""
    return list(ToolCall.objects.filter(mission=mission).select_related("token").order_by("-pk")[:most])


def every_token() -> QuerySet[AgentToken]:
    return AgentToken.objects.select_related("project", "successor")


def find_token(pk: int) -> AgentToken | None:
    return every_token().filter(pk=pk).first()


def agent_of(token: AgentToken) -> int:
    """One number for all tokens of a rotation: the first one's."""
    return lineage(token)[-1]


def made_by(token: AgentToken, *, key: str, name: str) -> bool:
    """Whether this person made the token or one it was rotated from; where the key is not known, by the name."""
    makers = AgentToken.objects.filter(pk__in=lineage(token)).values_list("created_by_key", "created_by")
    return any(maker_key == key if maker_key else maker == name for maker_key, maker in makers)


def lineage(token: AgentToken) -> list[int]:
    """The token and those it was rotated from: their packages are the same agent's."""
    ids = [token.pk]
    before = token.predecessor_id
    while before is not None and len(ids) < CHAIN:
        ids.append(before)
        before = AgentToken.objects.values_list("predecessor_id", flat=True).get(pk=before)
    return ids
