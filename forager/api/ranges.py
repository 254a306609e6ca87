"""A stored file as a download that can be taken up again where it broke off (one byte range, RFC 9110)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from django.http import FileResponse, HttpRequest

from forager.api.errors import RangeNotSatisfiable

ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
STEP = 1 << 16


def download(request: HttpRequest, path: Path, *, name: str, media_type: str, sha256: str) -> FileResponse:
    """The whole file, or the one range asked for; several ranges at once are answered with the whole file."""
    file = path.open("rb")
    response = FileResponse(file, as_attachment=True, filename=name, content_type=media_type)
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["ETag"] = f'"{sha256}"'
    size = path.stat().st_size
    try:
        asked = _asked(request, size, response.headers["ETag"])
    except RangeNotSatisfiable:
        file.close()  # not the answer: that would tell everyone the request is over
        raise
    if asked is not None:
        start, end = asked
        response.streaming_content = _part(file, start, end)
        response.status_code = 206
        response.headers["Content-Length"] = str(end - start)
        response.headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    return response


def _asked(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """Start and end of the range, end exclusive; None when the whole file is to be sent."""
    found = ONE_RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = found.groups()
    if not first and not last:
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if first and last and int(last) < start:
        return None
    if start >= size:
        raise RangeNotSatisfiable
    return start, end


def _part(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    left = end - start
    while left and (piece := file.read(min(STEP, left))):
        left -= len(piece)
        yield piece
