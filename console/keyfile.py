"""The console's own secret key: made once, kept in the data folder, readable by its owner alone."""

import contextlib
import os
import secrets
from pathlib import Path


def private_folder(path: Path) -> None:
    """The folder, made for its owner alone: documents and databases lie in it. One that is there stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)


def secret_file(path: Path, *, length: int = 64) -> str:
    """The secret in ``path``, made there with mode 0600 when it is missing. Safe when two processes start at once."""
    private_folder(path.parent)
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(length))
    return path.read_text("utf-8").strip()
