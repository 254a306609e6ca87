"""What people and agents do all the while. Only what was acknowledged is written down as done."""

import itertools
import random
import re
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.hands.house import House, Wrong

PLACES = ("Alder", "Birch", "Cedar")
"""One project and base each; its documents speak of places of this name alone."""
FORM = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
CONFLICT = re.compile(r'<h3><a href="([^"]*/review/[^"]*)">')
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
PASSING = (httpx2.HTTPError, httpx2.StreamError)


@dataclass
class Ledger:
    """What was acknowledged, and how often it was tried. Guarded by one lock."""

    statements: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    rulings: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    packages: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    finished: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1


@dataclass(frozen=True)
class Access:
    """How a person and an agent of one project come in."""

    slug: str
    place: str
    cookie: tuple[str, str]
    token: str


class Hand(threading.Thread):
    """One person or agent; goes on whatever fails in between, and stops when told to."""

    def __init__(self, house: House, access: Access, ledger: Ledger, over: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.house, self.access, self.ledger, self.over = house, access, ledger, over
        self.chance = random.Random(seed)  # noqa: S311 - which and when, nothing secret
        self.numbers = itertools.count(seed * 100_000)

    pause = (0.2, 1.0)

    def run(self) -> None:
        while not self.over.wait(self.chance.uniform(*self.pause)):
            console = self.chance.choice(self.house.consoles)
            try:
                with httpx2.Client(base_url=console, trust_env=False, timeout=60, **self.identity()) as http:
                    self.turn(http)
            except PASSING:
                self.ledger.count(f"{type(self).__name__.lower()}: cut off")
            except Wrong as wrong:
                self.ledger.wrong.append(str(wrong))

    def identity(self) -> dict[str, Any]:
        name, value = self.access.cookie
        return {"cookies": {name: value}}

    def turn(self, http: httpx2.Client) -> None:
        raise NotImplementedError


def expected(answer: httpx2.Response, allowed: tuple[int, ...], what: str) -> None:
    """A failure that says so is a failure of the moment; a 500 is one of ours."""
    if answer.status_code not in allowed:
        told = answer.headers.get("Location", "") or answer.text[-300:]
        raise Wrong(f"{what}: {answer.status_code} {told}")


class Importer(Hand):
    """Imports documents; every third disagrees with one before it."""

    pause = (0.5, 2.5)

    def turn(self, http: httpx2.Client) -> None:
        page = http.get(f"/p/{self.access.slug}/sources")
        expected(page, (200, 503), "the page of sources")
        token = FORM.search(page.text)
        if token is None:
            return
        made = [self._document(next(self.numbers)) for _ in range(self.chance.randint(1, 3))]
        files = [("files", (name, text.encode())) for name, text in made]
        told = {"csrfmiddlewaretoken": token[1]}
        answer = http.post(f"/p/{self.access.slug}/sources", data=told, files=files)
        expected(answer, (200, 302, 422, 503), "an import")  # 200: the state of an engine that is away
        self.ledger.count(f"import: {answer.status_code}")
        if answer.status_code == 302:
            with self.ledger.lock:
                self.ledger.statements[self.access.place].update(text for _, text in made)

    def _document(self, number: int) -> tuple[str, str]:
        subject = number - 1 if number % 3 == 2 else number
        return f"note-{number}.txt", f"The fee of {self.access.place} Pier {subject} is {number} EUR."


class Reviewer(Hand):
    """Rules on the first disagreement of the queue, each time with a reason of its own."""

    pause = (0.5, 2.0)

    def turn(self, http: httpx2.Client) -> None:
        page = http.get(f"/p/{self.access.slug}/review")
        expected(page, (200, 503), "the queue")
        found = CONFLICT.search(page.text)
        if found is None:
            return
        address = found[1].replace("&amp;", "&")
        form = http.get(address)
        expected(form, (200, 404, 503), "a disagreement")
        hidden = dict(HIDDEN.findall(form.text.partition("data-ruling")[2]))
        if "csrfmiddlewaretoken" not in hidden:
            return
        reason = f"Ruled by hand {next(self.numbers)}."
        answer = http.post(address, data={**hidden, "ruling": "not_a_conflict", "notes": reason})
        expected(answer, (200, 302, 404, 409, 422, 503), "a ruling")
        self.ledger.count(f"ruling: {answer.status_code}")
        if answer.status_code == 302:
            with self.ledger.lock:
                self.ledger.rulings[self.access.place].add(reason)


class Agent(Hand):
    """Asks, is told only of its own project, and works off missions."""

    pause = (0.1, 0.6)

    def identity(self) -> dict[str, Any]:
        return {"headers": {"Authorization": f"Bearer {self.access.token}"}}

    def turn(self, http: httpx2.Client) -> None:
        self.chance.choice((self.ask, self.ask, self.ask, self.work))(http)

    def ask(self, http: httpx2.Client) -> None:
        place = self.chance.choice(PLACES)
        body = {"query": f"What is the fee of {place} Pier {self.chance.randrange(40)}?", "with_packet": False}
        answer = http.post("/knowledge/retrieve", json=body)
        expected(answer, (200, 429, 503, 504), "a question")
        self.ledger.count(f"question: {answer.status_code}")
        told = answer.text.replace(place, "")
        if any(f"{other} Pier" in told for other in PLACES if other not in (place, self.access.place)):
            raise Wrong(f"an agent of {self.access.place} was told of another project")
        if place != self.access.place and f"{place} Pier" in answer.text.replace(body["query"], ""):  # type: ignore[arg-type]
            raise Wrong(f"an agent of {self.access.place} was told of {place}")
        if answer.status_code == 200 and (package := _package(answer.json())):
            with self.ledger.lock:
                self.ledger.packages[self.access.place].add(package)

    def work(self, http: httpx2.Client) -> None:
        claimed = http.post("/knowledge/claim", json={"worker": self.name})
        expected(claimed, (200, 404, 409, 429, 503, 504), "a claim")
        if claimed.status_code != 200:
            return
        mission = claimed.json()["data"]
        if mission["mission"] is None:  # none waits
            return
        key = mission["mission"]["id"]
        result = {"mission": key, "fence": mission["fence"], "outcome": "done", "result": "Nothing.", "packages": []}
        answer = http.post("/knowledge/finish", json=result)
        expected(answer, (200, 404, 409, 429, 503, 504), "a result")
        self.ledger.count(f"mission: {answer.status_code}")
        if answer.status_code == 200:
            with self.ledger.lock:
                self.ledger.finished.add(key)


def _package(told: Any) -> str:
    data = told.get("data") or {}
    return str(data.get("package") or "")


KINDS: tuple[Callable[..., Hand], ...] = (Importer, Reviewer, Agent, Agent)
