"""A question about the Falcon launch, asked of a real engine: the render is the golden file, byte by byte.

The golden file is written by hand in the shape that the product prescribes.
"""

import time
from pathlib import Path

import httpx2
import pytest

from knowledge.context import build_context, render
from knowledge.engine.cache import ReadCache
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import EngineAccess, EngineClient
from knowledge.engine.providers import ForagerProvider
from knowledge.failures import Ok
from knowledge.provider import UploadFile
from knowledge.scope import KnowledgeScope, Level
from tests.engine_process import EngineProcess, running

FALCON = Path(__file__).parents[2] / "examples" / "falcon"
GOLDEN = Path(__file__).parent / "golden" / "falcon_launch.txt"
NAMESPACE = "05" * 16
QUESTION = "Why was the Falcon launch date changed?"


def read_falcon(provider: ForagerProvider, scope: KnowledgeScope) -> None:
    files = [UploadFile(path.name, path.open("rb")) for path in sorted(FALCON.iterdir())]
    assert isinstance(provider.upload(scope, files), Ok)
    for file in files:
        file.content.close()
    job = provider.process(scope)
    deadline = time.monotonic() + 60
    while isinstance(job, Ok) and not job.value.status.ended and time.monotonic() < deadline:
        time.sleep(0.1)
        job = provider.job(scope, job.value.id)
    assert isinstance(job, Ok)
    assert job.value.status.value == "completed"


def provider_of(engine: EngineProcess, http: httpx2.Client, namespace: str) -> tuple[ForagerProvider, KnowledgeScope]:
    """A base of a namespace, so that its ids are the same on every run, and a provider that remembers nothing."""
    made = http.post(
        f"{engine.endpoint}/api/projects",
        headers={"Authorization": f"Bearer {engine.key}"},
        json={"name": "falcon", "namespace": namespace},
    ).json()
    access = EngineAccess(engine.endpoint, engine.key)
    provider = ForagerProvider(access, client=EngineClient(http, Circuit()), cache=ReadCache(), cache_seconds=0)
    return provider, KnowledgeScope(Level.PROJECT, made["id"], "falcon")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> str:
    with running(tmp_path_factory.mktemp("engine")) as engine, httpx2.Client(trust_env=False) as http:
        provider, scope = provider_of(engine, http, NAMESPACE)
        read_falcon(provider, scope)
        context = build_context(provider, scope, QUESTION)
        assert isinstance(context, Ok)
        return render(context.value)


def test_the_rendered_context_is_the_golden_file(rendered: str) -> None:
    assert rendered == GOLDEN.read_text(encoding="utf-8")


def test_it_leads_with_the_conflict_and_presents_neither_side_as_settled(rendered: str) -> None:
    assert rendered.index("CONFLICTS DETECTED") < rendered.index("FACTS")
    facts = rendered[rendered.index("FACTS") : rendered.index("RELATED ENTITIES")]
    assert facts.count("Status: DISPUTED") == facts.count("[FACT-")
    assert "NOT APPLIED" in rendered
