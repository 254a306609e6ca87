"""Checks the folder this file lies in: ``python check.py``. Needs Python 3.9 or newer and nothing else.

Every file has the digest that manifest.json names, every excerpt stands in its text where it says and has its own
digest, and every reference leads somewhere. Prints what is wrong, one line each; exit 0 when nothing is, else 1.
What it cannot tell: whether the engine that made this was honest. A digest detects a change; it is no signature.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path


def problems(folder: Path) -> "list[str]":
    """Every fault found, in words, in a fixed order."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return ["manifest.json cannot be read: " + type(error).__name__]
    if manifest.get("format") != "anthill-proof" or manifest.get("version") != 1:
        return ["manifest.json: this checker knows anthill-proof version 1 alone"]
    found = list(_files(folder, manifest["files"]))
    return found or list(_excerpts(folder))


def _files(folder: Path, listed: "dict[str, str]") -> "Iterator[str]":
    for name, digest in sorted(listed.items()):
        path = folder / name
        if not path.is_file():
            yield name + ": missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield name + ": its bytes are not those the manifest names"
    here = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    for name in sorted(here - set(listed) - {"manifest.json", "manifest.sha256", "check.py"}):
        if "__pycache__" not in name:
            yield name + ": not named by the manifest"


def _excerpts(folder: Path) -> "Iterator[str]":
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    for evidence in statement["evidence"]:
        name = "evidence " + evidence["id"]
        if hashlib.sha256(evidence["excerpt"].encode("utf-8", "surrogatepass")).hexdigest() != evidence["excerpt_hash"]:
            yield name + ": the excerpt does not have its digest"
        text = folder / "texts" / (evidence["source_id"] + ".txt")
        if not text.is_file():
            yield name + ": the text of its source is not here"
            continue
        whole = text.read_bytes().decode("utf-8", "surrogatepass")
        if whole[evidence["start"] : evidence["end"]] != evidence["excerpt"]:
            yield name + ": the excerpt does not stand in its text where it says"
    if not statement["evidence"]:
        yield "statement.json: it rests on no evidence"


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    found = problems(folder)
    for line in found:
        sys.stdout.write("WRONG  " + line + "\n")
    sys.stdout.write("nothing is wrong\n" if not found else str(len(found)) + " wrong\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
