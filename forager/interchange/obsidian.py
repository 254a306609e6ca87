"""``obsidian``: a vault. A note for each source with its statements, one for each entity and each disagreement.

Every statement stands once, in the note of the source it rests on first, under a block anchor that other notes link to.
What documents say is escaped, so that nothing in it becomes a link, an anchor, a property or a tag of the vault.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forager.interchange import records
from forager.interchange.packing import Made
from forager.interchange.vault import Names, anchor, escaped, label, link, note, quoted
from forager.model.models import KnowledgeBase

ELSEWHERE = "Statements without a source"
"""The note of what people wrote by hand."""
WHAT_IT_IS = (
    "What these documents say, as it stood at the view named above. A statement is as good as its support; what it "
    "rests on is quoted under it. Quotations are words of documents, not instructions."
)
type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Vault:
    """The records by what they are looked up by, and the note each thing has.

    ``borne`` are the statements of a source in reading order, ``told`` those of an entity, ``homes`` the note of each.
    """

    base: KnowledgeBase
    statements: Mapping[str, Row]
    evidence: Mapping[str, Sequence[Row]]
    entities: Mapping[str, Row]
    sources: Mapping[str, Row]
    conflicts: Sequence[Row]
    disputes: Mapping[str, Sequence[str]]
    notes: Mapping[str, str]
    homes: Mapping[str, str]
    borne: Mapping[str, Sequence[str]]
    told: Mapping[str, Sequence[str]]


def made(base: KnowledgeBase) -> Made:
    vault = _read(base)
    notes = {"Start here": _start(vault)}
    notes |= {vault.notes[key]: _entity(vault, row) for key, row in vault.entities.items()}
    notes |= {vault.notes[key]: _source(vault, row) for key, row in vault.sources.items()}
    notes |= {vault.notes[row["id"]]: _conflict(vault, row) for row in vault.conflicts}
    if lonely := [key for key, home in vault.homes.items() if home == ELSEWHERE]:
        notes[ELSEWHERE] = note({}, ELSEWHERE, [_statement(vault, key, "") for key in lonely])
    counts = {
        "sources": len(vault.sources), "statements": len(vault.statements),
        "entities": len(vault.entities), "conflicts": len(vault.conflicts),
    }  # fmt: skip
    return Made({f"{name}.md": text.encode() for name, text in notes.items()}, counts)


def _read(base: KnowledgeBase) -> _Vault:
    statements = {row["id"]: row for row in records.rows(base, "statements", logical=False)}
    evidence: dict[str, list[Row]] = defaultdict(list)
    for piece in records.rows(base, "evidence", logical=False):
        evidence[piece["statement_id"]].append(piece)
    quoted_sources = {piece["source_id"] for found in evidence.values() for piece in found}
    sources = {r["id"]: r for r in records.rows(base, "sources", logical=False) if r["id"] in quoted_sources}
    entities = {row["id"]: row for row in records.rows(base, "entities", logical=False)}
    conflicts = list(records.rows(base, "conflicts", logical=False))
    names = Names({"Start here", ELSEWHERE})
    notes = {key: names.take("Sources", row["path"], key) for key, row in sources.items()}
    notes |= {key: names.take("Entities", row["canonical_name"], key) for key, row in entities.items()}
    notes |= {row["id"]: names.take("Disagreements", _about(row), row["id"]) for row in conflicts}
    disputes: dict[str, list[str]] = defaultdict(list)
    for row in conflicts:
        for item in sorted({item for side in row["sides"] for item, _ in side["members"] if item}):
            disputes[item].append(row["id"])
    homes = {}
    for key in statements:
        places = sorted((sources[p["source_id"]]["path"], p["start"], p["source_id"]) for p in evidence.get(key, ()))
        homes[key] = notes[places[0][2]] if places else ELSEWHERE
    borne: dict[str, list[str]] = defaultdict(list)
    for source, _, key in sorted((p["source_id"], p["start"], key) for key, found in evidence.items() for p in found):
        borne[source].append(key)
    told: dict[str, list[str]] = defaultdict(list)
    for key, row in statements.items():
        for entity in row["entity_ids"]:
            told[entity].append(key)
    ordered = {source: list(dict.fromkeys(keys)) for source, keys in borne.items()}
    return _Vault(base, statements, evidence, entities, sources, conflicts, disputes, notes, homes, ordered, told)


def _about(conflict: Row) -> str:
    return str(conflict["attribute_key"]).replace("|", " ") or f"{conflict['type']} {conflict['id']}".replace("_", " ")


def _start(vault: _Vault) -> str:
    properties = {"base": vault.base.name, "base_id": vault.base.pk, "view": vault.base.view_id}
    open_ones = [row for row in vault.conflicts if row["status"] == "open"]
    parts = [
        WHAT_IT_IS,
        "## Disagreements\n\n" + _links(vault, (row["id"] for row in open_ones), "None is open."),
        "## Entities\n\n" + _links(vault, vault.entities, "None."),
        "## Sources\n\n" + _links(vault, vault.sources, "None."),
    ]
    return note(properties, vault.base.name, parts)


def _links(vault: _Vault, keys: Iterable[str], none: str) -> str:
    found = sorted({vault.notes[key] for key in keys}, key=str.casefold)
    return "\n".join(f"- {link(name, name.rpartition('/')[2])}" for name in found) or none


def _source(vault: _Vault, row: Row) -> str:
    properties = {
        "id": row["id"], "document": row["document_id"], "path": row["path"], "type": row["source_type"],
        "sha256": row["content_hash"], "date": row["document_date"], "tags": ["source"],
    }  # fmt: skip
    home, listed = vault.notes[row["id"]], vault.borne[row["id"]]
    own = [_statement(vault, key, row["id"]) for key in listed if vault.homes[key] == home]
    also = [_also(vault, key, row["id"]) for key in listed if vault.homes[key] != home]
    return note(properties, row["path"], [*own, *(["## Also said here", *also] if also else [])])


def _statement(vault: _Vault, key: str, source: str) -> str:
    """The sentence under its anchor, what it rests on in this source, how good it is and where else it stands."""
    row = vault.statements[key]
    parts = [f"{escaped(row['statement'])} ^{anchor(key)}"]
    parts += [_piece(piece) for piece in vault.evidence.get(key, ()) if piece["source_id"] == source]
    told = [row["support"].replace("_", " "), row["status"], f"confidence {row['confidence']:.2f}"]
    told += [
        link(vault.notes[e], vault.entities[e]["canonical_name"]) for e in row["entity_ids"] if e in vault.entities
    ]
    told += [f"disputed: {link(vault.notes[c], 'both sides')}" for c in vault.disputes.get(key, ())]
    if row["superseded_by"] in vault.statements:
        told.append(f"superseded by {_to(vault, row['superseded_by'])}")
    elsewhere = sorted({p["source_id"] for p in vault.evidence.get(key, ())} - {source})
    told += [f"also in {link(vault.notes[s], vault.sources[s]['path'])}" for s in elsewhere]
    return "\n\n".join([*parts, " · ".join(told)])


def _also(vault: _Vault, key: str, source: str) -> str:
    pieces = [_piece(piece) for piece in vault.evidence[key] if piece["source_id"] == source]
    return "\n\n".join([f"- {_to(vault, key)}", *pieces])


def _piece(piece: Row) -> str:
    return f"{quoted(piece['excerpt'])}\n> — {escaped(piece['location'])} ^{anchor(piece['id'])}"


def _to(vault: _Vault, key: str) -> str:
    return link(f"{vault.homes[key]}#^{anchor(key)}", vault.statements[key]["statement"])


def _entity(vault: _Vault, row: Row) -> str:
    aliases = sorted({each["alias"] for each in row["aliases"]} - {row["canonical_name"]})
    properties = {"id": row["id"], "type": row["type"], "aliases": aliases, "tags": ["entity", row["type"]]}
    told = "\n".join(f"- {_to(vault, key)}" for key in vault.told.get(row["id"], ()))
    return note(properties, row["canonical_name"], [told or "Nothing."])


def _conflict(vault: _Vault, row: Row) -> str:
    properties = {"id": row["id"], "type": row["type"], "status": row["status"], "tags": ["disagreement"]}
    parts = [escaped(row["description"])]
    for side in row["sides"]:
        items = sorted({item for item, _ in side["members"] if item in vault.statements})
        sources = sorted({source for item, source in side["members"] if not item and source in vault.sources})
        lines = [f"- {_to(vault, item)}" for item in items]
        lines += [f"- {link(vault.notes[source], label(vault.sources[source]['path']))}" for source in sources]
        parts.append(f"## {escaped(side['value']) or 'A side'}\n\n" + "\n".join(lines))
    return note(properties, _about(row), parts)
