import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx2

from tests import postgres
from tests.browser.stack import ROOT
from tests.hands.house import House, Trouble, Wrong, built, console_environment
from tests.hands.load import KINDS, PLACES, Access, Hand, Ledger

QUIET_SECONDS = 600
GROWTH, SLACK = 1.25, 24 * 1024 * 1024
"""By how much the last quarter of a run may lie above the first in memory, in part and in bytes."""
MISSIONS_EVERY = 15


def main() -> int:
    ask = argparse.ArgumentParser(description="many hands on one installation")
    ask.add_argument("--minutes", type=float, default=60)
    ask.add_argument("--seed", type=int, default=7)
    given = ask.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_told: sys.exit(1))
    with postgres.cluster() as url, tempfile.TemporaryDirectory() as folder:
        os.environ[postgres.VARIABLE] = url
        try:
            return _run(Path(folder), given.minutes * 60, given.seed)
        except Wrong as wrong:
            _say(f"WRONG: {wrong}")
            return 1


def _run(folder: Path, seconds: float, seed: int) -> int:
    console_url, engine_url = postgres.database("hands_console"), postgres.database("hands_engine")
    key = secrets.token_hex(24)
    house = built(folder, console_url, engine_url, key)
    (folder / "console").mkdir()
    (folder / "engine").mkdir()
    _command(house.engine_environment, "-m", "forager", "migrate")
    environment = console_environment(folder, console_url, house.engines[0], key)
    for command in (["migrate", "-v0"], ["collectstatic", "--noinput", "-v0"]):
        _command(environment, "manage.py", *command)
    os.environ.update({name: value for name, value in environment.items() if name.startswith("ANTHILL_")})
    try:
        house.start()
        return _under_load(house, seconds, seed)
    finally:
        house.stop()


def _under_load(house: House, seconds: float, seed: int) -> int:
    ledger, over = Ledger(), threading.Event()
    settlement = _Settlement(house)
    hands = [
        kind(house, access, ledger, over, 1 + at * 10 + number)
        for at, access in enumerate(settlement.accesses)
        for number, kind in enumerate(KINDS)
    ]
    trouble = Trouble(house, _postmaster(postgres.url()), seed)
    for thread in (*hands, trouble):
        thread.start()
    _watch(settlement, ledger, trouble, time.monotonic() + seconds)
    return _finish(house, settlement, ledger, over, hands, trouble)


