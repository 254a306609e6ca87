"""The command line answers questions as the API does."""

import argparse

import pytest

from forager.model.models import KnowledgeBase
from forager.process import commands
from tests.forager.conftest import Api

TEXT = "# Harbour\n\nThe crane of Pier Nine lifts 40 t. The fee of Pier Nine is 10 EUR.\n"


@pytest.fixture
def harbour(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, {"a.md": TEXT})
    return base


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    parser = argparse.ArgumentParser()
    commands.declare(parser.add_subparsers(required=True))
    given = parser.parse_args(arguments)
    capsys.readouterr()
    code = int(given.run(given))
    return code, capsys.readouterr().out


def test_search_prints_statements_and_why(harbour: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = said(capsys, "search", "crane", "--base", harbour.name)
    assert code == 0
    assert "The crane of Pier Nine lifts 40 t." in out.splitlines()[0]
    assert "the word crane" in out.splitlines()[1]


def test_recall_names_its_tier(harbour: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "recall", "crane", "--base", harbour.pk)[1].startswith("answered by: statements\n")
    assert said(capsys, "recall", "kafka", "--base", harbour.pk)[1] == "answered by: nothing\n"


def test_neighbors_prints_what_is_said_around(harbour: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = said(capsys, "neighbors", "Pier Nine", "--base", harbour.pk, "--depth", "2")
    assert "The fee of Pier Nine is 10 EUR." in out
    assert said(capsys, "neighbors", "Nobody", "--base", harbour.pk)[1] == "nothing goes by this id or name\n"


def test_a_base_nobody_knows_ends_with_1(harbour: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "search", "crane", "--base", "nowhere") == (1, "")
