"""How bytes become a source: a document for the path, a version for the content. Used by uploads and by parsing."""

import mimetypes
import secrets
from dataclasses import dataclass

from django.db.models import F, Max
from django.utils import timezone

from forager.model.blobs import Blob
from forager.model.ids import random_id, stable_id
from forager.model.models import Document, KnowledgeBase, Source


@dataclass(frozen=True, slots=True)
class Registered:
    """``is_new`` is False when the very same bytes lie under the very same path already."""

    source: Source
    is_new: bool


class NamespaceTakenError(ValueError):
    """Two bases of one namespace would have the same ids for different things."""


def create_base(name: str, *, description: str = "", namespace: str = "") -> KnowledgeBase:
    """A new base; with a given namespace its id, and all ids in it, are the same wherever it is made.

    ``NamespaceTakenError`` where another base of this store has it.
    """
    if namespace and KnowledgeBase.objects.filter(namespace=namespace).exists():
        raise NamespaceTakenError(namespace)
    return KnowledgeBase.objects.create(
        id=stable_id("proj", namespace, name) if namespace else random_id("proj"),
        namespace=namespace or secrets.token_hex(16),
        name=name,
        description=description,
        created_at=timezone.now(),
    )


class WasDeleted(Exception):
    """The document of this path was deleted; a tombstone is not written over."""


def register(
    base: KnowledgeBase,
    path: str,
    blob: Blob,
    *,
    origin_kind: str,
    parent: Source | None = None,
    state: str = "approved",
) -> Registered:
    """Inside a transaction. ``state`` is that of a new document; one that is there keeps its own."""
    KnowledgeBase.locked(base.pk)  # two versions of one path follow each other
    document, _ = Document.objects.get_or_create(
        base=base,
        path=path,
        defaults={"id": stable_id("doc", base.namespace, path), "created_at": timezone.now(), "state": state},
    )
    if document.state == "deleted":
        raise WasDeleted
    known = Source.objects.filter(document=document, content_hash=blob.sha256).first()
    if known is not None:
        return Registered(known, is_new=False)
    last = Source.objects.filter(document=document).aggregate(last=Max("sequence"))["last"] or 0
    source = Source.objects.create(
        id=stable_id("src", base.namespace, path, blob.sha256),
        document=document,
        base=base,
        parent=parent,
        sequence=last + 1,
        original_name=path.rpartition("/")[2][:500],
        path=path,
        media_type=mimetypes.guess_type(path)[0] or "application/octet-stream",
        content_hash=blob.sha256,
        blob=blob.sha256,
        size_bytes=blob.size,
        registered_at=timezone.now(),
        origin_kind=origin_kind,
    )
    KnowledgeBase.objects.filter(pk=base.pk).update(source_count=F("source_count") + 1)
    return Registered(source, is_new=True)


def register_child(parent: Source, named: str, blob: Blob) -> Registered | None:
    """An attachment or archive entry, at ``parent/child``; None when what lay there was deleted."""
    name = named.replace("\\", "/").strip("/") or "unnamed"
    path = f"{parent.path}/{name}"[:1000]
    state = "proposed" if parent.document.state == "proposed" else "approved"
    try:
        return register(parent.base, path, blob, origin_kind="contained", parent=parent, state=state)
    except WasDeleted:
        return None


def twin_of(source: Source) -> Source | None:
    """Another source of the base with the same bytes, the first by path."""
    others = Source.objects.filter(base=source.base_id, content_hash=source.content_hash).exclude(pk=source.pk)
    return others.order_by("path").first()
