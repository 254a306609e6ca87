"""A vault opens without a broken link, and no text of a document becomes part of its structure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forager.interchange import vault as writing_of
from forager.interchange import writing
from forager.model.models import Alias, Entity, KnowledgeBase, Statement
from tests.forager.conftest import Api
from tests.forager.interchange import vaults
from tests.forager.pipeline.test_runs import falcon, load

HOSTILE = (
    "The fee of [[Entities/Owner]] is 12 EUR ^ki-1.\n\n"
    "---\ntags: [x]\n---\n\n# A heading\n\n![[secret]] #tag %%hidden%% $x$ <script>alert(1)</script> "
    "==mark== is closed.\n"
)


def exported(api: Api, base: KnowledgeBase) -> dict[str, vaults.Note]:
    made = api.post(f"/projects/{base.pk}/exports", {"format": "obsidian"}, status=202)
    assert writing.write_waiting()
    told = api.get(f"/exports/{made['id']}")
    assert told["status"] == "completed", told
    return vaults.read(api.get(f"/exports/{made['id']}/download"))


def test_the_falcon_documents_make_a_vault_without_a_broken_link(api: Api, base: KnowledgeBase) -> None:
    load(base, falcon())
    vault = exported(api, base)
    assert vaults.faults(vault) == []
    statements = api.get(f"/projects/{base.pk}/knowledge", page_size=200)["items"]
    places = {anchor for note in vault.values() for anchor in note.anchors if anchor.startswith("ki-")}
    assert places == {item["id"].replace("_", "-") for item in statements}
    mail = next(note for name, note in vault.items() if name.startswith("Sources/02-"))
    assert mail.properties["path"].startswith("02-")
    assert any(line.startswith("> ") and "April 10" in line for line in mail.body.splitlines())
    project = vault["Entities/Project Falcon"]
    assert (project.properties["type"], "Falcon" in project.properties["aliases"]) == ("project", True)
    assert any("April 10" in shown for _, shown in project.links)
    (dispute,) = [note for name, note in vault.items() if name.endswith("launch_date")]
    assert {shown for _, shown in dispute.links} >= {"The launch date for Project Falcon is March 3, 2026."}


def test_what_documents_say_becomes_no_part_of_the_vault(api: Api, base: KnowledgeBase) -> None:
    crane = {"con.txt": "The crane lifts 10 t.", "CON.txt": "The crane lifts 12 t."}
    api.load(base.pk, {"a #1 [x]|y.md": HOSTILE, **crane})
    Entity.objects.filter(base=base).update(canonical_name="[[x]]|#^ \\ ..")
    Alias.objects.filter(base=base).update(alias='"]\nkey: "value" \u2028 {{')
    Statement.objects.filter(base=base).update(title="")
    vault = exported(api, base)
    assert vaults.faults(vault) == []
    for note in vault.values():
        assert not {"key", "value"} & note.properties.keys()
        assert "<script>" not in note.body.replace("\\<", "")


def test_notes_are_told_apart_without_regard_to_case(api: Api, base: KnowledgeBase) -> None:
    names = writing_of.Names({"Start here"})
    taken = [names.take("Entities", name, f"ent_{at}") for at, name in enumerate(("Kite", "kite", "KITE?", "..", ""))]
    assert taken == ["Entities/Kite", "Entities/kite ent-1", "Entities/KITE ent-2", "Entities/ent-3", "Entities/ent-4"]
    assert names.take("Sources", "../../etc/aux.txt", "src_1") == "Sources/etc/aux.txt note"


@given(st.text(max_size=80))
def test_any_text_is_one_plain_line(text: str) -> None:
    line = writing_of.escaped(text)
    assert line.splitlines() in ([], [line])
    assert not vaults.ANY_LINK.search(line)
    assert not vaults.ANCHOR.search(line)
    assert not vaults.TAG.search(line)


@given(st.text(max_size=80))
def test_any_text_is_quoted_line_by_line(text: str) -> None:
    assert all(line.startswith(">") for line in writing_of.quoted(text).split("\n"))
    assert not vaults.ANCHOR.search(writing_of.quoted(text))


@pytest.mark.parametrize("name", ["jsonl", "anthill", "obsidian"])
def test_one_view_makes_the_same_bytes(api: Api, base: KnowledgeBase, name: str) -> None:
    api.load(base.pk, {"a.txt": "The fee of Kite is 12 EUR.", "b.txt": "The fee of Kite is 13 EUR."})
    digests = set()
    for _ in range(2):
        made = api.post(f"/projects/{base.pk}/exports", {"format": name}, status=202)
        writing.write_waiting()
        digests.add(api.get(f"/exports/{made['id']}")["sha256"])
    assert len(digests) == 1
