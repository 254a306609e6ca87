"""The console's own secret key: made once, kept in the data folder, readable by its owner alone."""

import contextlib
import os
import secrets
from pathlib import Path


def secret_file(path: Path, *, length: int = 64) -> str:
    """The secret in ``path``, made there with mode 0600 when it is missing. Safe when two processes start at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(length))
    return path.read_text("utf-8").strip()
