"""Packages for the tests: made, changed on the way, handed in and compared."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from forager.interchange import importing, package, writing
from tests.forager.conftest import Api, work

type Files = dict[str, bytes]
BY_CHANCE = {
    *("recorded_at", "registered_at", "last_verified_at", "detected_at", "created_at"),
    *("current_source_id", "view_id", "processing_status"),
}
"""What differs between installations and is no knowledge."""


def made(api: Api, base: str) -> bytes:
    asked = api.post(f"/projects/{base}/exports", {"format": "anthill"}, status=202)
    while writing.write_waiting():
        pass
    content = api.get(f"/exports/{asked['id']}/download")
    assert isinstance(content, bytes)
    return content


def opened(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def changed(content: bytes, name: str, change: Callable[[list[Any]], object]) -> bytes:
    """The package with other records in one file, told of as if they had always been so."""
    files = opened(content)
    rows = [json.loads(line) for line in files[name].splitlines()]
    before = len(rows)
    change(rows)
    files[name] = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    manifest = json.loads(files[package.MANIFEST])
    manifest["files"][name] = {
        "sha256": hashlib.sha256(files[name]).hexdigest(), "bytes": len(files[name]), "records": len(rows)
    }  # fmt: skip
    kind = name.partition("/")[2].removesuffix(".jsonl")
    manifest["counts"][kind] += len(rows) - before
    files[package.MANIFEST] = json.dumps(manifest).encode()
    return packed(files)


def handed_in(api: Api, base: str, content: bytes, status: int = 202) -> Any:
    data = {"package": SimpleUploadedFile("knowledge.zip", content), "actor": "Ida"}
    answer = api._checked(api.client.post(f"/api/projects/{base}/imports", data), status)
    if status == 202:
        worked_off()
        return api.get(f"/imports/{answer['id']}")
    return answer


def taken(api: Api, base: str, content: bytes) -> Any:
    """Handed in, looked through and taken in; answers the import as it ended."""
    ready = handed_in(api, base, content)
    assert ready["status"] == "ready", ready
    api.post(f"/imports/{ready['id']}/apply", {"actor": "Ida"}, status=202)
    worked_off()
    return api.get(f"/imports/{ready['id']}")


def worked_off() -> None:
    busy = True
    while busy:
        busy = importing.work_waiting()
        work()


def logical(content: bytes) -> dict[str, list[str]]:
    """What a package says: records under the ids they were first made with, what is found again by its words."""
    rows: dict[str, list[Any]] = {}
    for name, lines in opened(content).items():
        if name != package.MANIFEST:
            kind = name.partition("/")[2].removesuffix(".jsonl")
            rows.setdefault(kind, []).extend(json.loads(line) for line in lines.splitlines())
    names = {row["record_id"]: row["origin_id"] for row in rows.pop("origins")}
    names |= {row["id"]: f"{row['type']} {row['canonical_name']}" for row in rows["entities"]}
    names |= {row["id"]: row["description"] for row in rows["conflicts"]}
    told = {kind: [_plain(row, names) for row in found] for kind, found in rows.items()}
    return {kind: sorted(json.dumps(row, sort_keys=True) for row in found) for kind, found in told.items()}


def _plain(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part, names) for key, part in value.items() if key not in BY_CHANCE}
    if isinstance(value, list):
        plain = [_plain(part, names) for part in value]
        return sorted(plain, key=json.dumps) if all(isinstance(one, str | list) for one in plain) else plain
    return names.get(value, value) if isinstance(value, str) else value
