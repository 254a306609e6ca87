"""Half of these questions nothing answers. Nothing is made up, and little that could be said stays unsaid."""

import pytest

from bench.abstention import Told, run, scored


@pytest.fixture(scope="module")
def told() -> tuple[Told, ...]:
    return run()


def test_nothing_is_made_up(told: tuple[Told, ...]) -> None:
    assert [(row.question.ask, row.answer) for row in told if row.is_confabulated] == []


def test_an_agent_that_always_stays_silent_would_not_pass(told: tuple[Told, ...]) -> None:
    found = scored(told)
    assert found["answerable"] == found["unanswerable"] == 24
    assert found["answer in the context"] == 24
    assert found["answered rightly"] >= 23
    assert found["citations held"] == found["answered rightly"]
    assert found["code as expected"] >= 22


def test_a_dispute_is_told_as_one(told: tuple[Told, ...]) -> None:
    disputes = [row for row in told if row.question.code == "contested"]
    assert len(disputes) == 5
    assert all(row.code == "contested" and row.is_right and row.is_held for row in disputes)
