"""Files that leave the console: streamed, always as an attachment, never sniffed, never run."""

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from knowledge.provider import Download


def streamed(download: Download) -> StreamingHttpResponse:
    """The engine's stream as a download. The media type is not passed on: a document is bytes to us."""
    response = StreamingHttpResponse(download.chunks, content_type="application/octet-stream")
    response.headers["Content-Disposition"] = content_disposition_header(True, download.name) or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    if download.size_bytes is not None:
        response.headers["Content-Length"] = str(download.size_bytes)
    return response
