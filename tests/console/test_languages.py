"""A language of marks: every text of the product comes out of the catalogue, and what is left is data.

Each literal part of a message is put between ⟦ and ⟧, so that a word of the product that is handed in as a value of
another message shows as well.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from django.conf import settings as django_settings
from django.test import Client
from django.utils import translation

from console.catalogue import messages, template
from console.env import TABLE
from console.people.models import User
from console.projects.models import Project
from knowledge.failures import Failed, Failure
from tests.console import falcon
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider
from tests.structure.templates_read import NOT_WORDS, SEEN, VOID

MARKED = "tlh"
PART = re.compile(r"(%\(\w+\)s|\{[^{}]*\}|<[^<>]+>|&\w+;)")
WORD = re.compile(r"[^\W\d_]{2,}")
BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
UNITS = "ms kB MB GB TB min"
PROJECT = "/p/falcon-programme"
PAGES = [
    f"{PROJECT}/sources",
    f"{PROJECT}/sources/src_mail",
    f"{PROJECT}/knowledge",
    f"{PROJECT}/knowledge?q=falcon+launch+date&support=direct_fact&as_of=2026-02-27&known_at=2026-03-01",
    f"{PROJECT}/knowledge?q=falcon+launch+date&status=superseded",
    f"{PROJECT}/knowledge/ki_10",
    f"{PROJECT}/knowledge/entities",
    f"{PROJECT}/knowledge/entities/ent_smith",
    f"{PROJECT}/knowledge/entities/ent_falcon/graph",
    f"{PROJECT}/knowledge/timeline?key=falcon%7Claunch_date",
    f"{PROJECT}/knowledge/searches",
    f"{PROJECT}/knowledge/entities/candidates",
    f"{PROJECT}/knowledge/entities/candidates/mc_smith?show=open",
    f"{PROJECT}/review",
    f"{PROJECT}/review?tab=solved",
    f"{PROJECT}/review?tab=maybe",
    f"{PROJECT}/review/cf_date?tab=open",
    f"{PROJECT}/review/cf_twin",
    f"{PROJECT}/review/history",
    f"{PROJECT}/review/phrases",
    f"{PROJECT}/export",
    f"{PROJECT}/base",
    f"{PROJECT}/find?q=launch",
    "/connection",
    "/settings/projects",
    "/settings/projects/falcon-programme",
    "/settings/people",
    "/settings/tokens",
    "/settings/password",
    "/settings/sign-in",
    "/settings/sign-in/second-factor",
    "/sign-in",
    "/nowhere",
]


def marked(text: str) -> str:
    """``⟦Take ⟧%(name)s⟦ out⟧``; blanks at the ends stay outside."""

    def one(part: str) -> str:
        return f"⟦{part}⟧" if WORD.search(part) or part.strip().isalpha() else part

    return "".join(part if PART.fullmatch(part) else one(part) for part in PART.split(text))


@pytest.fixture
def marks(tmp_path: Path, settings: Any) -> Iterator[None]:
    """The product in the language of marks, for who asks for it."""
    catalog = Catalog(locale="en", charset="utf-8")
    for message in messages(django_settings.ROOT):
        is_one = isinstance(message, str)
        catalog.add(message, string=marked(message) if is_one else tuple(marked(each) for each in message))
    written = tmp_path / MARKED / "LC_MESSAGES" / "django.mo"
    written.parent.mkdir(parents=True)
    with written.open("wb") as file:
        write_mo(file, catalog)
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGES = [("en", "English"), (MARKED, "Marks")]
    yield
    translation.activate("en")


class Page(HTMLParser):
    """The words of a page a person sees or hears, without bytes, keys and drawings."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self.open: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attrs if value and name in SEEN and name != "value"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not NOT_WORDS.intersection(self.open):
            self.said.append(data)


