"""Files out of a base and packages into one, over the engine's HTTP contract."""

from knowledge.engine.calls import EngineCalls, new_key
from knowledge.engine.client import Call
from knowledge.engine.wire_interchange import read_export, read_import
from knowledge.failures import Outcome
from knowledge.provider import Download, UploadFile
from knowledge.records import Export, Import, Page
from knowledge.scope import KnowledgeScope


class InterchangeCalls(EngineCalls):
    """A package is looked through by the engine before a person has it taken in."""

    def exports(self, scope: KnowledgeScope) -> Outcome[Page[Export]]:
        return self._page(scope, "exports", read_export, {})

    def create_export(self, scope: KnowledgeScope, *, format: str) -> Outcome[Export]:  # noqa: A002 - the wire's word
        call = self._post(f"projects/{scope.base_id}/exports", {"format": format})
        return self._reading.one(scope, call, "export", read_export)

    def export(self, scope: KnowledgeScope, export_id: str) -> Outcome[Export]:
        return self._one(scope, "exports/{}", export_id, "export", read_export)

    def export_content(self, scope: KnowledgeScope, export_id: str) -> Outcome[Download]:
        return self._download(scope, "exports/{}/download", export_id)

    def imports(self, scope: KnowledgeScope) -> Outcome[Page[Import]]:
        return self._page(scope, "imports", read_import, {})

    def hand_in(self, scope: KnowledgeScope, package: UploadFile, *, actor: str) -> Outcome[Import]:
        call = Call(
            "POST",
            f"projects/{scope.base_id}/imports",
            self._access.ingestion_ms,
            files=[("package", ("package.zip", package.content, "application/zip"))],
            form={"actor": [actor]},
            idempotency_key=new_key(),
        )
        return self._reading.one(scope, call, "import", read_import)

    def import_(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]:
        return self._one(scope, "imports/{}", import_id, "import", read_import)

    def apply_import(self, scope: KnowledgeScope, import_id: str, *, actor: str) -> Outcome[Import]:
        return self._act(scope, "imports/{}/apply", import_id, {"actor": actor}, "import", read_import)

    def drop_import(self, scope: KnowledgeScope, import_id: str) -> Outcome[Import]:
        return self._act(scope, "imports/{}", import_id, {}, "import", read_import, method="DELETE")
