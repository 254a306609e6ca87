"""Gathers what carries a statement, and writes it as a zip with the same bytes for the same knowledge.

``manifest.json`` names every file with its SHA-256; ``check.py`` inside checks all of it without us.
"""

import dataclasses
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

from knowledge.context.provenance import usable_evidence
from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.provider import KnowledgeProvider, Reference
from knowledge.records import Statement
from knowledge.reviewing import Grounds
from knowledge.scope import KnowledgeScope

FORMAT, VERSION = "anthill-proof", 1
CHECKER = "check.py"
EPOCH = (1980, 1, 1, 0, 0, 0)
READ_ME = """What a knowledge base says, and what carries it.

statement.json   the statement with its excerpts, their places and digests
texts/           the stored text of each source an excerpt stands in
trail.json       earlier versions, disagreements and rulings
manifest.json    every file here with its SHA-256
check.py         checks all of it: python check.py

The digests detect a change. They are no signature: whoever can replace a file can replace the manifest, so keep the
manifest's own digest (manifest.sha256) where you got it from.
"""


@dataclass(frozen=True, slots=True)
class ProofFile:
    """``digest`` is the SHA-256 of the manifest inside, which stands for all of it."""

    name: str
    content: bytes
    digest: str


def proof_of(provider: KnowledgeProvider, scope: KnowledgeScope, statement_id: str) -> Outcome[ProofFile]:
    """The bundle of a statement that stands now; one whose evidence changed meanwhile gives a ``conflict`` failure."""
    found = provider.grounds(scope, statement_id)
    if isinstance(found, Failed):
        return found
    statement = found.value.statement
    evidence = usable_evidence(statement)
    texts = _texts(provider, scope, {piece.source_id for piece in evidence}, found.value)
    if isinstance(texts, Failed):
        return texts
    held = provider.check_references(scope, [Reference(statement.id, piece.id) for piece in evidence])
    if isinstance(held, Failed):
        return held
    if not all(each.is_ok for each in held.value.items):
        return Failed(Failure.CONFLICT, "The evidence of this statement changed while it was gathered. Ask again.")
    told = {
        "statement.json": _json({**_plain(statement), "evidence": [_plain(piece) for piece in evidence]}),
        "trail.json": _json(_trail(found.value)),
        "README.txt": READ_ME.encode(),
        **texts.value,
    }
    return Ok(_packed(scope, statement, told))


def _texts(
    provider: KnowledgeProvider, scope: KnowledgeScope, source_ids: set[str], found: Grounds
) -> Outcome[dict[str, bytes]]:
    """The stored texts by file name; those that did not come along are asked for one by one."""
    told = {each.source_id: each for each in found.texts}
    texts: dict[str, bytes] = {}
    for source_id in sorted(source_ids):
        text = Ok(told[source_id]) if source_id in told else provider.source_text(scope, source_id)
        if isinstance(text, Failed):
            return text
        texts[f"texts/{source_id}.txt"] = text.value.text.encode("utf-8", "surrogatepass")
    return Ok(texts)


def _trail(found: Grounds) -> dict[str, Any]:
    disputes = [
        {"conflict": _plain(each.conflict), "rulings": [_plain(event) for event in each.rulings]}
        for each in found.disputes
    ]
    return {"versions": [_plain(version) for version in found.versions], "disputes": disputes}


def _packed(scope: KnowledgeScope, statement: Statement, told: Mapping[str, bytes]) -> ProofFile:
    manifest = _json(
        {
            "format": FORMAT,
            "version": VERSION,
            "project": scope.slug,
            "statement_id": statement.id,
            "files": {name: hashlib.sha256(content).hexdigest() for name, content in told.items()},
        }
    )
    digest = hashlib.sha256(manifest).hexdigest()
    checker = files("knowledge.proof").joinpath("checker.py").read_bytes()
    whole = {
        **told,
        "manifest.json": manifest,
        "manifest.sha256": f"{digest}  manifest.json\n".encode(),
        CHECKER: checker,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(whole):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), whole[name])
    return ProofFile(f"proof-{statement.id}.zip", out.getvalue(), digest)


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value)


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, default=_worded)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _worded(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a proof")
