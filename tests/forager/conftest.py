import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from forager.api import access, tokens
from forager.model.bases import Store
from forager.model.models import Conflict, Decision, KnowledgeBase, Statement
from forager.pipeline import lease, registration, runner
from forager.review import standing

KEY = "operator-key-of-the-tests"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """Every test writes its blobs and exports into a folder of its own, under its own operator key."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    key_file = tmp_path / "operator.key"
    key_file.write_text(KEY)
    settings.OPERATOR_KEY_FILE = str(key_file)
    access._key.cache_clear()
    yield tmp_path
    access._key.cache_clear()


@pytest.fixture
def store(db: None) -> Store:
    return Store.objects.create(
        instance_id="fgi_test", generation="gen_test", generation_reason="created", created_at=timezone.now()
    )


@pytest.fixture
def base(store: Store) -> KnowledgeBase:
    return registration.create_base("Falcon", namespace="00" * 16)


def work() -> None:
    """Works off every waiting job, as a worker does."""
    while (job := lease.claim()) is not None:
        runner.run(job)


def assert_derived(base: KnowledgeBase) -> None:
    """What a ruling set is exactly what deriving the whole base anew sets."""
    base.refresh_from_db()
    before = _stands(base)
    standing.apply(base)
    assert _stands(base) == before


def _stands(base: KnowledgeBase) -> list[object]:
    base.refresh_from_db()
    conflicts = Conflict.objects.at(base.current_revision).filter(base=base).order_by("pk")
    statements = Statement.objects.at(base.current_revision).filter(base=base).order_by("pk")
    decisions = Decision.objects.filter(base=base).order_by("pk")
    return [
        list(conflicts.values()),
        list(statements.values("item_id", "status", "superseded_by")),
        list(decisions.values("pk", "state")),
        (base.open_conflict_count, base.knowledge_count, base.entity_count),
    ]


@dataclass
class Api:
    """The engine's routes with a bearer; answers parsed JSON."""

    bearer: str = KEY

    def __post_init__(self) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {self.bearer}"} if self.bearer else {})

    def get(self, path: str, expect: int = 200, **query: Any) -> Any:
        return self._checked(self.client.get(f"/api{path}", query), expect)

    def post(self, path: str, body: Any = None, status: int = 200, **headers: str) -> Any:
        data = json.dumps(body if body is not None else {})
        answer = self.client.post(f"/api{path}", data, content_type="application/json", headers=headers)
        return self._checked(answer, status)

    def put(self, path: str, body: Any, status: int = 200) -> Any:
        answer = self.client.put(f"/api{path}", json.dumps(body), content_type="application/json")
        return self._checked(answer, status)

    def patch(self, path: str, body: Any, status: int = 200) -> Any:
        answer = self.client.patch(f"/api{path}", json.dumps(body), content_type="application/json")
        return self._checked(answer, status)

    def upload(self, base: str, files: dict[str, bytes], status: int = 201) -> Any:
        data = {
            "files": [SimpleUploadedFile(path.rpartition("/")[2], content) for path, content in files.items()],
            "paths": list(files),
        }
        return self._checked(self.client.post(f"/api/projects/{base}/sources", data), status)

    def load(self, base: str, files: dict[str, str]) -> None:
        """Uploads texts and works them off."""
        self.upload(base, {path: text.encode() for path, text in files.items()})
        self.post(f"/projects/{base}/process", status=202)
        work()

    @staticmethod
    def _checked(answer: HttpResponse, status: int) -> Any:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        assert answer.status_code == status, body[:600]
        return json.loads(body) if body and "json" in answer.headers["Content-Type"] else body


@pytest.fixture
def api(store: Store) -> Api:
    return Api()


@pytest.fixture
def token_for(store: Store) -> Callable[..., Api]:
    def make(*bases: str, scopes: tuple[str, ...] = ("read", "ingest", "review", "export")) -> Api:
        made = tokens.create(name="test", scopes=list(scopes), base_ids=list(bases), expires_at=None)
        return Api(made["token"])

    return make
