"""What an entity is named with, and the values of an attribute over time."""

from dataclasses import replace

from django.test import Client
from django.urls import reverse

from knowledge.failures import Failed, Failure, Ok
from knowledge.provider import Decision
from knowledge.records import Entity
from knowledge.scope import KnowledgeScope, Level
from tests.console.fake import FakeProvider

SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
GRAPH = reverse("entity-graph", args=["falcon-programme", "ent_falcon"])
TIMELINE = reverse("timeline", args=["falcon-programme"])


def test_the_picture_and_the_table_say_the_same(as_member: Client) -> None:
    page = as_member.get(GRAPH).content.decode()
    table = page[page.index("<table") :]
    for name, count in (
        ("Robert Smith", "3 statements"),
        ("Robert Smyth", "2 statements"),
        ("Northwind Aero", "1 stat"),
    ):
        assert f'aria-label="{name}, {count}' in page
        assert f">{name}</a>" in table
    assert page.count("<line ") == 3
    assert "The launch date for Project Falcon is March 3, 2026." in table
    assert "style=" not in page


def test_many_neighbours_are_drawn_in_part_and_listed_whole(as_member: Client, engine: FakeProvider) -> None:
    engine.known_entities |= {f"ent_{at}": Entity(f"ent_{at}", "person", f"Person {at}", (), 1, 1) for at in range(15)}
    engine.known_statements |= {
        f"ki_x{at}": replace(engine.known_statements["ki_3"], id=f"ki_x{at}") for at in range(15)
    }
    page = as_member.get(GRAPH).content.decode()
    assert page.count("<line ") == 12
    assert page.count('<th scope="row">') == 18
    assert "The 12 named together most are drawn; the table has more." in page


def test_an_entity_named_with_none_says_what_to_do(as_member: Client, engine: FakeProvider) -> None:
    engine.known_entities = {"ent_falcon": engine.known_entities["ent_falcon"]}
    page = as_member.get(GRAPH).content.decode()
    assert "No statement names it with another" in page
    assert "<svg viewBox" not in page


def test_a_timeline_tells_values_in_order_with_what_was_ruled(as_member: Client, engine: FakeProvider) -> None:
    page = as_member.get(TIMELINE, {"key": "falcon|launch_date"}).content.decode()
    assert page.index('datetime="2026-03-03"') < page.index('datetime="2026-04-10"')
    assert page.count("The sources disagree here") == 2
    digest = engine.known_conflicts["cf_date"].digest
    ruled = engine.resolve(SCOPE, "cf_date", Decision("choose_side", "Tomás", "Dated.", digest, side_id="side_ki_10"))
    assert isinstance(ruled, Ok)
    page = as_member.get(TIMELINE, {"key": "falcon|launch_date"}).content.decode()
    assert "The sources disagree here" not in page
    assert page.count("ruled by Tomás") == 2
    assert "Superseded" in page


def test_a_timeline_takes_two_reads_of_the_base(as_member: Client, engine: FakeProvider) -> None:
    as_member.get(TIMELINE, {"key": "falcon|budget"})
    engine.calls.clear()
    as_member.get(TIMELINE, {"key": "falcon|budget"})
    assert [call for call in engine.calls if call not in ("engine", "base", "ready")] == [
        "statements",
        "queued",
    ]


def test_values_stand_when_the_conflicts_cannot_be_had(as_member: Client, engine: FakeProvider) -> None:
    engine.failures["queued"] = Failed(Failure.TIMEOUT, "No reply within 2000 ms.")
    page = as_member.get(TIMELINE, {"key": "falcon|budget"}).content.decode()
    assert "The values below are whole." in page
    assert "USD 1350000" in page


def test_a_timeline_of_nothing_says_so_and_one_without_a_key_is_none(as_member: Client) -> None:
    assert "No statement states a value for this any more" in as_member.get(TIMELINE, {"key": "x|y"}).content.decode()
    assert as_member.get(TIMELINE).status_code == 404
    statement = as_member.get(reverse("statement", args=["falcon-programme", "ki_10"])).content.decode()
    assert f'href="{TIMELINE}?key=falcon%7Claunch_date"' in statement


def test_empty_regions_stand_by_themselves(as_member: Client, engine: FakeProvider) -> None:
    """What htmx fetches alone has no page around it that names the project."""
    engine.known_entities, engine.known_candidates, engine.known_statements = {}, {}, {}
    for name, region in (("entities", "entities"), ("candidates", "candidates"), ("knowledge", "results")):
        headers = {"HX-Request": "true", "HX-Target": region}
        answer = as_member.get(reverse(name, args=["falcon-programme"]), {"q": "x"}, headers=headers)
        assert answer.content.decode().count("<a ") >= 1
        assert "<html" not in answer.content.decode()
