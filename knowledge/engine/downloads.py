"""Files the engine sends: passed on as they stream in, never held whole."""

import re
from collections.abc import Iterator
from email.message import Message

import httpx2

from knowledge.engine.client import Call, EngineAccess, EngineClient
from knowledge.failures import Failed, Ok, Outcome
from knowledge.provider import Download

CHUNK = 64 * 1024


def open_download(client: EngineClient, access: EngineAccess, call: Call) -> Outcome[Download]:
    """The name and type are the engine's words; whoever serves them on decides what headers they get."""
    outcome = client.download(access, call)
    if isinstance(outcome, Failed):
        return outcome
    response = outcome.value
    size = response.headers.get("Content-Length", "")
    return Ok(
        Download(
            name=_file_name(response.headers.get("Content-Disposition", "")),
            media_type=response.headers.get("Content-Type", "application/octet-stream")[:200],
            size_bytes=int(size) if size.isascii() and size.isdigit() and len(size) < 16 else None,
            chunks=_Chunks(response),
        )
    )


class _Chunks(Iterator[bytes]):
    """Closes the connection at the end, when told to, and when nobody holds it any more."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self._parts = response.iter_bytes(CHUNK)

    def __next__(self) -> bytes:
        try:
            return next(self._parts)
        except (StopIteration, httpx2.HTTPError, httpx2.StreamError):
            self.close()
            raise

    def close(self) -> None:
        self._response.close()

    def __del__(self) -> None:
        self.close()


def _file_name(disposition: str) -> str:
    """A bare file name without folders or control characters."""
    message = Message()
    message["Content-Disposition"] = disposition.replace("\r", " ").replace("\n", " ") or "attachment"
    name = message.get_filename() or "download"
    return re.sub(r"[\x00-\x1f\x7f]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[:200] or "download"
