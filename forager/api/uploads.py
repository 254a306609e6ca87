"""Uploaded bytes on their way in: the limits hold while they stream, before anything is kept."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from forager.api.errors import FileTooLarge, TooManyFiles


class LimitedUploads(TemporaryFileUploadHandler):
    """Ends a request that is over its limits. Of a file that is over its own, only the size is still taken."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._files = 0
        self._bytes = 0
        self._bytes_of_file = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self._files += 1
        self._bytes_of_file = 0
        if self._files > settings.MAX_FILES:
            raise TooManyFiles(f"At most {settings.MAX_FILES} files fit one request.")
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._bytes += len(raw_data)
        self._bytes_of_file += len(raw_data)
        if self._bytes > settings.MAX_UPLOAD_BYTES:
            raise FileTooLarge(f"At most {settings.MAX_UPLOAD_BYTES} bytes fit one request.")
        if self._bytes_of_file <= settings.MAX_FILE_BYTES:
            super().receive_data_chunk(raw_data, start)
