"""One way to read the engine: call, look at every row's base and band, then turn JSON into records."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from knowledge.engine.answers import Reply, malformed
from knowledge.engine.client import Call, EngineAccess, EngineClient
from knowledge.engine.fence import Fence, OnAlarm
from knowledge.engine.wire import MalformedWireError, Row, read_page
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.records import Page
from knowledge.scope import KnowledgeScope

ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,199}")


@dataclass(frozen=True, slots=True)
class Reading:
    """``fenced`` calls belong to a scope: their rows are checked, and those by id carry the base along."""

    client: EngineClient
    access: EngineAccess
    on_alarm: OnAlarm

    def value[T](self, call: Call, read: Callable[[object], T]) -> Outcome[T]:
        """An answer that belongs to no base."""
        reply = self.client.call(self.access, call)
        return reply if isinstance(reply, Failed) else read_as(reply.value, read)

    def page[T](self, scope: KnowledgeScope, call: Call, place: str, read: Callable[[Row], T]) -> Outcome[Page[T]]:
        """A list, without the rows that are none of this scope's."""
        reply = self._fenced(scope, call)
        if isinstance(reply, Failed):
            return reply
        fence = self._fence(scope, call, reply.value)
        admitted = replace(reply.value, value=fence.only_admitted(reply.value.value, "items"))
        return read_as(admitted, lambda value: read_page(value, place, read))

    def one[T](self, scope: KnowledgeScope, call: Call, place: str, read: Callable[[Row], T]) -> Outcome[T]:
        """A single row; one of another base or band is *not found*, exactly as an unknown id is."""
        reply = self._fenced(scope, call)
        if isinstance(reply, Failed):
            return reply
        if not self._fence(scope, call, reply.value).admits(reply.value.value):
            return Failed(Failure.NOT_FOUND, "The engine does not know this in the given knowledge base.")
        return read_as(reply.value, lambda value: read(Row(value, place)))

    def listed[T](self, scope: KnowledgeScope, call: Call, read: Callable[[object], T], *names: str) -> Outcome[T]:
        """An answer that holds rows under ``names`` beside other things."""
        reply = self._fenced(scope, call)
        if isinstance(reply, Failed):
            return reply
        admitted, fence = reply.value.value, self._fence(scope, call, reply.value)
        for name in names:
            admitted = fence.only_admitted(admitted, name)
        return read_as(replace(reply.value, value=admitted), read)

    def _fenced(self, scope: KnowledgeScope, call: Call) -> Outcome[Reply]:
        return self.client.call(self.access, replace(call, base_id=scope.base_id))

    def _fence(self, scope: KnowledgeScope, call: Call, reply: Reply) -> Fence:
        return Fence(scope, f"{call.method} {_shape(call.path)}", reply.request_id, self.on_alarm)


def read_as[T](reply: Reply, read: Callable[[object], T]) -> Outcome[T]:
    """Turns the answer into a record, or says which field is wrong; nothing of it is half-used."""
    try:
        return Ok(read(reply.value))
    except MalformedWireError as error:
        return malformed(f"The engine's answer does not have the agreed shape: {error}.", reply.request_id)


def safe_id(value: str) -> Outcome[str]:
    """Ids go into paths; what cannot be an id of the engine is unknown to it without asking."""
    if ID.fullmatch(value):
        return Ok(value)
    return Failed(Failure.NOT_FOUND, "The engine does not know this in the given knowledge base.")


def _shape(path: str) -> str:
    """The path with its ids taken out, for alarms and logs."""
    return "/".join("…" if "_" in part else part for part in path.split("/"))
