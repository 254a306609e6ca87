"""An agent as a caller: its scope, permissions, floor and ceiling come from its token alone."""

import uuid
from functools import cached_property

import structlog

from console.agents.working import TokenWork
from console.connection.link import reading_provider
from console.connection.settings import ConnectionSettings, read_settings
from console.gaps.actions import note_gap
from console.missions.leasing import mission_of
from console.packages.keeper import TokenPackages
from console.policy import over_shared
from console.projects.scopes import MissionBase, Reading, reading_of
from console.tokens.models import AgentToken, ToolCall
from console.tokens.queries import token_of
from console.tokens.rate import Turn, take_turn
from knowledge.callers import CallRecord
from knowledge.failures import Failed, Failure
from knowledge.provider import KnowledgeProvider
from knowledge.scope import KnowledgeScope, Unresolved
from knowledge.tools import Limits
from knowledge.tools.seat import Unanswered
from knowledge.vocabulary import Band, Support

log = structlog.get_logger("console.tokens")


def limits_of(settings: ConnectionSettings) -> Limits:
    return Limits(settings.top_k, settings.max_context_chars, settings.tokenizer)


def caller_of(secret: str) -> "TokenCaller | None":
    """The caller of this secret for one call; an unknown, ended or revoked token is the same as none."""
    token = token_of(secret)
    return TokenCaller(token) if token is not None else None


class TokenCaller:
    """Made anew for every call, so that a revocation, a new binding or a changed setting holds from the next one."""

    def __init__(self, token: AgentToken) -> None:
        self.token = token
        self._turn = Turn()
        self._mission = ""

    @property
    def scope(self) -> KnowledgeScope | Unresolved:
        """Looked up at every use: what a binding says now may be read, less while a mission is worked on."""
        reading = self._reading
        return reading.scope if isinstance(reading, Reading) else reading

    @property
    def _reading(self) -> Reading | Unresolved:
        """A mission that was worked on at any moment of the call is the one the call is recorded for."""
        mission = mission_of(self.token)
        self._mission = mission.key if mission is not None else self._mission
        held = MissionBase(mission.base_id, Band.read(mission.band)) if mission is not None else None
        return reading_of(self.token.project, ceiling=Band.read(self.token.band), mission=held)

    @property
    def permissions(self) -> frozenset[str]:
        """Those of the token; over a base that others share, reading alone."""
        reading, granted = self._reading, frozenset(self.token.granted)
        shared = isinstance(reading, Reading) and reading.is_shared
        return frozenset(permission.value for permission in (over_shared(granted) if shared else granted))

    @property
    def min_support(self) -> Support:
        """A floor this build does not know lets direct facts through alone."""
        floor = Support.read(self.token.min_support)
        return Support.DIRECT_FACT if floor is Support.UNKNOWN else floor

    @cached_property
    def settings(self) -> ConnectionSettings:
        return read_settings()

    @cached_property
    def provider(self) -> KnowledgeProvider:
        return reading_provider(self.settings)

    @property
    def limits(self) -> Limits:
        return limits_of(self.settings)

    @cached_property
    def packages(self) -> TokenPackages:
        return TokenPackages(self.token, lambda: self.scope, lambda: self.provider)

    @cached_property
    def work(self) -> TokenWork:
        return TokenWork(self.token, lambda: self.scope)

    def note_gap(self, gap: Unanswered) -> None:
        scope = self.scope
        if not isinstance(scope, Unresolved):
            note_gap(token=self.token, scope=scope, gap=gap)

    def wait_seconds(self) -> int:
        self._turn = take_turn(self.token)
        return self._turn.wait_seconds

    def record(self, call: CallRecord) -> None:
        """Into the ledger; and the engine hears which statements were handed out, so that they weigh in Review.

        Of the calls beyond the rate the first of a minute is written, the others are counted.
        """
        if call.failure is Failure.RATE_LIMITED and not self._turn.is_told:
            return
        row = ToolCall.objects.create(
            token=self.token,
            tool=call.tool,
            query_digest=call.query_digest,
            served_ids=list(call.served_ids),
            failure=call.failure.value if call.failure else "",
            abstained=call.abstained,
            elapsed_ms=call.elapsed_ms,
            request_id=call.request_id[:64],
            candidates=call.candidates,
            dropped=call.dropped,
            package=call.package,
            mission=self._mission,
        )
        if call.served_ids:
            self._tell_engine(row)

    def _tell_engine(self, row: ToolCall) -> None:
        scope = self.scope
        if isinstance(scope, Unresolved):
            return
        told = self.provider.note_served(
            scope,
            package_id=row.package or f"call_{uuid.uuid4().hex}",
            agent=str(self.token),
            statement_ids=row.served_ids,
        )
        if isinstance(told, Failed):
            log.warning("tokens.served_not_told", failure=told.failure.value, call=row.pk)
