"""Figures for whoever watches the console, in the text of Prometheus: counts and ages, never a word of a tenant."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from console.connection.link import open_link
from console.connection.models import EngineProcess
from console.connection.states import State
from console.feed.models import Follower, Receipt
from console.gaps.models import Gap, GapState
from console.measures import REGISTRY
from console.missions.models import Mission, MissionState
from console.packages.models import Comparison
from console.proposals.models import Proposal, ProposalState
from console.tokens.models import ToolCall

LATELY = timedelta(hours=1)


def exposition() -> bytes:
    """What this process counted since it started, and what the database says now."""
    now = CollectorRegistry()
    now.register(Standing())
    return generate_latest(REGISTRY) + generate_latest(now)


class Standing(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield _engine_state()
        yield _gauge("anthill_engine_restarts", "Ends of the managed engine since its supervisor started.", _restarts())
        yield _by_state("anthill_feed_receipts", "Entries of the feed.", Receipt.objects.all(), Receipt.State.values)
        yield _gauge("anthill_feed_lag_seconds", "Age of the oldest entry that waits to be acted on.", _lag())
        yield _gauge("anthill_feed_quiet_seconds", "Since the feed was last read to its end.", _quiet())
        yield _by_state("anthill_missions", "Missions.", Mission.objects.all(), MissionState.values)
        yield _by_state("anthill_proposals", "Proposals of agents.", Proposal.objects.all(), ProposalState.values)
        yield _by_state("anthill_gaps", "Questions without an answer.", Gap.objects.all(), GapState.values)
        waiting = Comparison.objects.count()
        yield _gauge("anthill_comparisons_waiting", "Rulings whose packages were not compared yet.", waiting)
        yield _tool_calls()


def _engine_state() -> GaugeMetricFamily:
    now = open_link(None).state.state
    family = GaugeMetricFamily("anthill_engine_state", "1 for the state the engine is in.", labels=["state"])
    for each in State:
        family.add_metric([each.value], float(each is now))
    return family


def _tool_calls() -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "anthill_tool_calls_last_hour", "Calls of agents within the last hour.", labels=["tool", "failure"]
    )
    rows = ToolCall.objects.filter(at__gt=timezone.now() - LATELY).order_by()
    for row in rows.values("tool", "failure").annotate(number=Count("pk")):
        family.add_metric([row["tool"], row["failure"] or "none"], row["number"])
    return family


def _by_state(name: str, words: str, rows: "QuerySet[Receipt] | QuerySet[Mission] | QuerySet[Proposal] | QuerySet[Gap]",
              states: list[str]) -> GaugeMetricFamily:  # fmt: skip
    counted: Mapping[str, int] = dict(rows.order_by().values_list("state").annotate(number=Count("pk")))
    family = GaugeMetricFamily(name, words, labels=["state"])
    for state in states:
        family.add_metric([state], counted.get(state, 0))
    return family


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=value)


def _restarts() -> int:
    process = EngineProcess.objects.first()
    return process.restarts if process is not None else 0


def _lag() -> float:
    waiting = Receipt.objects.filter(state=Receipt.State.WAITING).order_by("received_at")
    oldest = waiting.values_list("received_at", flat=True).first()
    return (timezone.now() - oldest).total_seconds() if oldest else 0.0


def _quiet() -> float:
    """Zero where no feed was ever followed."""
    last = Follower.objects.order_by("-caught_up_at").values_list("caught_up_at", flat=True).first()
    return (timezone.now() - last).total_seconds() if last else 0.0
