"""The processes of the installation, and what is done to them."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.stack import ROOT, free_ports

UP_SECONDS = 120
CLOCKS = ("20", "-20", "60")
"""Minutes before or after the others."""
CLOCK = Path(__file__).parent / "clock"


class Wrong(Exception):
    """Something that must never be was; the message says what."""


@dataclass
class Member:
    """One process; ``health`` is the address that answers when it is up, empty for those nobody asks."""

    role: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    health: str = ""
    process: subprocess.Popen[bytes] | None = None
    clock: str = ""

    def start(self, clock: str = "") -> None:
        self.clock = clock
        skewed = {"PYTHONPATH": str(CLOCK), "HANDS_CLOCK": clock} if clock else {}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=ROOT,
                env={**self.environment, **skewed},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """To the process and everything it started."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def end(self) -> None:
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            return False
        if not self.health:
            return True
        try:
            with urllib.request.urlopen(self.health, timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def resident(self) -> int:
        """Bytes in memory, with what it started."""
        if self.process is None or self.process.poll() is not None:
            return 0
        pages = 0
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError, IndexError):
                if entry.name.isdecimal() and os.getpgid(int(entry.name)) == self.process.pid:
                    pages += int((entry / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass
class House:
    members: list[Member]
    consoles: list[str]
    engines: list[str]
    key: str
    engine_environment: Mapping[str, str]
    done: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    memory: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def start(self) -> None:
        for member in self.members:
            member.start()
        self.wait("at the start")

    def wait(self, when: str) -> None:
        """Until every process answers; one that ended by itself is started again, as a service manager does."""
        until = time.monotonic() + UP_SECONDS
        while left := [member for member in self.members if not member.answers()]:
            if time.monotonic() > until:
                told = {member.role: member.log.read_text("utf-8", "replace")[-1500:] for member in left}
                raise Wrong(f"{when} these do not answer: {told}")
            self.revive()
            time.sleep(0.3)

    def revive(self) -> None:
        for member in self.members:
            if member.process is None or member.process.poll() is not None:
                member.start(member.clock)

    def stop(self) -> None:
        for member in self.members:
            member.signal(signal.SIGCONT)
            member.end()

    def sample(self) -> None:
        for member in self.members:
            if (size := member.resident()) > 0:
                self.memory[member.role].append(size)


def built(folder: Path, console_url: str, engine_url: str, key: str) -> House:
    """Nothing runs yet; ``console_url`` and ``engine_url`` are two empty databases."""
    ports = free_ports(4)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHILL_", "DJANGO_", "FORAGER_"))}
    key_file = folder / "operator.key"
    key_file.write_text(key)
    key_file.chmod(0o600)
    engine = {
        **kept, "FORAGER_DATA_DIR": str(folder / "engine"), "FORAGER_DATABASE_URL": engine_url,
        "FORAGER_OPERATOR_KEY_FILE": str(key_file),
    }  # fmt: skip
    engines = [f"http://127.0.0.1:{port}" for port in ports[:2]]
    consoles = [f"http://127.0.0.1:{port}" for port in ports[2:]]
    members = [
        Member("api", ["-m", "forager", "serve"], {**engine, "FORAGER_PORT": str(port)}, folder / f"api{at}.log",
               f"{engines[at]}/api/ready")
        for at, port in enumerate(ports[:2])
    ]  # fmt: skip
    members += [Member("worker", ["-m", "forager", "work"], engine, folder / f"worker{at}.log") for at in range(3)]
    for at, port in enumerate(ports[2:]):
        options = ["--workers", "1", "--threads", "8", "--worker-class", "gthread", "--bind", f"127.0.0.1:{port}"]
        command = ["-m", "gunicorn", "console.site.wsgi", *options]
        environment = console_environment(folder, console_url, engines[at], key)
        members.append(Member("console", command, environment, folder / f"console{at}.log", f"{consoles[at]}/readyz"))
    follower = console_environment(folder, console_url, engines[0], key)
    members.append(Member("colony", ["manage.py", "colony"], follower, folder / "colony.log"))
    return House(members, consoles, engines, key, engine)


def console_environment(folder: Path, console_url: str, endpoint: str, key: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHILL_", "DJANGO_", "FORAGER_"))}
    return {
        **kept, "ANTHILL_DATA_DIR": str(folder / "console"), "ANTHILL_DATABASE_URL": console_url,
        "ANTHILL_KNOWLEDGE_ENABLED": "1", "ANTHILL_KNOWLEDGE_MODE": "attached",
        "ANTHILL_KNOWLEDGE_FORAGER_ENDPOINT": endpoint, "ANTHILL_KNOWLEDGE_FORAGER_TOKEN": key,
    }  # fmt: skip


class Trouble(threading.Thread):
    """Makes one kind of trouble after another until it is told to stop."""

    def __init__(self, house: House, database: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.house, self.database = house, database
        self.chance = random.Random(seed)  # noqa: S311 - which and when, nothing secret
        self.over = threading.Event()
        self.failed: BaseException | None = None

    def run(self) -> None:
        kinds = (self.kill, self.kill, self.kill, self.kill, self.pause, self.clock, self.stall)
        try:
            while not self.over.wait(self.chance.uniform(2, 7)):
                self.house.sample()
                self.chance.choice(kinds)()
                self.house.revive()
        except Exception as error:  # noqa: BLE001 - it is told at the end; a thread that just ends would hide it
            self.failed = error

    def kill(self) -> None:
        victim = self.chance.choice(self.house.members)
        self.house.done[f"killed {victim.role}"] += 1
        victim.end()
        self.over.wait(self.chance.uniform(0, 3))
        victim.start()

    def pause(self) -> None:
        victim = self.chance.choice(self.house.members)
        self.house.done[f"paused {victim.role}"] += 1
        victim.signal(signal.SIGSTOP)
        self.over.wait(self.chance.uniform(1, 8))
        victim.signal(signal.SIGCONT)

    def clock(self) -> None:
        """The next life of a process has another clock than the rest, until it is ended again."""
        victim = self.chance.choice(self.house.members)
        self.house.done[f"other clock for {victim.role}"] += 1
        victim.end()
        victim.start(self.chance.choice(CLOCKS))

    def stall(self) -> None:
        """The disk of the database is slow: everything in it stands still half of the time."""
        self.house.done["stalled database"] += 1
        until = time.monotonic() + self.chance.uniform(4, 12)
        while time.monotonic() < until and not self.over.is_set():
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for pid in _backends(self.database):
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                time.sleep(0.25)


def _backends(postmaster: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, IndexError, ValueError):
            if entry.name.isdecimal():
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == postmaster:
                    found.append(int(entry.name))
    return found
