"""The reader's process: ``python -m forager.reading.child FD``.

It loads the parsers once and stays idle; for each socket it is handed over ``FD`` it forks a reader that is confined
before it reads anything. A reader that dies takes nothing with it, and the next one is there in milliseconds.
"""

import hashlib
import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from forager.extraction import lexicon, statements
from forager.parsing.document import Document, UnreadableDocumentError
from forager.parsing.registry import parse
from forager.reading import limits, messages, orders
from forager.reading.copies import plain_hash
from forager.reading.messages import Parsed, Refusal, Request, Understood

TOO_BIG = Refusal(
    "too_much_memory",
    "Reading this takes more memory than one document may have.",
    "Split it into smaller documents.",
    harmful=True,
)
TOO_MUCH_SAID = Refusal(
    "too_much_output", "This gives more text than one document may hold.", "Split it into smaller documents."
)


def main(descriptor: int) -> None:
    """Forks a reader for each socket handed over, until the worker closes its end."""
    limits.die_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a worker that was asked to stop finishes its document first
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    warm_up()
    control = socket.socket(fileno=descriptor)
    while True:
        message, handed, _flags, _address = socket.recv_fds(control, 1, 1)
        if not message:
            return
        for each in handed:
            if os.fork() == 0:
                control.close()
                _serve_and_end(each)
            os.close(each)


def warm_up() -> None:
    """What is loaded before the fork is there for every reader."""
    document = parse(b"# Plan\n\nThe budget of Kite is 100 EUR on 3 March 2026.\n", "plan.md")
    statements.read(document, "plan.md")


def _serve_and_end(descriptor: int) -> None:
    code = 1
    try:
        limits.die_with_parent()
        limits.confine()
        with socket.socket(fileno=descriptor) as link:
            serve(link)
        code = 0
    except (OSError, messages.ReaderEnded):
        code = 0
    finally:
        os._exit(code)


def serve(link: socket.socket) -> None:
    """Answers requests until the other side goes."""
    messages.send(link, str(os.getpid()).encode())
    while True:
        request = messages.read_as(messages.REQUEST, messages.receive(link, messages.JSON_BYTES))
        document = _parse(link, request) if request.document is None else request.document
        if document is not None:
            _say(link, _understand(document, request))


def _parse(link: socket.socket, request: Request) -> Document | None:
    """Tells what the file is and holds; None when there is nothing to understand."""
    try:
        document = parse(_bytes(request), request.name)
    except UnreadableDocumentError as error:
        _say(link, Parsed(None, "", (), Refusal(error.code, error.message, error.next_action)))
        return None
    except Exception as error:  # noqa: BLE001 - whatever a parser trips over is told, and concerns this document alone
        _say(link, Parsed(None, "", (), _refusal_of(error)))
        return None
    bare = replace(document, children=(), warnings=(*document.warnings, *orders.warning(document)))
    told = _say(link, Parsed(bare, plain_hash(document), tuple(c.name for c in document.children)))
    if not told:
        return None
    for child in document.children:
        messages.send(link, child.unfold())
    return bare


def _bytes(request: Request) -> bytes:
    try:
        content = Path(request.blob).read_bytes()
    except FileNotFoundError as error:
        raise UnreadableDocumentError("bytes_missing", "The stored bytes are gone.", "Load the file again.") from error
    if hashlib.sha256(content).hexdigest() != request.sha256:
        raise UnreadableDocumentError("bytes_changed", "The stored bytes were changed.", "Load the file again.")
    return content


def _understand(document: Document, request: Request) -> Understood:
    try:
        with lexicon.using(request.vocabulary):
            return Understood(statements.read(document, request.path))
    except Exception as error:  # noqa: BLE001 - as above
        return Understood((), _refusal_of(error))


def _refusal_of(error: Exception) -> Refusal:
    if isinstance(error, MemoryError):
        return TOO_BIG
    frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
    told = {"event": "reading_failed", "kind": type(error).__name__, "at": frames[-6:]}
    sys.stderr.write(json.dumps(told) + "\n")  # places, never words of the document
    message = f"The engine failed on this document: {type(error).__name__}. The others are read."
    return Refusal("failed_inside", message, "Tell who keeps the engine; its log says where.", harmful=True)


def _say(link: socket.socket, what: Parsed | Understood) -> bool:
    """False when it was more than may be said, and that was said instead."""
    body = _json(what)
    fits = body is not None and len(body) <= messages.JSON_BYTES
    if not fits or body is None:
        refusal = TOO_BIG if body is None else TOO_MUCH_SAID
        body = _json(Parsed(None, "", (), refusal) if isinstance(what, Parsed) else Understood((), refusal)) or b""
    messages.send(link, body)
    return fits


def _json(what: Parsed | Understood) -> bytes | None:
    try:
        return messages.PARSED.dump_json(what) if isinstance(what, Parsed) else messages.UNDERSTOOD.dump_json(what)
    except MemoryError:
        return None


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))
