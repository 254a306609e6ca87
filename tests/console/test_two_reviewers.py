"""Two reviewers at once on a filtered list that changes under them: nothing is ever ruled but what was on the page."""

import re
from dataclasses import dataclass, replace

from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.people.models import User
from console.projects.models import Project
from knowledge.records import Conflict
from knowledge.vocabulary import ConflictStatus
from tests.console import fake, falcon
from tests.console.conftest import signed_in
from tests.console.fake import FakeProvider

QUEUE = "/p/falcon-programme/review"
FILTERS = ("", "?tab=open", "?tab=open&kind=attribute_mismatch", "?tab=open&about=budget", "?tab=solved")
RULINGS = ("side", "neither", "not_a_conflict")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("open", "open", "rule", "rule", "rule", "many", "undo", "change", "arrive", "serve")),
        st.sampled_from((0, 1)),
        st.integers(0, 5),
        st.sampled_from(FILTERS),
        st.sampled_from(RULINGS),
    ),
    min_size=4,
    max_size=25,
)


@dataclass
class Reviewer:
    """``page`` is what this person looks at: its address, its words and the form as it came."""

    client: Client
    name: str
    address: str = ""
    page: str = ""

    def open(self, address: str) -> None:
        answer = self.client.get(address)
        self.address, self.page = address, answer.content.decode()

    @property
    def form(self) -> dict[str, str]:
        inside = self.page.partition("data-ruling")[2].partition("</form>")[0]
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', inside))

    @property
    def sides(self) -> list[str]:
        return re.findall(r'value="(side:[^"]+)"', self.page)


def snapshot(engine: FakeProvider) -> dict[str, tuple[object, ...]]:
    return {one.id: (one.status, one.ruling, one.digest) for one in engine.known_conflicts.values()}


def differ(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> set[str]:
    return {one for one in after if before.get(one) != after[one]}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_no_ruling_ever_lands_on_what_was_not_read(
    owner: User, member: User, project: Project, steps: list[object]
) -> None:
    engine = fake.install(FakeProvider())
    people = [Reviewer(signed_in(owner), "Mara"), Reviewer(signed_in(member), "Tomas")]
    for kind, who, number, query, choice in steps:  # type: ignore[misc]
        one = people[who]
        if kind == "open":
            open_row(one, number, query)
        elif kind == "rule":
            rule(engine, one, choice)
        elif kind == "many":
            rule_many(engine, one, number, query)
        elif kind == "undo":
            take_back(engine, one)
        elif kind == "serve":
            engine.served[f"pkg_{len(engine.served)}"] = ("ant", (list(engine.known_statements)[number],))
        else:
            change(engine, number, arrives=kind == "arrive")


def open_row(one: Reviewer, number: int, query: str) -> None:
    one.open(QUEUE + query)
    links = re.findall(r'<h3><a href="([^"]*)">', one.page)
    if links:
        one.open(links[number % len(links)].replace("&amp;", "&"))


def rule(engine: FakeProvider, one: Reviewer, choice: str) -> None:
    """What the page showed is posted as it came, however old it is."""
    if not one.form:
        return
    about = one.address.partition("/review/")[2].partition("?")[0]
    chosen = one.sides[0] if choice == "side" and one.sides else "neither"
    before, then = snapshot(engine), engine.known_conflicts.get(about)
    answer = one.client.post(one.address, {**one.form, "ruling": chosen, "notes": f"{one.name} says so."})
    changed = differ(before, snapshot(engine))
    if answer.status_code == 302:
        assert changed == {about}
        assert then is not None
        assert one.form["digest"] == then.digest, "ruled on sides nobody read"
        assert engine.known_conflicts[about].ruling is not None
    else:
        assert answer.status_code == 409
        assert changed == set()
        told = answer.content.decode()
        assert f"{one.name} says so." in told
        assert_told(told, engine.known_conflicts[about], one)
        one.page = told


def assert_told(told: str, now: Conflict, one: Reviewer) -> None:
    """The second hears who ruled and what, or which side is another now."""
    if now.status is ConflictStatus.OPEN:
        assert "rests on other words now" in told or "is new" in told
    else:
        assert now.ruling is not None
        words = {"neither": "Neither holds"}.get(now.ruling.action, "holds")
        assert re.search(rf"{now.ruling.actor} recorded [^.]*{words}", told)


def rule_many(engine: FakeProvider, one: Reviewer, number: int, query: str) -> None:
    """The list is read, then it changes, then exactly what was listed is ruled."""
    one.open(QUEUE + query)
    listed = re.findall(r'name="pick" value="([^"]*)"', one.page)[: number + 1]
    if not listed:
        return
    change(engine, number, arrives=False)
    before = snapshot(engine)
    digests = dict(pick.split("=", 1) for pick in listed)
    expected = {
        name for name, digest in digests.items() if (before[name][0], before[name][2]) == (ConflictStatus.OPEN, digest)
    }
    one.client.post(f"{QUEUE}/many", {"pick": listed, "record": "1", "ruling": "neither", "notes": "All of these."})
    assert differ(before, snapshot(engine)) == expected


def take_back(engine: FakeProvider, one: Reviewer) -> None:
    found = re.search(r'action="([^"]*/reopen[^"]*)".*?name="expected_decision" value="([^"]+)"', one.page, re.DOTALL)
    if not found:
        return
    about = found[1].partition("/review/")[2].partition("/")[0]
    stood = engine.known_conflicts[about]
    before = snapshot(engine)
    one.client.post(found[1], {"expected_decision": found[2], "notes": "Taken back."})
    changed = differ(before, snapshot(engine))
    assert changed <= {about}
    if changed:
        assert stood.ruling is not None
        assert found[2] == f"dec_{about}_{stood.ruling.action}", "another ruling was taken back"


def change(engine: FakeProvider, number: int, *, arrives: bool) -> None:
    """Evidence is read again with other words, or a new disagreement comes into the list."""
    if arrives:
        name = f"cf_new{len(engine.known_conflicts)}"
        some = engine.known_conflicts["cf_budget"]
        fresh = replace(some, id=name, digest=falcon.sha(name), status=ConflictStatus.OPEN, ruling=None)
        engine.known_conflicts[name] = fresh
        return
    still_open = [each for each in engine.known_conflicts.values() if each.status is ConflictStatus.OPEN]
    if still_open:
        some = still_open[number % len(still_open)]
        side = replace(some.sides[0], digest=falcon.sha(some.sides[0].digest))
        moved = replace(some, digest=falcon.sha(some.digest), sides=(side, *some.sides[1:]))
        engine.known_conflicts[some.id] = moved