def left_over(page: str, data: set[str]) -> set[str]:
    """Words outside of the marks that no row of the data holds."""
    said = " ".join("\n".join(Page(page).said).split("\n"))
    while BRACKETS.search(said):
        said = BRACKETS.sub(" ", said)
    return {word for word in WORD.findall(said) if word not in data and word.lower() not in data}


def words_of(value: object) -> set[str]:
    """Every word in a record and in the records it holds."""
    if isinstance(value, str):
        return {*WORD.findall(value), *WORD.findall(value.lower()), *WORD.findall(value.replace("_", " ").capitalize())}
    if is_dataclass(value):
        return set().union(*(words_of(getattr(value, each.name)) for each in fields(value)))
    if isinstance(value, dict):
        return set().union(*(words_of(each) for pair in value.items() for each in pair), set())
    if isinstance(value, (list, tuple, set, frozenset)):
        return set().union(*(words_of(each) for each in value), set())
    return set()


def data_of(engine: FakeProvider, *people: User) -> set[str]:
    """What the rows say: statements, sources, entities, jobs, people, projects, and what is called by its own name."""
    held = words_of(vars(engine)) | words_of(falcon.TEXTS)
    held |= {word for each in people for word in WORD.findall(f"{each.name} {each.email}")}
    named = "Falcon programme falcon demo Anthill Console QR PDF SHA Python OpenAPI Linux ANTHILL http"
    told = "the words wrong content under review"  # why a hit matched and reasons of a step, as the double tells them
    django = "Select an option"  # Django's own, in its own catalogues
    return (
        held | set(WORD.findall(f"{named} {told} {django} {MONTHS} {UNITS}")) | words_of([each.name for each in TABLE])
    )


def as_read(client: Client, address: str) -> str:
    return client.get(address, headers={"Accept-Language": MARKED}).content.decode()


@pytest.mark.parametrize("address", PAGES)
def test_no_word_of_the_product_is_left_outside_of_the_catalogue(
    marks: None, owner: User, project: Project, engine: FakeProvider, address: str
) -> None:
    engine.create_export(None, format="jsonl")  # type: ignore[arg-type]
    client = Client() if address == "/sign-in" else signed_in(owner)
    page = as_read(client, address)
    assert f'<html lang="{MARKED}"' in page
    assert "⟦" in page
    assert sorted(left_over(page, data_of(engine, owner, *User.objects.all()))) == []


@pytest.mark.parametrize("address", [f"{PROJECT}/sources", f"{PROJECT}/review", "/connection"])
def test_nor_is_one_while_the_engine_is_away(
    marks: None, owner: User, project: Project, engine: FakeProvider, address: str
) -> None:
    engine.engine_outcome = Failed(Failure.TIMEOUT, "No reply within 2000 ms.", limit_ms=2000)
    page = as_read(signed_in(owner), address)
    known = data_of(engine, owner) | words_of("No reply within 2000 ms. Yes")
    assert sorted(left_over(page, known)) == []


def test_the_check_itself_finds_a_word() -> None:
    assert left_over("<p>⟦Take ⟧Bob⟦ out⟧ now <code>sha</code></p>", {"Bob"}) == {"now"}
    assert left_over('<p title="Now">⟦a <b>⟦b⟧</b>⟧</p>', set()) == {"Now"}
    assert marked("Take %(name)s <b>out</b> {n:,}") == "⟦Take ⟧%(name)s <b>⟦out⟧</b> {n:,}"


def test_who_asks_for_no_language_reads_english(as_member: Client) -> None:
    page = as_member.get(f"{PROJECT}/sources", headers={"Accept-Language": "tlh, de;q=0.5"}).content.decode()
    assert '<html lang="en"' in page
    assert "<h1>Sources</h1>" in page


def test_the_source_of_the_catalogues_is_made_anew() -> None:
    """``python manage.py catalogue`` was run after the last change of a text."""
    kept = (django_settings.ROOT / "locale" / "django.pot").read_bytes()
    assert kept == template(django_settings.ROOT)
