"""Importing a folder of the engine's machine: inside the allowed roots alone, whatever links say."""

import os
from pathlib import Path
from typing import Any

import pytest

from forager.model.models import KnowledgeBase, Source
from tests.forager.conftest import Api


@pytest.fixture
def roots(tmp_path: Path, settings: Any) -> Path:
    root = tmp_path / "in"
    (root / "deep").mkdir(parents=True)
    (root / "a.txt").write_text("The fee of Kite is 12 EUR.\n")
    (root / "deep" / "b.txt").write_text("The width of Kite is 12 m.\n")
    (tmp_path / "outside.txt").write_text("The secret of Kite is 4711.\n")
    settings.ALLOWED_INPUT_ROOTS = (str(root),)
    return root


def take(api: Api, base: KnowledgeBase, path: object, status: int = 201, **more: object) -> Any:
    return api.post(f"/projects/{base.pk}/sources/directory", {"path": str(path), **more}, status)


def paths() -> list[str]:
    return sorted(Source.objects.values_list("path", flat=True))


def test_a_folder_is_registered_with_its_paths_and_repeats_safely(api: Api, base: KnowledgeBase, roots: Path) -> None:
    assert take(api, base, roots)["registered"] == 2
    assert paths() == ["a.txt", "deep/b.txt"]
    assert take(api, base, roots) == {"registered": 0, "already_there": 2, "refused_count": 0, "refused": []}


def test_without_allowed_roots_there_is_no_folder_import(
    api: Api, base: KnowledgeBase, roots: Path, settings: Any
) -> None:
    settings.ALLOWED_INPUT_ROOTS = ()
    assert take(api, base, roots, 403)["error"]["code"] == "forbidden"


@pytest.mark.parametrize("wanted", ["..", "../outside.txt", "/etc", "../in-other", "nowhere", "a.txt\x00"])
def test_what_lies_outside_is_refused_like_what_is_not_there(
    api: Api, base: KnowledgeBase, roots: Path, wanted: str
) -> None:
    (roots.parent / "in-other").mkdir()
    messages = {take(api, base, f"{roots}/{name}", 403)["error"]["message"] for name in (wanted, "never-was")}
    assert len(messages) == 1
    assert paths() == []


def test_links_out_of_the_roots_are_named_and_not_followed(api: Api, base: KnowledgeBase, roots: Path) -> None:
    (roots / "link.txt").symlink_to(roots.parent / "outside.txt")
    (roots / "inner.txt").symlink_to(roots / "a.txt")
    (roots / "loop").symlink_to(roots)
    (roots.parent / "away").mkdir()
    (roots.parent / "away" / "c.txt").write_text("Away.")
    (roots / "folder").symlink_to(roots.parent / "away")
    answer = take(api, base, roots)
    assert [r["path"] for r in answer["refused"]] == ["link.txt"]
    assert paths() == ["a.txt", "deep/b.txt", "inner.txt"]
    take(api, base, roots / "folder", 403)


def test_what_is_no_document_is_left_out_by_name(api: Api, base: KnowledgeBase, roots: Path, settings: Any) -> None:
    (roots / ".git").mkdir()
    (roots / ".git" / "config").write_text("[remote]")
    os.mkfifo(roots / "pipe")
    settings.MAX_FILE_BYTES = 27
    (roots / "big.txt").write_text("x" * 28)
    answer = take(api, base, roots)
    assert {r["path"]: r["code"] for r in answer["refused"]} == {
        ".git": "blocked",
        "pipe": "not_a_file",
        "big.txt": "file_too_large",
    }


def test_a_folder_below_is_left_out_when_asked(api: Api, base: KnowledgeBase, roots: Path) -> None:
    take(api, base, roots, recursive=False)
    assert paths() == ["a.txt"]
