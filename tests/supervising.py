"""Hard ends of everything a supervisor keeps, and of itself, in random order: what must hold after each of them.

Never two engines, never a process without a supervisor, never a mission or a proposal lost, queued or handed out twice.
``python -m tests.supervising [--cycles 500] [--seed 7]``; see ``bin/soak --supervisor``. Exit 1 when anything is wrong.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.browser.stack import ROOT, Stack

BACK_SECONDS = 90
ENGINE, CONSOLE, COLONY, SUPERVISOR, INSIDE = "engine", "console", "colony", "supervisor", "inside the engine"
VICTIMS = (ENGINE, ENGINE, ENGINE, INSIDE, CONSOLE, COLONY, SUPERVISOR)
NAMES = {ENGINE: "forager serve", CONSOLE: "console.site.wsgi", COLONY: "manage.py colony"}
MOST_WAIT = 0.6
MOST_UNDER_ONE = 2


class Wrong(Exception):
    """Something that must never be was; the message says what."""


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    command: str


@dataclass
class House:
    """One installation under one supervisor, and what was put into it."""

    stack: Stack
    missions: set[str] = field(default_factory=set)
    proposals: set[str] = field(default_factory=set)
    ended: dict[str, int] = field(default_factory=dict)
    since_start: dict[str, int] = field(default_factory=dict)

    @property
    def supervisor(self) -> int:
        assert self.stack.process is not None
        return self.stack.process.pid

    def is_up(self) -> bool:
        return self.stack.process is not None and self.stack.process.poll() is None

    def start(self) -> None:
        """As a service manager does: again, until the ports of the one before are free."""
        self.since_start.clear()
        until = time.monotonic() + BACK_SECONDS
        log = (self.stack.folder / "up.log").open("ab")
        while time.monotonic() < until:
            command = [sys.executable, "manage.py", "up", "--no-example"]
            self.stack.process = subprocess.Popen(command, cwd=ROOT, env=self.stack.environment, stdout=log, stderr=log)
            if self._stays():
                log.close()
                return
        raise Wrong("the supervisor does not come up again")

    def next_victim(self, chance: random.Random) -> str:
        """What was ended often under one supervisor is given up by it, as it should; then it is its own turn."""
        drawn = chance.choice(VICTIMS)
        self.since_start[drawn] = self.since_start.get(drawn, 0) + 1
        is_often = drawn in (CONSOLE, COLONY) and self.since_start[drawn] > MOST_UNDER_ONE
        return SUPERVISOR if is_often else drawn

    def _stays(self) -> bool:
        """Whether it got hold of the folder and the ports."""
        lock = self.stack.folder / ".supervisor.lock"
        for _ in range(300):
            if not self.is_up():
                return False
            if lock.exists() and lock.read_text() == str(self.supervisor) and self.children(ENGINE):
                return True
            time.sleep(0.05)
        return self.is_up()

    def processes(self) -> Iterator[Process]:
        """All that runs over this folder, but the supervisor."""
        marks = [f"ANTHILL_DATA_DIR={self.stack.folder}", f"FORAGER_DATA_DIR={self.stack.folder / 'engine'}"]
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal() or int(entry.name) in (os.getpid(), self.supervisor):
                continue
            try:
                environment = (entry / "environ").read_bytes().decode("utf-8", "replace").split("\0")
                if not any(mark in environment for mark in marks):
                    continue
                told = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except (OSError, IndexError):
                continue
            if told[0] not in "ZX":
                yield Process(int(entry.name), int(told[1]), command)

    def children(self, name: str, among: Sequence[Process] = ()) -> list[int]:
        """``among`` is one look at all that runs; without it a new one is taken."""
        mark, seen = NAMES[name], among or list(self.processes())
        return [each.pid for each in seen if each.parent == self.supervisor and mark in each.command]

    def orphans(self, among: Sequence[Process] = ()) -> list[Process]:
        """Those that lead to no supervisor that lives."""
        found = {each.pid: each for each in among or self.processes()}
        return [each for each in found.values() if not _leads_to(self.supervisor, each, found)]

    def is_whole(self) -> bool:
        """One engine that answers, one console, one follower, nothing else; a person helps an engine given up."""
        seen = list(self.processes())
        engines = self.children(ENGINE, seen)
        if len(engines) > 1:
            raise Wrong(f"{len(engines)} engines under one supervisor")
        phase, pid = _phase()
        if phase == "failed":
            _restart()
        is_kept = all(len(self.children(name, seen)) == 1 for name in (CONSOLE, COLONY))
        return is_kept and phase == "running" and engines == [pid] and self._answers() and not self.orphans(seen)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.stack.engine_port}/api/health", timeout=2) as answer:
                return bool(json.load(answer))
        except (urllib.error.URLError, OSError, ValueError):
            return False


def _leads_to(supervisor: int, each: Process, known: dict[int, Process]) -> bool:
    while each.parent != supervisor:
        above = known.get(each.parent)
        if above is None:
            return False
        each = above
    return True


def run(cycles: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - which victim and when, nothing secret
    with tempfile.TemporaryDirectory() as folder:
        stack = Stack(Path(folder))
        stack.set_up()
        os.environ.update({name: value for name, value in stack.environment.items() if name.startswith("ANTHILL_")})
        house = House(stack)
        _open_console()
        house.start()
        try:
            _settled(house, "at the start")
            work = _Work(house)
            began = time.monotonic()
            for number in range(1, cycles + 1):
                _cycle(house, work, chance, number)
                if number % 10 == 0:
                    _say(f"{number} of {cycles} hard ends, {time.monotonic() - began:.0f} s")
            work.check_settled()
        finally:
            _stop(house)
        told = ", ".join(f"{name} {count}" for name, count in sorted(house.ended.items()))
        _say(f"{cycles} hard ends ({told}); {len(house.missions)} missions and {len(house.proposals)} proposals kept")


def _cycle(house: House, work: "_Work", chance: random.Random, number: int) -> None:
    work.add(number)
    time.sleep(chance.uniform(0, MOST_WAIT))
    victim = house.next_victim(chance)
    house.ended[victim] = house.ended.get(victim, 0) + 1
    _end(house, victim, chance)
    if chance.random() < 0.2:  # before it is whole again
        time.sleep(chance.uniform(0, MOST_WAIT))
        _end(house, ENGINE, chance)
    if chance.random() < 0.7:
        _restart()
    _settled(house, f"after hard end {number} of the {victim}")
    work.check(number)


def _end(house: House, victim: str, chance: random.Random) -> None:
    if victim == SUPERVISOR:
        os.kill(house.supervisor, signal.SIGKILL)
        assert house.stack.process is not None
        house.stack.process.wait()
        return
    found = house.children(ENGINE if victim == INSIDE else victim)
    if victim == INSIDE:
        found = [each.pid for each in house.processes() if each.parent in found]
    if found:
        try:
            os.kill(chance.choice(found), signal.SIGKILL)
        except ProcessLookupError:
            return


def _settled(house: House, when: str) -> None:
    until = time.monotonic() + BACK_SECONDS
    while True:
        if not house.is_up():
            house.start()
        if house.is_whole():
            return
        if time.monotonic() > until:
            left = [(each.pid, each.parent, each.command[:60]) for each in house.orphans()]
            raise Wrong(f"{when} it does not come back: {_phase()}, orphans {left}\n{house.stack.log()[-3000:]}")
        time.sleep(0.2)


def _stop(house: House) -> None:
    if house.is_up():
        house.stack.stop()
    until = time.monotonic() + BACK_SECONDS
    while left := list(house.processes()):
        if time.monotonic() > until:
            raise Wrong(f"left after the stop: {left}")
        time.sleep(0.1)


def _open_console() -> None:
    """The console's own code over the folder, in this process, as its web workers run it."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "console.site.settings"
    import django

    django.setup()


