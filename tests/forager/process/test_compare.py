"""Two runs side by side: what was added, changed and gone, with the reason for each."""

import json
from typing import Any

import pytest

from forager.extraction.model import Extractor
from forager.model.models import KnowledgeBase
from forager.pipeline import recording
from forager.process import compare as command
from forager.review.comparison import compare
from tests.forager.conftest import Api, work
from tests.forager.pipeline.test_vocabularies import WORDS, put

DOCUMENTS = {"a.txt": "The shiftkeeper of Pier Nine is Ada Lovelace.", "b.txt": "The roof of Pier Nine is red."}


def told(base: KnowledgeBase, before: int, after: int) -> list[tuple[str, str, str, tuple[str, ...]]]:
    base.refresh_from_db()
    return [(d.kind, d.text, d.reason, d.fields) for d in compare(base, before, after).differences]


def test_a_new_document_adds_and_an_edited_one_says_so(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, DOCUMENTS)
    assert {(kind, reason) for kind, _, reason, _ in told(base, 0, 1)} == {
        ("added", "a.txt is new"),
        ("added", "b.txt is new"),
    }
    api.load(base.pk, {"b.txt": "The roof of Pier Nine is blue."})
    assert ("added", "The roof of Pier Nine is blue.", "b.txt has a new version", ()) in told(base, 1, 2)
    assert told(base, 2, 2) == []


def test_a_change_of_words_names_what_it_touched(api: Api, base: KnowledgeBase) -> None:
    api.load(base.pk, DOCUMENTS)
    put(api, base.pk, WORDS)
    api.post(f"/projects/{base.pk}/process", status=202)
    work()
    ((kind, text, reason, fields),) = [d for d in told(base, 1, 2) if "shiftkeeper" in d[1]]
    assert (kind, fields) == ("changed", ("entries",))
    assert "the base's words changed" in reason
    assert not any("roof" in text for _, text, _, _ in told(base, 1, 2)), text


def test_another_version_of_the_rules_is_counted_where_nothing_else_changed(
    api: Api, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.load(base.pk, DOCUMENTS)
    base.refresh_from_db()
    before = base.current_revision
    monkeypatch.setattr(recording, "EXTRACTOR", Extractor("rules", "next"))
    api.post(f"/projects/{base.pk}/process", {"force": True}, status=202)
    work()
    base.refresh_from_db()
    found = compare(base, before, base.current_revision)
    assert (found.differences, found.relabelled, found.same) == ((), 2, 0)


def test_the_command_prints_lines_or_json(api: Api, base: KnowledgeBase, capsys: pytest.CaptureFixture[str]) -> None:
    api.load(base.pk, DOCUMENTS)

    def run(**given: Any) -> tuple[int, list[str]]:
        asked = {"base": base.name, "before": None, "after": None, "json": False, **given}
        capsys.readouterr()  # what the requests before it logged
        code = command._compare(type("Given", (), asked)())
        return code, capsys.readouterr().out.splitlines()

    code, lines = run()
    assert (code, lines[0]) == (0, "revision 0 to 1: 2 added, 0 changed, 0 gone, 0 the same")
    assert any(line.startswith("+ ki_") and "roof" in line for line in lines)
    assert {json.loads(line).get("kind") for line in run(json=True)[1]} == {"added", None}
    assert run(base="nowhere")[0] == 1
    assert run(after=9)[0] == 2
