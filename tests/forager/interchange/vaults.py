"""Reads a vault as its users' program does: properties, notes, anchors, links. Nothing of the writer is used."""

import io
import re
import zipfile
from dataclasses import dataclass
from typing import Any

import yaml

FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
LINK = re.compile(r"(?<!\\)\[\[([^\[\]|]+)\|([^\[\]|]+)\]\]")
ANY_LINK = re.compile(r"(?<!\\)!?\[\[")
ANCHOR = re.compile(r"(?<!\\) \^([A-Za-z0-9-]+)$", re.MULTILINE)
TAG = re.compile(r"(?<![\\\w#])#[A-Za-z]")
UNFIT = re.compile(r"[\\:*?\"<>|#^\[\]]")


@dataclass(frozen=True, slots=True)
class Note:
    properties: dict[str, Any]
    body: str
    anchors: frozenset[str]
    links: tuple[tuple[str, str], ...]


def read(archive: bytes) -> dict[str, Note]:
    """Notes by their path without its ending."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        assert all(name.endswith(".md") for name in packed.namelist())
        return {name.removesuffix(".md"): _note(packed.read(name).decode()) for name in packed.namelist()}


def faults(vault: dict[str, Note]) -> list[str]:
    """What would be broken for whoever opens it."""
    found = []
    lowered = [name.casefold() for name in vault]
    found += [f"two notes of one name: {name}" for name in vault if lowered.count(name.casefold()) > 1]
    for name, note in vault.items():
        found += (
            [f"{name}: unfit for a file"]
            if UNFIT.search(name) or any(p in ("", ".", "..") for p in name.split("/"))
            else []
        )
        found += [f"{name}: {key} is not flat" for key, value in note.properties.items() if not _is_flat(value)]
        for target, _ in note.links:
            path, _, block = target.partition("#^")
            if path not in vault:
                found.append(f"{name} leads to no note: {target}")
            elif block and block not in vault[path].anchors:
                found.append(f"{name} leads to no block: {target}")
        if len(ANY_LINK.findall(note.body)) != len(note.links):
            found.append(f"{name}: a link of another shape")
        found += [f"{name}: a tag in the text"] if TAG.search(note.body) else []
    return found


def _note(text: str) -> Note:
    front = FRONT.match(text)
    properties = yaml.safe_load(front[1]) if front else {}
    assert isinstance(properties, dict)
    body = text[front.end() :] if front else text
    anchors = ANCHOR.findall(body)
    assert len(anchors) == len(set(anchors)), "an anchor twice in one note"
    return Note(properties, body, frozenset(anchors), tuple(LINK.findall(body)))


def _is_flat(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))