def _phase() -> tuple[str, int]:
    from console.connection.models import EngineProcess

    row = EngineProcess.objects.first()
    return (row.phase, row.pid or 0) if row is not None else ("", 0)


def _restart() -> None:
    from console.audit.models import Actor
    from console.connection.actions import Wish, wish_engine

    wish_engine(by=Actor(key="test", name="Test"), wish=Wish.RESTART)


class _Work:
    """Missions and proposals made while everything is ended; what was kept is counted after each."""

    def __init__(self, house: House) -> None:
        from console.audit.models import Actor
        from console.policy import Permission
        from console.projects.actions import bind_project, make_project
        from console.tokens.actions import make_token
        from console.tokens.models import AgentToken
        from knowledge.vocabulary import Band, Support

        self.house, self.by = house, Actor(key="test", name="Test")
        self.project = make_project(by=self.by, name="Soak")
        bind_project(by=self.by, project=self.project, base_id="proj_soak", base_name="soak")
        make_token(
            by=self.by,
            project=self.project,
            name="soak",
            permissions=[Permission.READ_KNOWLEDGE, Permission.WORK_MISSIONS, Permission.PROPOSE_REVIEW],
            band=Band.TENANT,
            min_support=Support.UNVERIFIED_CLAIM,
            per_minute=1000,
            expires_at=None,
        )
        self.token: Any = AgentToken.objects.get()

    def add(self, number: int) -> None:
        """A mission queued twice, and a proposal that somebody was applying when everything ended."""
        from datetime import timedelta

        from django.utils import timezone

        from console.proposals.deciding import IN_FLIGHT
        from console.proposals.filing import file_proposal
        from console.proposals.models import Proposal, ProposalState
        from knowledge.failures import Ok
        from knowledge.tools.working import Proposed

        queued = [self._queue(number) for _ in range(2)]
        if [each.is_new for each in queued] != [True, False]:
            raise Wrong("a mission was queued twice, or not at all")
        self.house.missions.add(queued[0].mission.key)
        told = Proposed(
            conflict_id=f"cf_{number}",
            digest="d",
            ruling="neither",
            side_id="",
            told_apart_by="",
            told_apart="",
            reason="For the soak.",
            package="pkg_" + "0" * 32,
        )
        filed = file_proposal(token=self.token, base_id="proj_soak", proposed=told)
        if not isinstance(filed, Ok):
            raise Wrong(f"a proposal was not filed: {filed}")
        self.house.proposals.add(filed.value.id)
        long_ago = timezone.now() - IN_FLIGHT - timedelta(seconds=5)
        Proposal.objects.filter(key=filed.value.id).update(state=ProposalState.APPLYING, decided_at=long_ago)

    def _queue(self, number: int) -> Any:
        from console.missions.actions import Wanted, asked_of, queue_mission
        from console.missions.models import Action

        question = f"What is {number}?"
        wanted = Wanted("Soak", Action.ANSWER, asked_of(1, [question]), (question,))
        return queue_mission(
            by=self.by, project=self.project, instance_id="fgi_soak", base_id="proj_soak", wanted=wanted
        )

    def check(self, number: int) -> None:
        from console.missions.models import Mission
        from console.proposals.models import Proposal

        missions = list(Mission.objects.values_list("key", flat=True))
        proposals = list(Proposal.objects.values_list("key", flat=True))
        if sorted(missions) != sorted(self.house.missions):
            raise Wrong(f"after hard end {number} other missions are there than were queued")
        if sorted(proposals) != sorted(self.house.proposals):
            raise Wrong(f"after hard end {number} other proposals are there than were filed")

    def check_settled(self) -> None:
        """The pass in the background finds the engine knows no such conflict: none stays between."""
        from console.proposals.models import Proposal, ProposalState

        until = time.monotonic() + BACK_SECONDS
        while left := Proposal.objects.filter(state=ProposalState.APPLYING).count():
            if time.monotonic() > until:
                raise Wrong(f"{left} proposals are still being applied")
            time.sleep(0.3)


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--cycles", type=int, default=500)
    ask.add_argument("--seed", type=int, default=7)
    given = ask.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_told: sys.exit(1))
    try:
        run(given.cycles, given.seed)
    except Wrong as wrong:
        _say(f"WRONG: {wrong}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
