"""From an entity on: what is said of it, whom that speaks of, and a walk towards a question."""

from collections.abc import Sequence

from knowledge.failures import Failed, Ok, Outcome
from knowledge.records import Edge, Statement, WalkStep
from knowledge.tools.abstaining import judged
from knowledge.tools.arguments import EntityArguments, NeighborsArguments, WalkArguments
from knowledge.tools.seat import Answered, Ask
from knowledge.tools.shapes import Looked, NeighborsAnswer, StepShape, WalkAnswer
from knowledge.tools.telling import entity_shape, now, statement_shape, told_contested


def entity(ask: Ask, given: EntityArguments) -> Outcome[Answered]:
    """What is said of it and the people and things beside it."""
    return neighbors(ask, NeighborsArguments(entity=given.entity))


def neighbors(ask: Ask, given: NeighborsArguments) -> Outcome[Answered]:
    floor = ask.floor_of(given.min_support)
    within = ask.within(floor, include_historical=given.include_historical, as_of=given.as_of)
    found = ask.provider.neighbours(ask.scope, given.entity, depth=given.depth, limit=given.limit, within=within)
    if isinstance(found, Failed):
        return found
    edges = [edge for edge in found.value.edges if ask.shows(edge.statement, floor)]
    shown = _ranked([edge.statement for edge in edges])
    contested = told_contested(shown)
    reached = {key for edge in edges for key in (edge.from_id, edge.to_id)}
    data = NeighborsAnswer(
        admitted_at=now(),
        view_id=found.value.view_id,
        abstention=judged(shown, contested, _looked(shown)),
        entity=entity_shape(found.value.entity),
        entities=[entity_shape(each) for each, depth in found.value.entities if each.id in reached or not depth],
        edges=[_step(ask, edge, contested) for edge in edges],
        truncated=found.value.is_truncated,
    )
    return Ok(_answered(data, shown, len(found.value.edges)))


def walk(ask: Ask, given: WalkArguments) -> Outcome[Answered]:
    floor = ask.floor_of(given.min_support)
    within = ask.within(floor, include_historical=given.include_historical, as_of=given.as_of)
    found = ask.provider.walk(ask.scope, given.entity, given.query, budget=given.budget, beam=given.beam, within=within)
    if isinstance(found, Failed):
        return found
    steps = [step for step in found.value.steps if ask.shows(step.statement, floor)]
    shown = [step.statement for step in steps]
    contested = told_contested(shown)
    data = WalkAnswer(
        admitted_at=now(),
        view_id=found.value.view_id,
        abstention=judged(shown, contested, _looked(shown)),
        entity=entity_shape(found.value.entity),
        steps=[_step(ask, step, contested) for step in steps],
    )
    return Ok(_answered(data, shown, len(found.value.steps)))


def _step(ask: Ask, step: Edge | WalkStep, contested: frozenset[str]) -> StepShape:
    return StepShape(
        statement=statement_shape(step.statement, ask.scope, contested),
        from_id=step.from_id,
        to_id=step.to_id,
        inverse=step.is_inverse,
        depth=step.depth if isinstance(step, Edge) else step.round,
    )


def _ranked(statements: Sequence[Statement]) -> list[Statement]:
    """Edges have no rank of a question: what is settled comes first, so that one dispute judges not all."""
    contested = told_contested(statements)
    return sorted(statements, key=lambda statement: statement.id in contested)


def _looked(shown: Sequence[Statement]) -> list[Looked]:
    return [Looked(what="an entity's statements", found=len(shown))]


def _answered(data: NeighborsAnswer | WalkAnswer, shown: Sequence[Statement], candidates: int) -> Answered:
    served = tuple(dict.fromkeys(statement.id for statement in shown))
    abstained = data.abstention.code if data.abstention else ""
    return Answered(data, served, abstained=abstained, candidates=candidates, dropped=candidates - len(shown))
