"""Tools: one way to call them, the floor and the ceiling, what is abstained from, what is recorded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from knowledge.callers import CallRecord
from knowledge.context import build_context, render
from knowledge.contract import Execution, Packet, Request, SelectedRow, packet_to_json
from knowledge.engine.null import NullProvider
from knowledge.failures import Failed, Failure, Ok, Outcome, failure_text
from knowledge.provider import KnowledgeProvider, Reference
from knowledge.records import CheckedReference, CheckedReferences, Edge, Neighbours, Quote, RawLines, RecallResult
from knowledge.scope import KnowledgeScope, Level, Unresolved
from knowledge.tools import TABLE, Answered, Limits, Tool, call_tool, tool_named
from knowledge.tools.keeping import Sheet
from knowledge.tools.seat import Unanswered
from knowledge.tools.shapes import (
    CheckAnswer,
    ContextAnswer,
    EvidenceAnswer,
    GetAnswer,
    NeighborsAnswer,
    RecallAnswer,
    SearchAnswer,
)
from knowledge.tools.working import NO_WORK, Work
from knowledge.vocabulary import Band, Status, Support
from tests.knowledge.keeper import MemoryPackages
from tests.knowledge.shelf import FALCON, SCOPE, Shelf, falcon_launch, statement

PACKAGE = f"pkg_{1:032x}"
LAUNCH = falcon_launch().statements_held[0].evidence[0]
PLACE: dict[str, object] = {
    "statement": "ki_1a",
    "evidence_id": LAUNCH.id,
    "source_id": LAUNCH.source_id,
    "version": LAUNCH.version,
    "excerpt_hash": LAUNCH.excerpt_hash,
    "start": LAUNCH.start,
    "end": LAUNCH.end,
}
PACKET = Packet(
    Request("launch date", SCOPE.slug, "1:1", None, 8, "", ""),
    Execution(
        "words",
        "1",
        (
            SelectedRow(
                "ki_1a", LAUNCH.id, LAUNCH.source_id, LAUNCH.document_id, "", "", "", "", LAUNCH.excerpt_hash,
                LAUNCH.start, LAUNCH.end, (),
            ),
        ),
        "exhausted",
        (),
    ),
)  # fmt: skip

MISSION = f"msn_{1:032x}"
ARGUMENTS: dict[str, dict[str, object]] = {
    "knowledge_search": {"query": "launch date"},
    "knowledge_retrieve": {"query": "launch date"},
    "knowledge_get": {"statement": "ki_1a"},
    "knowledge_evidence": {"statement": "ki_1a"},
    "knowledge_recall": {"query": "launch date"},
    "knowledge_entity": {"entity": "Project Falcon"},
    "knowledge_neighbors": {"entity": "Project Falcon"},
    "knowledge_walk": {"entity": "Project Falcon", "query": "launch date"},
    "knowledge_check": {"references": [{"statement": "ki_1a"}]},
    "knowledge_history": {"statement": "ki_1a"},
    "knowledge_open": {"reference": PLACE},
    "knowledge_admit": {"packet": json.loads(packet_to_json(PACKET))},
    "knowledge_cite": {"package": PACKAGE, "answer": "It is March 3, 2026. knowledge:falcon/ki_1a"},
    "knowledge_package": {"package": PACKAGE},
    "knowledge_outcome": {"package": PACKAGE, "outcome": "answered", "raw": "March 3."},
    "knowledge_corrections": {},
    "knowledge_missions": {},
    "knowledge_claim": {},
    "knowledge_renew": {"mission": MISSION, "fence": 1},
    "knowledge_finish": {"mission": MISSION, "fence": 1, "outcome": "done", "result": "x", "packages": [PACKAGE]},
    "knowledge_review": {"conflict": "cf_1", "package": PACKAGE, "ruling": "neither", "reason": "Both are out."},
}
OF_NO_BASE = {"outcome", "corrections", "missions", "claim", "renew"}
WRITING = {"outcome", "claim", "renew", "finish", "review"}
"""They read what the console keeps and nothing of the base, so that an engine that is away stops none of them."""


def keeping_one() -> MemoryPackages:
    """One context about the launch, frozen earlier."""
    built = build_context(falcon_launch(), SCOPE, "launch date")
    assert isinstance(built, Ok)
    kept = MemoryPackages()
    at, floor = "2026-03-01T00:00:00.000Z", Support.UNVERIFIED_CLAIM
    kept.freeze(Sheet("context", render(built.value), built.value, "1:1", at, floor, "q"), "req_0")
    return kept


@dataclass
class Agent:
    """A caller of memory: ``scopes`` are what its binding says, in turn."""

    provider: KnowledgeProvider
    scopes: list[KnowledgeScope | Unresolved] = field(default_factory=lambda: [SCOPE])
    permissions: frozenset[str] = frozenset({"read_knowledge", "work_missions", "propose_review"})
    min_support: Support = Support.UNVERIFIED_CLAIM
    wait: int = 0
    limits: Limits = field(default_factory=lambda: Limits(8, 12000))
    calls: list[CallRecord] = field(default_factory=list)
    packages: MemoryPackages = field(default_factory=keeping_one)
    work: Work = NO_WORK
    gaps: list[Unanswered] = field(default_factory=list)

    @property
    def scope(self) -> KnowledgeScope | Unresolved:
        return self.scopes.pop(0) if len(self.scopes) > 1 else self.scopes[0]

    def wait_seconds(self) -> int:
        return self.wait

    def record(self, call: CallRecord) -> None:
        self.calls.append(call)

    def note_gap(self, gap: Unanswered) -> None:
        self.gaps.append(gap)


@dataclass
class Library(Shelf):
    """A shelf that also recalls, walks and checks."""

    recalled: RecallResult | None = None
    edges: tuple[Edge, ...] = ()
    gone: frozenset[str] = frozenset()

    def recall(self, scope: KnowledgeScope, query: str, **asked: object) -> Outcome[RecallResult]:  # type: ignore[override]
        assert self.recalled is not None
        return Ok(self.recalled)

    def neighbours(self, scope: KnowledgeScope, entity: str, **asked: object) -> Outcome[Neighbours]:  # type: ignore[override]
        return Ok(Neighbours(FALCON, ((FALCON, 0),), self.edges, False, "1:1"))

    def check_references(  # type: ignore[override]
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        items = tuple(CheckedReference(one.statement_id, one.statement_id not in self.gone) for one in references)
        return Ok(CheckedReferences(items, "1:1"))


def tool(name: str) -> Tool:
    found = tool_named(f"knowledge_{name}")
    assert found is not None
    return found


def outcome(agent: Agent, name: str, given: Mapping[str, object] | None = None) -> Outcome[Answered]:
    asked = ARGUMENTS[f"knowledge_{name}"] if given is None else given
    return call_tool(tool(name), agent, asked, request_id="req_1")


def answered(agent: Agent, name: str, given: Mapping[str, object] | None = None) -> Answered:
    found = outcome(agent, name, given)
    assert isinstance(found, Ok), found
    return found.value


def refused(agent: Agent, name: str, given: Mapping[str, object] | None = None) -> Failed:
    found = outcome(agent, name, given)
    assert isinstance(found, Failed)
    return found


def test_every_tool_has_arguments_here() -> None:
    assert set(ARGUMENTS) == {each.name for each in TABLE}


@pytest.mark.parametrize("each", TABLE, ids=lambda each: each.name)
def test_a_tool_says_what_it_is(each: Tool) -> None:
    assert each.description.endswith(".")
    assert each.read_only == (each.path not in WRITING)
    properties = each.arguments.model_json_schema()["properties"]
    assert not {"base", "base_id", "project", "project_id", "token", "scope"} & set(properties)
    assert each.arguments.model_json_schema()["additionalProperties"] is False


@pytest.mark.parametrize("name", [each.path for each in TABLE if each.path not in OF_NO_BASE])
@pytest.mark.parametrize("failure", [Failure.DISABLED, Failure.UNAVAILABLE, Failure.TIMEOUT, Failure.INCOMPATIBLE])
def test_a_tool_that_cannot_read_refuses_with_the_kind_and_records_it(name: str, failure: Failure) -> None:
    agent = Agent(NullProvider("x", failure))
    found = refused(agent, name)
    assert found.failure is failure
    assert "Do NOT substitute recalled" in failure_text(found)
    assert [(call.tool, call.failure, call.served_ids) for call in agent.calls] == [(f"knowledge_{name}", failure, ())]


@pytest.mark.parametrize("name", [each.path for each in TABLE])
def test_without_a_base_nothing_is_asked(name: str) -> None:
    agent = Agent(falcon_launch(), scopes=[Unresolved("bind one")])
    assert refused(agent, name).failure is Failure.SCOPE_UNRESOLVED
    assert not falcon_launch().calls


@pytest.mark.parametrize("name", [each.path for each in TABLE])
def test_a_token_without_the_permission_of_the_tool_is_refused(name: str) -> None:
    others = {"read_knowledge", "work_missions", "propose_review"} - {tool(name).permission}
    agent = Agent(falcon_launch(), permissions=frozenset(others))
    assert refused(agent, name).failure is Failure.FORBIDDEN


def test_the_rate_comes_before_everything() -> None:
    agent = Agent(falcon_launch(), wait=17, permissions=frozenset())
    found = refused(agent, "search", {"nonsense": 1})
    assert (found.failure, found.retry_after) == (Failure.RATE_LIMITED, 17)
    assert agent.calls[0].failure is Failure.RATE_LIMITED


@pytest.mark.parametrize(
    ("name", "given", "field_"),
    [
        ("search", {}, "query"),
        ("search", {"query": "   "}, "query"),
        ("search", {"query": "x", "base_id": "proj_other"}, "base_id"),
        ("search", {"query": "x\0y"}, "query"),
        ("search", {"query": "x", "limit": "5"}, "limit"),
        ("search", {"query": "x", "min_support": "certain"}, "min_support"),
        ("get", {"statement": "ki_1,ki_2"}, "statement"),
        ("check", {"references": []}, "references"),
        ("check", {"references": [{"statement": "ki_1", "band": "tenant"}]}, "references.0.band"),
    ],
)
def test_wrong_arguments_are_told_by_name(name: str, given: dict[str, object], field_: str) -> None:
    agent = Agent(falcon_launch())
    found = refused(agent, name, given)
    assert found.failure is Failure.INVALID
    assert field_ in dict(found.fields)
    assert agent.calls[0].failure is Failure.INVALID


def test_search_tells_candidates_with_their_standing() -> None:
    agent = Agent(falcon_launch())
    found = answered(agent, "search")
    assert isinstance(found.data, SearchAnswer)
    hit = found.data.hits[0].statement
    assert (hit.id, hit.citation, hit.status, hit.contested) == ("ki_2b", "knowledge:falcon/ki_2b", "disputed", True)
    assert found.data.abstention is not None
    assert found.data.abstention.code == "contested"
    (call,) = agent.calls
    assert (call.served_ids, call.abstained, call.request_id) == (("ki_2b",), "contested", "req_1")
    assert "launch" not in str(call)


def test_a_candidate_that_went_since_it_was_ranked_is_as_if_it_had_never_been() -> None:
    kept, gone = statement("ki_1"), statement("ki_2")

    class Moved(Shelf):
        def statements_by_id(self, scope: KnowledgeScope, ids: list[str]) -> object:  # type: ignore[override]
            return Shelf([kept]).statements_by_id(scope, ids)

    found = answered(Agent(Moved([kept, gone])), "search").data
    alone = answered(Agent(Shelf([kept])), "search").data
    assert isinstance(found, SearchAnswer)
    assert isinstance(alone, SearchAnswer)
    assert found.model_dump(exclude={"admitted_at"}) == alone.model_dump(exclude={"admitted_at"})


def test_a_base_that_is_bound_away_during_the_call_leaves_nothing() -> None:
    other = replace(SCOPE, base_id="proj_other")
    agent = Agent(falcon_launch(), scopes=[SCOPE, other])
    assert refused(agent, "retrieve").failure is Failure.SCOPE_UNRESOLVED
    assert agent.calls[0].served_ids == ()


def test_retrieve_gives_the_rendered_context() -> None:
    found = answered(Agent(falcon_launch()), "retrieve")
    assert isinstance(found.data, ContextAnswer)
    assert found.text == found.data.text
    assert found.text.index("CONFLICTS DETECTED") < found.text.index("FACTS")
    assert found.data.citations == ["knowledge:falcon/ki_1a", "knowledge:falcon/ki_2b"]
    assert found.data.abstention is not None
    assert found.data.abstention.code == "contested"
    assert set(found.served) == {"ki_1a", "ki_2b"}


@pytest.mark.parametrize(
    ("held", "code"),
    [
        ([], "no_match"),
        ([statement(support=Support.UNVERIFIED_CLAIM)], "only_unverified"),
        ([statement(status=Status.STALE)], "stale"),
        ([statement(status=Status.DISPUTED)], "contested"),
        ([statement(flags=("instruction",))], "no_match"),
        ([statement(status=Status.WITHHELD)], "no_match"),
        ([statement(base_id="proj_other")], "no_match"),
        ([statement()], None),
        ([statement(), statement("ki_2", support=Support.UNVERIFIED_CLAIM)], None),
    ],
)
def test_abstention_is_typed(held: list[object], code: str | None) -> None:
    for name in ("search", "retrieve"):
        data = answered(Agent(Shelf(held)), name).data  # type: ignore[arg-type]
        assert isinstance(data, SearchAnswer | ContextAnswer)
        assert (data.abstention.code if data.abstention else None) == code, name


def test_a_request_raises_the_floor_and_never_lowers_it() -> None:
    weak = statement(support=Support.UNCERTAIN_INFERENCE)
    strict = Agent(Shelf([weak]), min_support=Support.DIRECT_FACT)
    for asked in ("", "unverified_claim", "direct_fact"):
        data = answered(strict, "search", {"query": "roof", "min_support": asked}).data
        assert isinstance(data, SearchAnswer)
        assert data.hits == []
    for name in ("get", "evidence"):
        assert refused(strict, name, {"statement": "ki_1"}).failure is Failure.NOT_FOUND
    data = answered(Agent(Shelf([weak])), "search", {"query": "roof", "min_support": "direct_fact"}).data
    assert isinstance(data, SearchAnswer)
    assert data.hits == []


def test_a_general_ceiling_hides_the_tenant_and_says_nothing_of_it() -> None:
    ceiling = replace(SCOPE, ceiling=Band.GENERAL)
    assert not ceiling.allows(Band.TENANT)
    assert not ceiling.allows(Band.read("a band of tomorrow"))
    assert ceiling.allows(Band.GENERAL)
    assert KnowledgeScope(Level.PROJECT, "proj_1", "x").allows(Band.TENANT)
    shelf = Shelf([statement("ki_1"), statement("ki_2", band=Band.GENERAL)])
    agent = Agent(shelf, scopes=[ceiling])
    data = answered(agent, "search").data
    assert isinstance(data, SearchAnswer)
    assert [hit.statement.id for hit in data.hits] == ["ki_2"]
    hidden, unknown = (refused(agent, "get", {"statement": key}) for key in ("ki_1", "ki_nobody"))
    assert hidden == unknown


def test_get_tells_evidence_and_the_other_side() -> None:
    found = answered(Agent(falcon_launch()), "get")
    assert isinstance(found.data, GetAnswer)
    assert found.data.evidence[0].excerpt == "The launch date for Project Falcon is March 3, 2026."
    (dispute,) = found.data.conflicts
    assert [each.id for each in dispute.competing] == ["ki_1a", "ki_2b"]
    assert "winner" not in found.data.model_dump_json()
    assert set(found.served) == {"ki_1a", "ki_2b"}


def test_a_citable_line_opens_a_statement_of_this_project_alone() -> None:
    agent = Agent(falcon_launch())
    data = answered(agent, "evidence", {"statement": "knowledge:falcon/ki_2b"}).data
    assert isinstance(data, EvidenceAnswer)
    assert data.evidence[0].location == "message body"
    foreign = refused(agent, "evidence", {"statement": "knowledge:other/ki_2b"})
    assert foreign == refused(agent, "evidence", {"statement": "ki_nobody"})


def test_altered_evidence_supports_nothing() -> None:
    forged = replace(statement().evidence[0], excerpt="The roof is blue.")
    data = answered(Agent(Shelf([statement(evidence=(forged,))])), "evidence", {"statement": "ki_1"}).data
    assert isinstance(data, EvidenceAnswer)
    assert data.evidence == []


def test_raw_lines_are_no_facts_and_stay_below_a_floor() -> None:
    lines = RawLines("src_1", "a.txt", "ch_1", "Line 1", (Quote("roof", 0, 4),))
    looked = (("statements", 0), ("summaries", 0), ("raw", 1))
    library = Library([], recalled=RecallResult("roof", "raw", looked, "sqlite-fts5", "1:1", (), (), (lines,)))
    data = answered(Agent(library), "recall").data
    assert isinstance(data, RecallAnswer)
    assert (data.tier, data.raw[0].lines) == ("raw", ["roof"])
    assert data.abstention is not None
    assert data.abstention.code == "only_unverified"
    assert [each.found for each in data.abstention.looked_at] == [0, 0, 1]
    strict = answered(Agent(library, min_support=Support.SUPPORTED_INFERENCE), "recall").data
    assert isinstance(strict, RecallAnswer)
    assert (strict.tier, strict.raw) == ("nothing", [])
    assert strict.abstention is not None
    assert strict.abstention.code == "no_match"


def test_neighbours_show_what_may_be_shown() -> None:
    edges = tuple(
        Edge(each, "ent_falcon", None, "", is_inverse=False, depth=1)
        for each in (statement("ki_1"), statement("ki_2", flags=("instruction",)))
    )
    for name in ("neighbors", "entity"):
        found = answered(Agent(Library([], edges=edges)), name)
        assert isinstance(found.data, NeighborsAnswer)
        assert [edge.statement.id for edge in found.data.edges] == ["ki_1"]
        assert (found.served, found.candidates, found.dropped) == (("ki_1",), 2, 1)


def test_held_statements_hold_are_contested_or_unavailable() -> None:
    held = [statement("ki_1"), statement("ki_2", status=Status.DISPUTED), statement("ki_3"), statement("ki_4")]
    held[3] = statement("ki_4", support=Support.UNVERIFIED_CLAIM)
    library = Library(held, gone=frozenset({"ki_3"}))
    agent = Agent(library, min_support=Support.DIRECT_FACT)
    names = ["ki_1", "ki_2", "ki_3", "ki_4", "ki_nobody", "knowledge:other/ki_1"]
    data = answered(agent, "check", {"references": [{"statement": name} for name in names]}).data
    assert isinstance(data, CheckAnswer)
    verdicts = [each.verdict for each in data.items]
    assert verdicts == ["holds", "contested", "unavailable", "unavailable", "unavailable", "unavailable"]
