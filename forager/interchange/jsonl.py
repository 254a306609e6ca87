"""``jsonl``: one file a record kind and a manifest."""

from forager.interchange import packing, records
from forager.interchange.packing import Made
from forager.model.models import KnowledgeBase

FORMAT_VERSION = 1


def made(base: KnowledgeBase) -> Made:
    files = {f"{kind}.jsonl": packing.lines(records.rows(base, kind, logical=False)) for kind in records.kinds()}
    counts = {name.removesuffix(".jsonl"): content.count(b"\n") for name, content in files.items()}
    manifest = {
        "format": "jsonl",
        "format_version": FORMAT_VERSION,
        "project": {"id": base.pk, "name": base.name},
        "view_id": base.view_id,
        "counts": counts,
        "files": packing.digests(files),
    }
    return Made({**files, "manifest.json": packing.document(manifest)}, counts)


def logical_lines(base: KnowledgeBase) -> bytes:
    """Everything of a base that two runs over the same documents must agree on, as one stream."""
    return b"".join(
        b"# " + kind.encode() + b"\n" + packing.lines(records.rows(base, kind, logical=True))
        for kind in sorted(records.kinds())
    )
