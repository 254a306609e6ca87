from pathlib import Path

from forager.urls import registry

DOCS = Path(__file__).resolve().parents[3] / "docs" / "engine-api.md"


def test_every_route_is_documented_with_its_scope() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for found in registry.endpoints:
        path = found.path.replace("<", "{").replace(">", "}")
        scope = found.scope.value if found.scope else "public"
        assert f"| `{found.method} {path}` | {scope} |" in text
