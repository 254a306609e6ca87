import io
import os
import stat
import tracemalloc
import zipfile

import pytest

from forager.parsing.document import Document, UnreadableDocumentError
from forager.parsing.registry import parse


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def read(content: bytes) -> Document:
    return parse(content, "papers.zip")


def codes(document: Document) -> list[str]:
    return [w.code for w in document.warnings]


def test_the_files_of_an_archive_become_children_with_their_paths() -> None:
    document = read(packed({"a.txt": b"The pump runs.", "deep/b.md": b"# B"}))
    assert [(c.name, c.unfold()) for c in document.children] == [("a.txt", b"The pump runs."), ("deep/b.md", b"# B")]
    assert (document.ledger.unit, document.ledger.units, document.ledger.read) == ("file", 2, 2)


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b.txt"])
def test_a_path_that_leaves_the_archive_is_left_out_and_named(name: str) -> None:
    document = read(packed({name: b"x", "good.txt": b"The pump runs."}))
    assert [c.name for c in document.children] == ["good.txt"]
    assert [(w.code, w.locator) for w in document.warnings] == [("bad_path", name)]


def test_a_link_is_never_followed() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert codes(read(out.getvalue())) == ["link"]


def test_a_file_that_unfolds_without_measure_is_left_out() -> None:
    document = read(packed({"bomb.txt": b"0" * 5_000_000, "good.txt": b"The pump runs."}))
    assert [c.name for c in document.children] == ["good.txt"]
    assert codes(document) == ["ratio"]


def test_two_files_of_one_name_are_both_kept() -> None:
    out = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "one")
        archive.writestr("a.txt", "two")
    document = read(out.getvalue())
    assert [c.name for c in document.children] == ["a.txt", "a (2).txt"]
    assert codes(document) == ["duplicate_name"]


def test_damaged_bytes_spoil_their_own_file_alone() -> None:
    content = bytearray(packed({"bad.txt": b"A" * 50, "good.txt": b"The pump runs."}, zipfile.ZIP_STORED))
    content[content.index(b"AAAA") + 3] ^= 0xFF
    document = read(bytes(content))
    assert [c.name for c in document.children] == ["good.txt"]
    assert codes(document) == ["damaged"]


def test_empty_files_are_told_in_one_line() -> None:
    document = read(packed({f"{n}.txt": b"" for n in range(50)}))
    assert [w.message for w in document.warnings] == ["50 of its 50 files are empty and were left out."]


def test_more_entries_than_allowed_are_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forager.parsing.archive.MAX_ENTRIES", 2)
    with pytest.raises(UnreadableDocumentError) as caught:
        read(packed({f"{n}.txt": b"x" for n in range(3)}))
    assert caught.value.code == "too_many_entries"


def test_an_archive_is_never_held_unfolded() -> None:
    entry = (os.urandom(2_000) + bytes(98_000)) * 40
    content = packed({f"{at}.bin": entry for at in range(12)})
    tracemalloc.start()
    document = read(content)
    assert b"".join(child.unfold()[:1] for child in document.children) == entry[:1] * 12
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(content) + 3 * len(entry)
