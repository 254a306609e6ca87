"""How many calls a token makes a minute, kept in the database so that every process counts together."""

from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from django.db.models import F
from django.utils import timezone

from console.tokens.models import AgentToken, CallWindow

WINDOW = timedelta(minutes=1)
TRIES = 3
"""Two processes may both see a window end; whoever loses looks once more."""


@dataclass(frozen=True, slots=True)
class Turn:
    """``wait_seconds`` is 0 for a call that may go on; ``is_told`` says that this refusal is its minute's first."""

    wait_seconds: int = 0
    is_told: bool = True


def take_turn(token: AgentToken) -> Turn:
    """Counts one call. Each step is one statement of the database, so that no two calls count as one."""
    now = timezone.now()
    mine = CallWindow.objects.filter(token=token)
    for _ in range(TRIES):
        current = mine.filter(began_at__gt=now - WINDOW)
        if current.filter(calls__lt=token.per_minute).update(calls=F("calls") + 1):
            return Turn()
        if mine.filter(began_at__lte=now - WINDOW).update(began_at=now, calls=1, refused=0):
            return Turn()
        window, is_made = CallWindow.objects.get_or_create(token=token, defaults={"began_at": now, "calls": 1})
        if is_made:
            return Turn()
        if window.calls >= token.per_minute and window.began_at > now - WINDOW:
            current.update(refused=F("refused") + 1)
            return Turn(max(1, ceil((window.began_at + WINDOW - now).total_seconds())), window.refused == 0)
    return Turn(1)
