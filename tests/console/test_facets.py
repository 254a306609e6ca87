"""The Knowledge page narrowed by facets and by time, all of it in the address."""

import datetime as dt
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from console.searches.models import SavedSearch
from knowledge.failures import Ok
from knowledge.provider import StatementFilter, Within
from knowledge.records import Page
from knowledge.vocabulary import Band
from tests.console.fake import FakeProvider

PAGE = reverse("knowledge", args=["falcon-programme"])


def read(client: Client, code: int = 200, **asked: str) -> str:
    answer = client.get(PAGE, asked)
    assert answer.status_code == code
    return answer.content.decode()


def facet(page: str, name: str) -> str:
    return page[page.index(f'aria-label="{name}"') :].partition("</nav>")[0]


def test_every_facet_is_a_link_with_the_number_shown(as_member: Client, engine: FakeProvider) -> None:
    engine.known_statements["ki_3"] = replace(engine.known_statements["ki_3"], band=Band.GENERAL, type="decision")
    page = read(as_member, q="falcon launch date")
    assert "counts: the 5 statements shown" in page
    assert 'href="?q=falcon+launch+date&amp;support=direct_fact"' in facet(page, "Support")
    assert ">4</span></a>" in facet(page, "Support")
    assert 'href="?q=falcon+launch+date&amp;kind=decision"' in facet(page, "Kind")
    assert 'Project Falcon<span class="push num">5</span>' in facet(page, "Entity")
    assert '02-schedule-update.eml<span class="push num">3</span>' in facet(page, "Source")
    assert 'General<span class="push num">1</span>' in facet(page, "Band")
    assert "Disputed" in facet(page, "State")


@pytest.mark.parametrize("asked", [{"q": "falcon launch date customer"}, {}])
def test_a_facet_narrows_and_is_taken_back_alone(as_member: Client, asked: dict[str, str]) -> None:
    page = read(as_member, **asked, support="unverified_claim", source="src_mail")
    assert page.count('<article class="stmt"') == 1
    assert "The customer has already agreed" in page
    narrowed = page[page.index('aria-label="What narrows the list"') :].partition("</nav>")[0]
    rest = f"?{'q=falcon+launch+date+customer&amp;' if asked else ''}"
    assert f'href="{rest}source=src_mail"' in narrowed
    assert f'href="{rest}support=unverified_claim"' in narrowed
    assert 'name="support" value="unverified_claim"' in page, "the next question keeps it"
    assert f'href="{rest}source=src_mail" aria-current="true"' in facet(page, "Support")


def test_nothing_that_meets_all_of_it_says_so(as_member: Client) -> None:
    page = read(as_member, q="falcon launch date", status="superseded", entity="ent_nobody")
    assert "No statement meets all of this" in page
    assert ">ent_nobody" in page.replace("</span> ", "</span>>"), "one not shown is told by its id"


def test_what_cannot_be_meant_is_taken_as_not_asked(as_member: Client) -> None:
    page = read(as_member, q="falcon launch date", support="certain", status="withheld", kind="X y", band="secret")
    assert "What narrows the list" not in page
    assert page.count('<article class="stmt"') == 5


def test_the_page_says_which_time_it_shows(as_member: Client, engine: FakeProvider) -> None:
    assert "Showing what holds now." in read(as_member, q="falcon launch")
    assert "Showing what holds now and what no longer does." in read(as_member, q="falcon launch", historical="on")
    assert "Without a question all is shown, what no longer holds, too." in read(as_member)
    assert "Showing what holds now and what no longer does." in read(as_member, historical="on")
    page = read(as_member, q="falcon launch", as_of="2026-02-27")
    assert "Showing what held on 27 Feb 2026, as this base knows it now." in page
    assert engine.asked[-1] == Within(as_of="2026-02-27")
    ahead = timezone.localdate() + dt.timedelta(days=40)
    assert "Showing what holds on" in read(as_member, q="falcon launch", as_of=ahead.isoformat())
    page = read(as_member, as_of="2026-02-27", known_at="2026-03-01")
    assert "Showing what held on 27 Feb 2026, as this base knew it at the end of 1 Mar 2026." in page
    where = engine.asked[-1]
    assert isinstance(where, StatementFilter)
    assert where.known_at.startswith("2026-03-01T23:59:59.999999")
    assert dt.datetime.fromisoformat(where.known_at).tzinfo is not None
    assert "Known by" in page[page.index('aria-label="What narrows the list"') :]


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("as_of", "27 Feb 2026", "Held on: Write a day as 2026-03-09."),
        ("as_of", "2026-02-30", "Held on: Write a day as 2026-03-09."),
        ("known_at", "yesterday", "Known by: Write a day as 2026-03-09."),
        ("known_at", "9999-12-31", "Known by: That day lies ahead"),
    ],
)
def test_a_day_that_is_none_is_told_and_kept(
    as_member: Client, engine: FakeProvider, field: str, typed: str, told: str
) -> None:
    page = read(as_member, 422, q="falcon launch date", support="direct_fact", **{field: typed})
    assert told in page
    assert f'type="text" name="{field}" value="{typed}" aria-invalid="true"' in page
    assert 'value="falcon launch date"' in page
    assert "Nothing was searched" in page
    assert engine.asked == [], "the engine is not asked what cannot be meant"


def test_pages_of_the_list_keep_what_narrows_it(
    as_member: Client, engine: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tuple(engine.known_statements.values())
    monkeypatch.setattr(engine, "statements", lambda _scope, _where: Ok(Page(whole, "more", None)))
    assert 'href="?support=direct_fact&amp;as_of=2026-02-27&amp;cursor=more" rel="next"' in read(
        as_member, support="direct_fact", as_of="2026-02-27"
    )


def test_a_page_asks_the_engine_three_times_at_most(as_member: Client, engine: FakeProvider) -> None:
    for asked in ({"q": "falcon launch date", "support": "direct_fact", "known_at": "2026-03-01"}, {"band": "tenant"}):
        read(as_member, **asked)
        engine.calls.clear()
        read(as_member, **asked)
        assert len([call for call in engine.calls if call != "engine"]) <= 3, engine.calls


def test_htmx_gets_the_region_with_the_form_in_it(as_member: Client) -> None:
    answer = as_member.get(PAGE, {"q": "falcon launch date"}, headers={"HX-Request": "true", "HX-Target": "results"})
    page = answer.content.decode()
    assert page.lstrip().startswith('<div class="stack" id="results"')
    assert 'role="search"' in page
    assert "<html" not in page


def test_a_kept_search_keeps_what_narrows_it(as_member: Client) -> None:
    page = read(as_member, q="launch", support="direct_fact", known_at="2026-03-01")
    keep = page[page.index("Keep this search") :]
    assert '<input type="hidden" name="support" value="direct_fact">' in keep
    fields = {"name": "Mine", "q": "launch", "support": "direct_fact", "known_at": "2026-03-01", "as_of": "soon"}
    answer = as_member.post(reverse("searches", args=["falcon-programme"]), fields)
    assert answer.headers["Location"] == f"{PAGE}?q=launch&support=direct_fact&known_at=2026-03-01"
    assert SavedSearch.objects.get().filters == {"support": "direct_fact", "known_at": "2026-03-01"}
    listed = as_member.get(reverse("searches", args=["falcon-programme"])).content.decode()
    assert "launch, support direct fact, known by 1 Mar 2026" in listed