def _watch(settlement: "_Settlement", ledger: Ledger, trouble: Trouble, until: float) -> None:
    began = time.monotonic()
    for minute in range(1, 100_000):
        for _ in range(60 // MISSIONS_EVERY):
            settlement.queue_mission()
            if trouble.over.wait(min(MISSIONS_EVERY, max(0.0, until - time.monotonic()))):
                return
        counted, troubles = sum(ledger.counts.values()), sum(trouble.house.done.values())
        _say(f"{minute} min, {counted} operations, {troubles} troubles, {time.monotonic() - began:.0f} s")
        if time.monotonic() >= until or trouble.failed or ledger.wrong:
            return


def _finish(
    house: House, settlement: "_Settlement", ledger: Ledger, over: threading.Event, hands: list[Hand], trouble: Trouble
) -> int:
    trouble.over.set()
    trouble.join(60)
    over.set()
    for hand in hands:
        hand.join(120)
    try:
        for member in house.members:  # nobody keeps another clock
            if member.clock:
                member.end()
                member.start()
        house.wait("after the troubles")
        wrong = [*ledger.wrong[:5], *([f"{trouble.failed!r}"] if trouble.failed else [])]
        wrong += settlement.settled(ledger)
        wrong += _memory(house)
    finally:
        house.stop()
    verified = subprocess.run(
        [sys.executable, "-m", "forager", "verify"], cwd=ROOT, env=dict(house.engine_environment),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if verified.returncode:
        wrong.append(f"verify: {(verified.stdout + verified.stderr)[:800]}")
    _tell(house, ledger)
    for each in wrong:
        _say(f"WRONG: {each}")
    if wrong:
        _tell_failures(house)
    _say("nothing lost, nothing doubled, verify clean" if not wrong else f"{len(wrong)} things are wrong")
    return 1 if wrong else 0


def _tell(house: House, ledger: Ledger) -> None:
    for what, number in sorted({**ledger.counts, **house.done}.items()):
        _say(f"  {what}: {number}")
    said = sum(map(len, ledger.statements.values()))
    ruled, packages = sum(map(len, ledger.rulings.values())), sum(map(len, ledger.packages.values()))
    _say(f"{said} documents, {ruled} rulings, {packages} packages, {len(ledger.finished)} missions acknowledged")


def _tell_failures(house: House) -> None:
    """The last failures each process wrote down: the folder with them goes when this ends."""
    for member in house.members:
        lines = member.log.read_text("utf-8", "replace").splitlines()
        failures = [line for line in lines if "Traceback" in line and "OperationalError" not in line]
        for line in failures[-2:]:
            _say(f"  {member.role} wrote: {line[-3000:]}")


def _memory(house: House) -> list[str]:
    """Of each role the mean of the first and the last quarter of all samples."""
    wrong = []
    for role, sizes in sorted(house.memory.items()):
        part = max(1, len(sizes) // 4)
        first, last = sum(sizes[:part]) / part, sum(sizes[-part:]) / part
        shown = [f"{size / 2**20:.0f}" for size in (first, last, max(sizes))]
        _say(f"  memory of {role}, MiB: {shown[0]} at first, {shown[1]} at last, {shown[2]} at most")
        if len(sizes) > 40 and last > first * GROWTH + SLACK:
            wrong.append(f"the memory of {role} grows")
    return wrong


def _postmaster(url: str) -> int:
    from urllib.parse import unquote, urlsplit

    folder = Path(unquote(urlsplit(url).netloc.rpartition("@")[2]))
    return int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])


class _Settlement:
    """Projects, people, agents and bases, and what of it must be there at the end."""

    def __init__(self, house: House) -> None:
        os.environ["DJANGO_SETTINGS_MODULE"] = "console.site.settings"
        import django

        django.setup()
        self.house = house
        headers = {"Authorization": f"Bearer {house.key}"}
        self.engine = httpx2.Client(base_url=f"{house.engines[0]}/api", headers=headers, trust_env=False, timeout=60)
        self.bases: dict[str, str] = {}
        self.projects: dict[str, Any] = {}
        self.missions: set[str] = set()
        self.accesses = [self._access(place) for place in PLACES]

    def _access(self, place: str) -> Access:
        from datetime import timedelta

        from django.conf import settings
        from django.test import Client
        from django.utils import timezone

        import console.people.sessions  # noqa: F401 - hears of a sign-in before the first page is asked for
        from console.audit.models import Actor
        from console.people.actions import add_person
        from console.policy import Permission, Role
        from console.projects.actions import bind_project, make_project
        from console.tokens.actions import make_token
        from knowledge.vocabulary import Band, Support

        by = Actor(key="hands", name="Hands")
        person, _password = add_person(by=by, email=f"{place}@hands.example", name=place, role=Role.MANAGER)
        person.must_change_password = False
        person.save()
        project = make_project(by=by, name=place, members=(person,))
        self.projects[place] = project
        base = self.engine.post("/projects", json={"name": place}).raise_for_status().json()["id"]
        self.bases[place] = base
        bind_project(by=by, project=project, base_id=base, base_name=place)
        made = make_token(
            by=by, project=project, name=f"{place}-ant", band=Band.TENANT, min_support=Support.UNVERIFIED_CLAIM,
            permissions=[Permission.READ_KNOWLEDGE, Permission.WORK_MISSIONS, Permission.PROPOSE_REVIEW],
            per_minute=100_000, expires_at=timezone.now() + timedelta(days=30),
        )  # fmt: skip
        client = Client()
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
        name = settings.SESSION_COOKIE_NAME
        return Access(project.slug, place, (name, client.cookies[name].value), made.secret)

    def queue_mission(self) -> None:
        from django.db import DatabaseError, InterfaceError

        from console.audit.models import Actor
        from console.missions.actions import Wanted, asked_of, queue_mission
        from console.missions.models import Action

        number = len(self.missions)
        place = PLACES[number % len(PLACES)]
        question = f"What is the fee of {place} Pier {number}?"
        wanted = Wanted("Fees", Action.ANSWER, asked_of(number, [question]), (question,))
        try:
            queued = queue_mission(
                by=Actor(key="hands", name="Hands"), project=self.projects[place], instance_id="fgi_hands",
                base_id=self.bases[place], wanted=wanted,
            )  # fmt: skip
        except (DatabaseError, InterfaceError):
            return  # a stalled database: not acknowledged
        self.missions.add(queued.mission.key)

    def settled(self, ledger: Ledger) -> list[str]:
        """Waits until nothing runs any more; answers what is not as it was acknowledged."""
        wrong: list[str] = []
        for place, base in self.bases.items():
            self.engine.post(f"/projects/{base}/process", json={}).raise_for_status()
            self._quiet(base)
            wrong += self._statements(place, base, ledger.statements[place])
            wrong += self._rulings(place, base, ledger.rulings[place])
        wrong += self._kept(ledger)
        return wrong

    def _quiet(self, base: str) -> None:
        until = time.monotonic() + QUIET_SECONDS
        while True:
            jobs = self.engine.get(f"/projects/{base}/jobs").raise_for_status().json()["items"]
            if not any(job["status"] in ("queued", "running") for job in jobs):
                return
            if time.monotonic() > until:
                raise Wrong(f"jobs of {base} do not end: {[job['status'] for job in jobs]}")
            time.sleep(0.5)

    def _statements(self, place: str, base: str, acknowledged: set[str]) -> list[str]:
        told = [row["statement"] for row in self._all(f"/projects/{base}/knowledge")]
        lost, strange = acknowledged - set(told), [t for t in told if f"{place} Pier" not in t]
        doubled = len(told) - len(set(told))
        found = []
        if lost:
            found.append(f"{place}: {len(lost)} acknowledged documents say nothing: {sorted(lost)[:3]}")
        if strange:
            found.append(f"{place}: holds what nobody gave it: {strange[:3]}")
        if doubled:
            found.append(f"{place}: {doubled} statements are there twice")
        return found

    def _rulings(self, place: str, base: str, acknowledged: set[str]) -> list[str]:
        notes = [row["notes"] for row in self._all(f"/projects/{base}/decisions")]
        lost = acknowledged - set(notes)
        found = [f"{place}: {len(lost)} acknowledged rulings are lost: {sorted(lost)[:3]}"] if lost else []
        if len(notes) != len(set(notes)):
            found.append(f"{place}: a ruling was recorded twice")
        return found

    def _all(self, path: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        cursor = ""
        while True:
            query = {"page_size": "200", **({"cursor": cursor} if cursor else {})}
            page = self.engine.get(path, params=query).raise_for_status().json()
            rows += page["items"]
            cursor = page.get("next_cursor") or ""
            if not cursor:
                return rows

    def _kept(self, ledger: Ledger) -> list[str]:
        from console.missions.models import Mission
        from console.packages.models import Package

        found = []
        missions = dict(Mission.objects.values_list("key", "state"))
        if lost := self.missions - set(missions):
            found.append(f"{len(lost)} missions are lost")
        if open_again := [key for key in ledger.finished if missions.get(key) != "done"]:
            found.append(f"{len(open_again)} finished missions are not done")
        packages = set(Package.objects.values_list("key", flat=True))
        if lost := {key for keys in ledger.packages.values() for key in keys} - packages:
            found.append(f"{len(lost)} packages handed out are not kept")
        return found


def _command(environment: Any, *command: str) -> None:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Wrong(f"{command}: {done.stderr[-1500:]}")


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
