"""Importing a folder of this machine: inside the allowed roots alone, decided on the real path of every file."""

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import transaction

from forager.model import blobs
from forager.model.models import KnowledgeBase
from forager.pipeline import registration

BLOCKED = frozenset(
    (".git", ".hg", ".svn", ".ssh", ".gnupg", ".aws", ".env", ".venv", "venv", "node_modules", "__pycache__", ".cache")
)
MOST_TOLD = 500


class FolderRefused(Exception):
    """The folder may not be read; nothing was registered."""


@dataclass(slots=True)
class Imported:
    """``refused`` holds (path, code, message), at most so many as a person reads; ``refused_count`` counts all."""

    registered: int = 0
    already_there: int = 0
    refused_count: int = 0
    refused: list[tuple[str, str, str]] = field(default_factory=list)

    def refuse(self, path: str, code: str, message: str) -> None:
        self.refused_count += 1
        if len(self.refused) < MOST_TOLD:
            self.refused.append((path, code, message))


def allowed(wanted: str) -> Path:
    """The real path of a folder inside an allowed root, or ``FolderRefused``."""
    roots = [Path(root).resolve() for root in settings.ALLOWED_INPUT_ROOTS]
    if not roots:
        raise FolderRefused("This engine imports no folders: FORAGER_ALLOWED_INPUT_ROOTS is not set.")
    try:
        real = Path(wanted).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise FolderRefused("There is no such folder among the allowed ones.") from error
    if not _inside(real, roots):
        raise FolderRefused("There is no such folder among the allowed ones.")
    return real


def take(base: KnowledgeBase, root: Path, *, recursive: bool = True, fenced: bool = True) -> Imported:
    """Registers every file below ``root`` under its path relative to it. What is left out is named with its reason."""
    fence = [Path(r).resolve() for r in settings.ALLOWED_INPUT_ROOTS] if fenced else []
    done = Imported()
    for path in _files(root, done, recursive=recursive):
        name = unicodedata.normalize("NFC", path.relative_to(root).as_posix() if root.is_dir() else path.name)
        real = path.resolve()
        if (fence and not _inside(real, fence)) or _inside(real, [Path(settings.DATA_DIR).resolve()]):
            done.refuse(name, "outside", "This is a link to a place outside of the allowed folders.")
        elif not real.is_file():
            done.refuse(name, "not_a_file", "This is neither a file nor a folder.")
        else:
            _take_file(base, real, name, done)
    return done


def _take_file(base: KnowledgeBase, real: Path, name: str, done: Imported) -> None:
    try:
        if real.stat().st_size > settings.MAX_FILE_BYTES:
            done.refuse(name, "file_too_large", f"The file is over the limit of {settings.MAX_FILE_BYTES} bytes.")
            return
        with real.open("rb") as file:
            blob = blobs.write(blobs.chunks_of(file))
        with transaction.atomic():
            registered = registration.register(base, name, blob, origin_kind="import")
    except PermissionError:
        done.refuse(name, "unreadable", "The engine may not read this file.")
    except registration.WasDeleted:
        done.refuse(name, "was_deleted", "A document under this path was deleted, and stays so.")
    else:
        done.registered += registered.is_new
        done.already_there += not registered.is_new


def _files(root: Path, done: Imported, *, recursive: bool) -> Iterator[Path]:
    if root.is_file():
        yield root
        return

    def unreadable(error: OSError) -> None:
        where = Path(str(error.filename))
        done.refuse(where.relative_to(root).as_posix(), "unreadable", "The engine may not read this folder.")

    for folder, folders, names in os.walk(root, onerror=unreadable):
        blocked = [name for name in folders if name in BLOCKED]
        for name in blocked:
            done.refuse(
                (Path(folder) / name).relative_to(root).as_posix(), "blocked", "Folders of this name are not read."
            )
        folders[:] = sorted(set(folders) - set(blocked)) if recursive else []
        for name in sorted(names):
            if name not in BLOCKED:
                yield Path(folder) / name


def _inside(path: Path, roots: list[Path]) -> bool:
    return any(path == root or root in path.parents for root in roots)
