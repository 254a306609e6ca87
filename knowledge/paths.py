"""The workspace fence: which paths an operator may hand to the engine.

Containment is decided on the real path, after every link is followed, and again for each file of a folder.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.failures import Failed, Failure, Ok, Outcome

BLOCKED_WORDS = (
    ".ssh .gnupg .aws .azure .kube .docker .git .svn .hg .config .netrc .pgpass .env .npmrc .pypirc .bash_history "
    ".zsh_history .vault-token id_rsa id_ed25519 id_ecdsa id_dsa known_hosts authorized_keys shadow credentials "
    "node_modules __pycache__"
)
BLOCKED_NAMES = frozenset(BLOCKED_WORDS.split())
BLOCKED_SUFFIXES = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".sqlite3", ".sqlite3-wal")
FILE_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path below the folder that is not handed on; ``path`` is relative to it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gathered:
    files: tuple[Path, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Workspace:
    """``root`` is the folder; ``roots`` inside it are what may be read. Without roots nothing may."""

    root: Path
    roots: tuple[Path, ...] = field(default=())

    def resolve(self, wanted: str) -> Outcome[Path]:
        """The real path of ``wanted`` (absolute, or relative to the workspace), when it lies inside a root."""
        if not wanted or "\x00" in wanted:
            return Failed(Failure.INVALID, "The path is empty or holds characters that no path has.")
        try:
            real = (self.root / wanted).resolve(strict=True)
        except FileNotFoundError:
            return Failed(Failure.NOT_FOUND, "There is no such path in the workspace.")
        except (OSError, RuntimeError, ValueError):
            return Failed(Failure.INVALID, "The path cannot be followed.")
        reason = self._objection(real)
        return Failed(Failure.FORBIDDEN, reason) if reason else Ok(real)

    def gather(self, folder: Path) -> Gathered:
        """Every file below ``folder`` in a stable order, each checked by itself; what is left out is named."""
        files: list[Path] = []
        skipped: list[Skipped] = []
        for path, reason in self._below(folder):
            if reason:
                skipped.append(Skipped(path.relative_to(folder).as_posix(), reason))
            elif len(files) >= FILE_LIMIT:
                skipped.append(Skipped(path.relative_to(folder).as_posix(), f"more than {FILE_LIMIT} files"))
                break
            else:
                files.append(path)
        return Gathered(tuple(files), tuple(skipped))

    def _below(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Files and the folders that are left out, with the reason ("" for a file that may go on)."""
        unreadable: list[Path] = []
        for current, names, files in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename))):
            names.sort()
            for name in [name for name in names if is_blocked(name) or (Path(current) / name).is_symlink()]:
                names.remove(name)
                yield Path(current) / name, "a link or a blocked name"
            for name in sorted(files):
                yield Path(current) / name, self._file_objection(Path(current) / name)
        for path in unreadable:
            yield path, "it cannot be read"

    def _file_objection(self, path: Path) -> str:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return "it cannot be followed"
        return self._objection(real) or ("" if real.is_file() else "it is no regular file")

    def _objection(self, real: Path) -> str:
        roots = [root for root in self.roots if _is_inside(root, self.root)]
        if not any(_is_inside(real, root) for root in roots):
            return "The path lies outside the folders that may be imported."
        inside = real.relative_to(self.root.resolve())
        return "The path has a name that is never imported." if any(map(is_blocked, inside.parts)) else ""


def is_blocked(name: str) -> bool:
    """Names of secrets, version stores and machine state, in any case."""
    lowered = name.lower()
    return lowered in BLOCKED_NAMES or lowered.startswith(".env.") or lowered.endswith(BLOCKED_SUFFIXES)


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())
