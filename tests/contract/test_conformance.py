"""What the tools' OpenAPI document promises is what a running console does, whatever is sent (made by Schemathesis)."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from knowledge.api.openapi import document
from tests.contract.place import QUESTION, Place, place
from tests.contract.test_agents import conflicts_of

__all__ = ["place"]

OPERATIONS = [(path, method) for path, told in document()["paths"].items() for method in told if method != "parameters"]
SOME = settings(
    max_examples=15, deadline=None, derandomize=True, database=None,
    phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck),
)  # fmt: skip
TOO_LONG, LONGEST_ADDRESS = 414, 8_000
PLACE = {
    "statement": "statement_id", "evidence_id": "evidence_id", "source_id": "source_id", "version": "version",
    "excerpt_hash": "digest", "start": "start", "end": "end",
}  # fmt: skip
UNLIKE = [positive_data_acceptance]
"""The id of a statement that is nowhere is well formed, and refused all the same: no schema can tell."""


def cases(path: str, method: str, mode: GenerationMode) -> Any:
    schema = schemathesis.openapi.from_dict(document())
    return schema[path][method.upper()].as_strategy(generation_mode=mode)


WORK = {"/missions", "/claim", "/renew", "/finish", "/review"}
"""Asked with a token of its own: what it claims would be charged to every other call."""


def working(place: Place, path: str) -> dict[str, object]:
    """A mission that is claimed, and a conflict that stands in the package of ``known``."""
    if path not in WORK:
        return {}
    mission = place.queue(f"What of {path}?")
    claimed = place.ask(place.worker, "claim", {"worker": "one"}).json()["data"]
    return {
        "mission": (claimed["mission"] or {"id": mission})["id"],
        "fence": claimed["fence"] or 1,
        "worker": "one",
        "conflict": conflicts_of(place, place.worker)[0],
    }


def known(place: Place, path: str) -> dict[str, object]:
    """Values that there is something behind, by the name of the argument."""
    secret = place.worker if path in WORK else place.own
    found = place.ask(secret, "retrieve", {"query": QUESTION, "with_packet": True}).json()["data"]
    row = found["packet"]["execution"]["selected"][0]
    return {
        "statement": found["citations"][0],
        "package": found["package"],
        "packages": [found["package"]],
        "entity": "Project Falcon",
        "as_of": "2026-03-01",
        "min_support": "unverified_claim",
        "packet": found["packet"],
        "reference": {argument: row[field] for argument, field in PLACE.items()},
        **working(place, path),
    }


def told(parts: Any, real: dict[str, object]) -> None:
    """Puts what is real in the place of what was made up."""
    if isinstance(parts, dict):
        parts.update({name: value for name, value in real.items() if name in parts})


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_is_documented(place: Place, path: str, method: str, mode: GenerationMode) -> None:
    real, seen = known(place, path), set[int]()
    secret = place.worker if path in WORK else place.own

    @SOME
    @given(case=cases(path, method, mode), is_real=st.booleans())
    def conforms(case: Any, *, is_real: bool) -> None:
        if is_real and mode is GenerationMode.POSITIVE:
            for parts in (case.body, case.query, case.path_parameters):
                told(parts, real)
        bearer = {"Authorization": f"Bearer {secret}"}
        answer = case.call(base_url=f"{place.stack.url}/knowledge", headers=bearer)
        if answer.status_code == TOO_LONG:  # the web server's own answer, before any of ours
            assert len(answer.request.url) > LONGEST_ADDRESS
            return
        case.validate_response(answer, excluded_checks=UNLIKE)
        seen.add(answer.status_code)

    conforms()
    assert (200 if mode is GenerationMode.POSITIVE else 400) in seen, seen
    assert 429 not in seen
