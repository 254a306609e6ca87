"""The log: one JSON object a line on stderr, with places of failures and never the values of variables.

A trace with values would carry documents, excerpts and tokens into the log.
"""

import logging
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

import structlog


class Unfailing:
    """A line that cannot be written is lost: a full disk under the log must not end the engine."""

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(message + "\n")
            sys.stderr.flush()

    log = debug = info = warn = warning = msg
    fatal = failure = err = error = critical = exception = msg


def without_messages(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Of an exception its kind and its places: what it says may quote a document."""
    for each in event.get("exception") or ():
        if isinstance(each, dict):
            each.pop("exc_value", None)
            each.pop("exc_notes", None)
    return event


def configure() -> None:
    logging.getLogger("django.request").setLevel(
        logging.CRITICAL
    )  # each request has its line; this one tells addresses
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
            without_messages,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=lambda *_names: Unfailing(),
        cache_logger_on_first_use=True,
    )
