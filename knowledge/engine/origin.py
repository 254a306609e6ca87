"""For whose request the engine is called: one id leads from an agent's call to the engine's log."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asking_for: ContextVar[str] = ContextVar("asking_for", default="")


@contextmanager
def asking_for(request_id: str) -> Iterator[None]:
    """Calls made within carry this id where they have none of their own."""
    token = _asking_for.set(request_id)
    try:
        yield
    finally:
        _asking_for.reset(token)


def asked_for() -> str:
    return _asking_for.get()
