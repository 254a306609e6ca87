"""A proof of a statement: checked by the script inside it, alone, and one flipped byte names its file."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from knowledge.failures import Failed, Failure, Ok, Outcome
from knowledge.proof import ProofFile, proof_of
from knowledge.provider import Reference
from knowledge.records import (
    CheckedReference,
    CheckedReferences,
    SourceText,
)
from knowledge.reviewing import Dispute, Grounds, ReviewEvent
from knowledge.scope import KnowledgeScope
from tests.knowledge.shelf import SCOPE, Shelf, conflict, evidence, statement

TEXT = "Rules of the yard\n\nThe roof is red – since 1912.\n"
GONE = Failed(Failure.NOT_FOUND, "There is no such text here.")
EXCERPT = "The roof is red – since 1912."


@dataclass
class Archive(Shelf):
    """A shelf that also tells of texts, history and rulings. ``moved`` are evidence ids that stand no more.

    ``apart``: its texts do not come along with the statement.
    """

    moved: set[str] = field(default_factory=set)
    apart: bool = False

    def grounds(self, scope: KnowledgeScope, statement_id: str) -> Outcome[Grounds]:  # type: ignore[override]
        found = next((s for s in self.statements_held if s.id == statement_id), None)
        if found is None:
            return Failed(Failure.NOT_FOUND, "There is no such statement here.")
        event = ReviewEvent("re_1", "cf_1", "choose_side", "open", "resolved", "Mara", "It is newer.", None)
        texts = () if self.apart else (SourceText("src_1", TEXT, "", (), ()),)
        return Ok(Grounds(found, texts, (), (Dispute(conflict("cf_1", "ki_1", "ki_2"), (event,)),)))

    def source_text(self, scope: KnowledgeScope, source_id: str) -> Outcome[SourceText]:  # type: ignore[override]
        return Ok(SourceText(source_id, TEXT, "", (), ())) if self.apart else GONE

    def check_references(  # type: ignore[override]
        self, scope: KnowledgeScope, references: Sequence[Reference], *, include_historical: bool = False
    ) -> Outcome[CheckedReferences]:
        checked = (CheckedReference(r.statement_id, r.evidence_id not in self.moved) for r in references)
        return Ok(CheckedReferences(tuple(checked), "1:1"))


def archive(**changes: object) -> Archive:
    at = TEXT.index(EXCERPT)
    piece = evidence("ki_1", EXCERPT, start=at, end=at + len(EXCERPT))
    return Archive([statement("ki_1", EXCERPT, evidence=(piece,), conflict_ids=("cf_1",), **changes)])


def made(shelf: Archive) -> ProofFile:
    outcome = proof_of(shelf, SCOPE, "ki_1")
    assert isinstance(outcome, Ok), outcome
    return outcome.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    zipfile.ZipFile(io.BytesIO(made(archive()).content)).extractall(tmp_path)
    return tmp_path


def checked(folder: Path) -> tuple[int, list[str]]:
    run = subprocess.run(
        [sys.executable, "-I", str(folder / "check.py")], capture_output=True, text=True, check=False, cwd=folder
    )
    assert not run.stderr
    return run.returncode, run.stdout.splitlines()


def test_a_whole_proof_is_right(folder: Path) -> None:
    assert checked(folder) == (0, ["nothing is wrong"])


def test_it_holds_the_statement_its_text_and_who_ruled(folder: Path) -> None:
    told = json.loads((folder / "statement.json").read_text("utf-8"))
    assert (told["text"], told["support"], told["evidence"][0]["excerpt"]) == (EXCERPT, "direct_fact", EXCERPT)
    assert (folder / "texts" / "src_1.txt").read_text("utf-8") == TEXT
    (dispute,) = json.loads((folder / "trail.json").read_text("utf-8"))["disputes"]
    assert (dispute["rulings"][0]["actor"], dispute["rulings"][0]["notes"]) == ("Mara", "It is newer.")


def test_the_same_knowledge_gives_the_same_bytes() -> None:
    assert made(archive()) == made(archive())
    assert made(archive()).digest != made(archive(confidence=0.8)).digest


@pytest.mark.parametrize("name", ["statement.json", "trail.json", "texts/src_1.txt", "README.txt"])
def test_one_flipped_byte_names_its_file(folder: Path, name: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert checked(folder) == (1, [f"WRONG  {name}: its bytes are not those the manifest names", "1 wrong"])


def test_what_is_missing_or_slipped_in_is_named(folder: Path) -> None:
    (folder / "trail.json").unlink()
    (folder / "texts" / "more.txt").write_text("The roof is blue.")
    code, lines = checked(folder)
    assert code == 1
    assert lines[:2] == ["WRONG  trail.json: missing", "WRONG  texts/more.txt: not named by the manifest"]


def test_a_forged_excerpt_is_found_though_the_manifest_was_forged_too(folder: Path) -> None:
    import hashlib

    path = folder / "statement.json"
    path.write_text(path.read_text("utf-8").replace("is red", "is blue"), encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"]["statement.json"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    _, lines = checked(folder)
    assert "WRONG  evidence ev_ki_1: the excerpt does not have its digest" in lines
    assert "WRONG  evidence ev_ki_1: the excerpt does not stand in its text where it says" in lines


def test_a_text_that_did_not_come_along_is_fetched() -> None:
    shelf = archive()
    shelf.apart = True
    assert made(shelf) == made(archive())


def test_evidence_that_changed_meanwhile_gives_no_proof() -> None:
    shelf = archive()
    shelf.moved = {"ev_ki_1"}
    outcome = proof_of(shelf, SCOPE, "ki_1")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.CONFLICT


def test_an_unknown_statement_is_not_found() -> None:
    outcome = proof_of(archive(), SCOPE, "ki_9")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.NOT_FOUND
