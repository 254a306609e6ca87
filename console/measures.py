"""What this process counts for whoever watches it. Labels are names of ours: nothing a person or a document says."""

from prometheus_client import CollectorRegistry, Histogram

REGISTRY = CollectorRegistry()
SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)

REQUESTS = Histogram(
    "anthill_request_seconds",
    "Time to answer a request, by the name of its route.",
    ["route", "method", "status"],
    buckets=SECONDS,
    registry=REGISTRY,
)
ENGINE_CALLS = Histogram(
    "anthill_engine_call_seconds",
    "Time of a call to the engine until its headers came, by how it ended.",
    ["method", "outcome"],
    buckets=SECONDS,
    registry=REGISTRY,
)


def saw_request(*, route: str, method: str, status: int, seconds: float) -> None:
    REQUESTS.labels(route or "none", method, str(status)).observe(seconds)


def saw_engine_call(method: str, outcome: str, seconds: float) -> None:
    ENGINE_CALLS.labels(method, outcome).observe(seconds)
