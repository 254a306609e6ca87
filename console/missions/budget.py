"""What a mission may cost. Each charge is one statement of the database, so that no two calls share what is left."""

from django.db.models import F

from console.missions.models import Attempt, Mission, MissionState
from console.tokens.models import AgentToken
from console.tokens.queries import agent_of
from knowledge.failures import Failed, Failure

SPENT = Failed(Failure.BUDGET_EXHAUSTED, "The mission's calls, facts or bytes are spent.")
TOO_MUCH = Failed(
    Failure.BUDGET_EXHAUSTED, "The answer is larger than what is left.", fields=(("budget", "ask for less"),)
)


def charge_call(token: AgentToken) -> str | Failed:
    """The key of the mission the token works on, after one call of it; empty when it works on none.

    A claim whose time ran out pays on until somebody takes it over: silence is no way around a budget.
    """
    working = Attempt.objects.working().filter(agent=agent_of(token))
    found = working.filter(mission__state=MissionState.CLAIMED).values_list("mission_id", "mission__key").first()
    if found is None:
        return ""
    pk, key = found
    charged = Mission.objects.filter(pk=pk).unspent().update(calls_spent=F("calls_spent") + 1)
    return str(key) if charged else SPENT


def charge_answer(key: str, *, facts: int, size: int) -> Failed | None:
    """All of it, or nothing and a refusal."""
    room = Mission.objects.filter(
        key=key, facts_spent__lte=F("facts_budget") - facts, bytes_spent__lte=F("bytes_budget") - size
    )
    charged = room.update(facts_spent=F("facts_spent") + facts, bytes_spent=F("bytes_spent") + size)
    return None if charged else TOO_MUCH
