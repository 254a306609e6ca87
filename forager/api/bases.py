"""Knowledge bases (the wire calls them projects)."""

from forager.api import shapes
from forager.api.access import Scope, own
from forager.api.endpoint import Call, endpoint
from forager.api.errors import Conflicting, Forbidden
from forager.api.paging import paginate
from forager.api.times import rfc3339, rfc3339_or_none
from forager.model.models import KnowledgeBase
from forager.pipeline import registration


@endpoint("GET", "/projects", Scope.READ, query=shapes.ListQuery, answer=shapes.Page)
def list_projects(call: Call[shapes.ListQuery, None]) -> shapes.Page:
    """The knowledge bases the token may touch."""
    rows = KnowledgeBase.objects.all()
    if call.caller.base_ids is not None:
        rows = rows.filter(pk__in=call.caller.base_ids)
    return paginate(
        rows,
        ("created_at", "id"),
        lambda found: [shape(b) for b in found],
        cursor=call.query.get("cursor", ""),
        page_size=call.query.get("page_size", 50),
    )


@endpoint(
    "POST", "/projects", Scope.MANAGE_BASES, body=shapes.NewProject, answer=shapes.Project, status=201, errors=(409,)
)
def create_project(call: Call[None, shapes.NewProject]) -> shapes.Project:
    """Makes a knowledge base. A namespace may be set by the operator key alone; else it is random."""
    namespace = call.body.get("namespace")
    if namespace is not None and Scope.ADMIN not in call.caller.scopes:
        raise Forbidden("Only the operator key may set a namespace.")
    try:
        base = registration.create_base(
            call.body["name"], description=call.body.get("description", ""), namespace=namespace or ""
        )
    except registration.NamespaceTakenError as error:
        raise Conflicting("Another knowledge base has this namespace. Choose one of your own.") from error
    own(call.caller, base.pk)
    return shape(base)


@endpoint("GET", "/projects/<base>", Scope.READ, answer=shapes.Project)
def get_project(call: Call[None, None], base: str) -> shapes.Project:
    """One knowledge base with its counters."""
    return shape(call.base(base))


@endpoint("PATCH", "/projects/<base>", Scope.MANAGE_BASES, body=shapes.ProjectPatch, answer=shapes.Project)
def edit_project(call: Call[None, shapes.ProjectPatch], base: str) -> shapes.Project:
    """Renames or describes a knowledge base, or asks two people for each ruling (`second_look`)."""
    row = call.base(base)
    KnowledgeBase.objects.filter(pk=row.pk).update(**call.body)
    row.refresh_from_db()
    return shape(row)


@endpoint("DELETE", "/projects/<base>", Scope.MANAGE_BASES, answer=shapes.Project)
def archive_project(call: Call[None, None], base: str) -> shapes.Project:
    """Archives a knowledge base; nothing is deleted."""
    return _set_state(call.base(base), "archived")


@endpoint("POST", "/projects/<base>/restore", Scope.MANAGE_BASES, answer=shapes.Project)
def restore_project(call: Call[None, None], base: str) -> shapes.Project:
    """Takes a knowledge base out of the archive."""
    return _set_state(call.base(base), "active")


def _set_state(base: KnowledgeBase, state: str) -> shapes.Project:
    base.state = state
    base.save(update_fields=["state"])
    return shape(base)


def shape(base: KnowledgeBase) -> shapes.Project:
    last = base.last_detector_pass
    return {
        "id": base.pk,
        "name": base.name,
        "description": base.description,
        "state": base.state,
        "source_count": base.source_count,
        "knowledge_count": base.knowledge_count,
        "entity_count": base.entity_count,
        "open_conflict_count": base.open_conflict_count,
        "current_revision": base.current_revision,
        "last_published_at": rfc3339_or_none(base.last_published_at),
        "last_detector_pass": {
            "at": last.get("at"),
            "pairs": last.get("pairs", 0),
            "skipped": last.get("skipped", 0),
            "reasons": last.get("reasons", {}),
        },
        "created_at": rfc3339(base.created_at),
        "view_id": base.view_id,
    }
