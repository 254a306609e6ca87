"""History as an agent may read it: of its band, no weaker than its floor, nothing that was withdrawn from sight."""

from dataclasses import replace

from knowledge.failures import Ok, Outcome
from knowledge.records import Page, PastVersion
from knowledge.scope import KnowledgeScope
from knowledge.tools.shapes import HistoryAnswer
from knowledge.vocabulary import Band, Status, Support
from tests.knowledge.shelf import SCOPE, Shelf, statement
from tests.knowledge.test_tools import Agent, answered

OPEN = PastVersion(
    "ki_1", Band.GENERAL, "The fee is 12 EUR.", "", "", Support.DIRECT_FACT, 0.9, Status.SUPERSEDED, "", None, None,
    "newer_version", None, ("src_1",),
)  # fmt: skip
PAST = (
    OPEN,
    replace(OPEN, statement_id="ki_own", band=Band.TENANT),
    replace(OPEN, statement_id="ki_weak", support=Support.UNVERIFIED_CLAIM),
    replace(OPEN, statement_id="ki_gone", status=Status.WITHHELD),
)


class Remembering(Shelf):
    def history(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Page[PastVersion]]:
        return Ok(Page(PAST, None, len(PAST), "1:1"))


def told(ceiling: Band, floor: Support) -> set[str]:
    shelf = Remembering([statement("ki_1", band=Band.GENERAL)])
    agent = Agent(shelf, [replace(SCOPE, ceiling=ceiling)], min_support=floor)
    data = answered(agent, "history", {"statement": "ki_1"}).data
    assert isinstance(data, HistoryAnswer)
    return {each.statement_id for each in data.items}


def test_a_reader_of_general_knowledge_is_told_no_version_of_the_tenant() -> None:
    assert told(Band.GENERAL, Support.UNVERIFIED_CLAIM) == {"ki_1", "ki_weak"}
    assert told(Band.TENANT, Support.UNVERIFIED_CLAIM) == {"ki_1", "ki_weak", "ki_own"}


def test_a_version_below_the_floor_is_not_told() -> None:
    assert told(Band.TENANT, Support.DIRECT_FACT) == {"ki_1", "ki_own"}
