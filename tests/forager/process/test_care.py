"""Looking after the store: damage is named, a lost index answered around and made anew, what changed flagged."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db import connection
from django.utils import timezone

from forager.model import blobs
from forager.model.models import Evidence, KnowledgeBase, Source, SourceText, Statement
from forager.pipeline import verification
from forager.process.work import look_after
from forager.review import rehash, sweeping
from forager.search import fusion, keeping
from forager.search.like import Like
from tests.forager.conftest import Api

FILES = {
    "memo.txt": "The launch date for Project Kite is March 3, 2026.\n",
    "port.txt": "The harbour of Kite opens at 9:00.\n",
}


@pytest.fixture
def loaded(api: Api, base: KnowledgeBase) -> KnowledgeBase:
    api.load(base.pk, FILES)
    base.refresh_from_db()
    return base


def kinds() -> list[str]:
    return sorted({f.kind for f in verification.findings()})


def path_of(name: str) -> Path:
    return blobs.path_of(Source.objects.get(path=name).content_hash)


def lose_index(base: KnowledgeBase) -> None:
    with connection.cursor() as cursor:
        for kind in ("statement", "chunk"):
            cursor.execute(f"DROP TABLE fts_{kind}_{base.pk.partition('_')[2]}")


def left_over(content: bytes, age: timedelta = timedelta(hours=2)) -> Path:
    path = blobs.path_of(blobs.write([content]).sha256)
    written = (timezone.now() - age).timestamp()
    os.utime(path, (written, written))
    return path


def test_bytes_nobody_owns_are_removed_when_no_upload_can_be_about_them(loaded: KnowledgeBase) -> None:
    old = left_over(b"of an upload that broke off")
    young = left_over(b"of one under way", timedelta(minutes=5))
    assert kinds() == ["bytes_without_owner"]
    assert look_after()
    assert (old.exists(), young.exists(), path_of("memo.txt").exists()) == (False, True, True)
    assert kinds() == []
    again = left_over(b"looked for once an hour")
    assert not look_after()
    assert again.exists()


def test_what_is_stored_anew_while_it_is_swept_stays(loaded: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"loaded again at this very moment"
    path = left_over(content)
    rename = Path.replace

    def stored_before(self: Path, target: Path) -> Path:
        if self == path and not target.name.startswith(".partial"):
            monkeypatch.setattr(Path, "replace", rename)
            blobs.write([content])
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", stored_before)
    assert not sweeping.one_due()
    assert path.read_bytes() == content


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_process_whose_clock_is_wrong_takes_nothing_that_is_just_being_loaded(
    loaded: KnowledgeBase, hours: int
) -> None:
    (Path(settings.DATA_DIR) / "swept").unlink(missing_ok=True)
    path = left_over(b"registered in a moment", timedelta())
    with time_machine.travel(timezone.now() + timedelta(hours=hours)):
        assert list(sweeping.without_owner()) == []
        assert not sweeping.one_due()
    assert path.read_bytes() == b"registered in a moment"


def test_a_whole_store_has_no_findings(loaded: KnowledgeBase) -> None:
    assert kinds() == []


def test_every_kind_of_damage_is_named(loaded: KnowledgeBase) -> None:
    path_of("memo.txt").unlink()
    path_of("port.txt").write_bytes(b"something else")
    left_over(b"nobody owns this")
    Statement.objects.update(evidence_count=7)
    Statement.objects.create(
        item_id="ki_bare", base=loaded, type="fact", text="Bare.", support="direct_fact", support_reason="",
        confidence=1, recorded_at=timezone.now(), extractor_name="x", extractor_version="1", content_hash="0",
        rev_from=1,
    )  # fmt: skip
    assert kinds() == [
        "bytes_changed",
        "bytes_missing",
        "bytes_without_owner",
        "evidence_miscounted",
        "index_incomplete",
        "statement_without_evidence",
    ]


def test_a_changed_excerpt_is_named(loaded: KnowledgeBase) -> None:
    Evidence.objects.filter(source__path="memo.txt").update(excerpt="Another.")
    assert kinds() == ["excerpt_changed"]


def test_without_its_index_a_base_is_searched_row_by_row_and_says_so(api: Api, loaded: KnowledgeBase) -> None:
    before = api.get(f"/projects/{loaded.pk}/search", q="launch date of Kite")
    lose_index(loaded)
    meanwhile = api.get(f"/projects/{loaded.pk}/search", q="launch date of Kite")
    assert (before["backend"], meanwhile["backend"]) == (fusion.active().name, Like().name)
    assert meanwhile["knowledge"][0]["item"]["id"] == before["knowledge"][0]["item"]["id"]
    assert kinds() == ["index_incomplete"]
    keeping.rebuild(loaded)
    after = api.get(f"/projects/{loaded.pk}/search", q="launch date of Kite")
    assert {**after, "took_ms": 0} == {**before, "took_ms": 0}
    assert kinds() == []


def test_an_index_that_lost_rows_is_found_and_made_whole_while_nothing_else_is_to_do(
    api: Api, loaded: KnowledgeBase
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM fts_statement_{loaded.pk.partition('_')[2]}")  # noqa: S608
    assert keeping.lost() == loaded
    assert look_after()
    assert keeping.lost() is None
    assert api.get(f"/projects/{loaded.pk}/search", q="launch date of Kite")["knowledge"]


def test_a_job_makes_a_lost_index_whole_not_only_its_own_rows(api: Api, loaded: KnowledgeBase) -> None:
    lose_index(loaded)
    api.load(loaded.pk, {"more.txt": "The fee of Kite is 12 EUR.\n"})
    found = api.get(f"/projects/{loaded.pk}/search", q="launch fee", include_chunks="true")
    assert found["backend"] == fusion.active().name
    assert {h["item"]["attribute_key"] for h in found["knowledge"]} >= {"kite|fee", "kite|launch_date"}
    assert len(found["chunks"]) == 2


def item_of(api: Api, base: KnowledgeBase, name: str) -> dict[str, Any]:
    source = Source.objects.get(path=name).pk
    return dict(api.get(f"/projects/{base.pk}/knowledge", source=source)["items"][0])


def test_exactly_the_statements_of_a_changed_source_are_flagged_and_come_back_with_it(
    api: Api, loaded: KnowledgeBase
) -> None:
    Source.objects.update(last_verified_at=timezone.now() - timedelta(days=2))
    before = api.get(f"/projects/{loaded.pk}")["view_id"]
    kept = path_of("memo.txt").read_bytes()
    path_of("memo.txt").write_bytes(b"The launch date is whenever you like.")
    assert rehash.one_due()
    assert rehash.one_due()
    assert not rehash.one_due(), "each was compared once"
    assert item_of(api, loaded, "memo.txt")["status"] == "unresolved"
    assert item_of(api, loaded, "port.txt")["status"] == "active"
    assert api.get(f"/projects/{loaded.pk}")["view_id"] != before
    told = api.get(f"/sources/{Source.objects.get(path='memo.txt').pk}")
    assert told["warnings"][-1]["code"] == rehash.CODE
    assert told["last_verified_at"]
    path_of("memo.txt").write_bytes(kept)
    rehash.compare(Source.objects.get(path="memo.txt"))
    assert item_of(api, loaded, "memo.txt")["status"] == "active"
    assert api.get(f"/sources/{Source.objects.get(path='memo.txt').pk}")["warnings"] == []


def test_a_changed_text_breaks_all_its_excerpts(api: Api, loaded: KnowledgeBase) -> None:
    SourceText.objects.filter(source__path="memo.txt").update(text="Something else entirely, and longer than it was.")
    assert not rehash.compare(Source.objects.get(path="memo.txt"))
    assert item_of(api, loaded, "memo.txt")["status"] == "unresolved"
