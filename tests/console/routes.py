"""Every route of the URL map with arguments that name real and foreign objects."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, get_resolver, reverse

from console.policy import Access

OBJECTS = {
    "source_id": "src_mail",
    "job_id": "job_7c1e40",
    "statement_id": "ki_10",
    "entity_id": "ent_falcon",
    "conflict_id": "cf_date",
    "export_id": "exp_0",
    "import_id": "imp_0",
    "candidate_id": "mc_smith",
    "rest": "no/such/tool",
    "backup_key": "bkp_" + "0" * 32,
    "package": "pkg_" + "0" * 32,
    "package_key": "pkg_" + "0" * 32,
    "mission_key": "msn_" + "0" * 32,
    "proposal_key": "prp_" + "0" * 32,
}


@dataclass(frozen=True)
class Route:
    name: str
    arguments: tuple[str, ...]
    asks: dict[str, Access | None]

    def url(self, *, project: str, slug: str = "", pk: int = 0, objects: dict[str, str] | None = None) -> str:
        values = {**OBJECTS, **(objects or {}), "project": project, "slug": slug or project, "pk": str(pk)}
        return reverse(self.name, kwargs={name: values[name] for name in self.arguments})


def routes() -> Iterator[Route]:
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        name = pattern.name or ""
        yield Route(name, tuple(pattern.pattern.converters), dict(getattr(pattern.callback, "asks", {})))
