"""How long the console takes for each page over a large base: ``python -m bench.pages FOLDER BASE [ROUNDS]``.

``FOLDER`` holds ``data``, the store that ``bench.fill`` made for ``BASE``; a real engine process answers, one request
at a time. Every figure is the whole server time of a page in milliseconds, engine included.
"""

import os
import re
import statistics
import sys
import time
from pathlib import Path

import django

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
os.environ.update(
    ANTHILL_DATA_DIR=str(FOLDER / "console"),
    DJANGO_SETTINGS_MODULE="console.site.settings",
    ANTHILL_KNOWLEDGE_ENABLED="1",
    ANTHILL_KNOWLEDGE_MODE="attached",
)
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

import console.people.sessions  # noqa: E402, F401 - hears of a sign-in before the first page is asked for
from console.audit.models import Actor  # noqa: E402
from console.people.actions import add_person  # noqa: E402
from console.people.models import User  # noqa: E402
from console.policy import Role  # noqa: E402
from console.projects.actions import bind_project, make_project  # noqa: E402
from tests.engine_process import EngineProcess  # noqa: E402

BY = Actor(key="bench", name="Bench")
PROJECT = "/p/bench"
PAGES = {
    "sources": f"{PROJECT}/sources",
    "source": f"{PROJECT}/sources/src_{0:020}",
    "knowledge, nothing asked": f"{PROJECT}/knowledge",
    "knowledge, one found": f"{PROJECT}/knowledge?q=fee+of+Pier+777",
    "statement": f"{PROJECT}/knowledge/ki_{0:020}",
    "what an agent would see": f"{PROJECT}/knowledge/agent?q=fee+of+Pier+777",
    "entities": f"{PROJECT}/knowledge/entities",
    "who is who": f"{PROJECT}/knowledge/entities/candidates",
    "review, first page": f"{PROJECT}/review",
    "review, narrowed": f"{PROJECT}/review?kind=attribute_mismatch&about=fee&days=30",
    "review, solved": f"{PROJECT}/review?tab=solved",
    "review, next page": "",
    "decision": f"{PROJECT}/review/cf_{77:020}?tab=open",
    "review history": f"{PROJECT}/review/history",
    "export": f"{PROJECT}/export",
    "find": f"{PROJECT}/find?q=777",
    "connection": "/connection",
    "projects": "/settings/projects",
    "people": "/settings/people",
    "audit": "/settings/audit",
}


def main(base_id: str, rounds: int = 20) -> int:
    engine = EngineProcess(FOLDER, environment={"DJANGO_SETTINGS_MODULE": "forager.settings"}).start()
    os.environ.update(ANTHILL_KNOWLEDGE_FORAGER_ENDPOINT=engine.endpoint, ANTHILL_KNOWLEDGE_FORAGER_TOKEN=engine.key)
    try:
        client = _console(base_id)
        PAGES["review, next page"] = _next_page(client)
        for name, address in PAGES.items():
            _report(name, [_page(client, address) for _ in range(rounds + 1)][1:])
        _report("a ruling, and the next page", [_rule(client) for _ in range(rounds)])
    finally:
        engine.stop()
    return 0


def _console(base_id: str) -> Client:
    (FOLDER / "console").mkdir(exist_ok=True)
    call_command("migrate", verbosity=0)
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    user = User.objects.filter(email="bench@anthill.local").first()
    if user is None:
        user, _password = add_person(by=BY, email="bench@anthill.local", name="Bench", role=Role.ADMINISTRATOR)
        user.must_change_password = False
        user.save()
        project = make_project(by=BY, name="Bench", members=(user,))
        bind_project(by=BY, project=project, base_id=base_id, base_name="bench")
    client = Client(headers={"Host": "localhost"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _page(client: Client, address: str) -> float:
    began = time.perf_counter()
    answer = client.get(address)
    took = (time.perf_counter() - began) * 1000
    if answer.status_code != 200:
        raise SystemExit(f"{address}: {answer.status_code}")
    return took


def _next_page(client: Client) -> str:
    page = client.get(f"{PROJECT}/review").content.decode()
    found = re.search(r'href="(\?[^"]*cursor=[^"]*)"', page)
    if found is None:
        raise SystemExit("the queue has no second page")
    return f"{PROJECT}/review{found[1].replace('&amp;', '&')}"


def _rule(client: Client) -> float:
    """From pressing the button to the page of the next disagreement."""
    page = client.get(f"{PROJECT}/review").content.decode()
    found = re.search(r'<h3><a href="([^"]*)">', page)
    if found is None:
        raise SystemExit("the queue is empty")
    address = found[1].replace("&amp;", "&")
    form = client.get(address).content.decode().partition("data-ruling")[2]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    began = time.perf_counter()
    answer = client.post(address, {**hidden, "ruling": "not_a_conflict", "notes": "Measured."})
    if answer.status_code != 302:
        raise SystemExit(f"{address}: {answer.status_code}")
    client.get(answer["Location"])
    return (time.perf_counter() - began) * 1000


def _report(name: str, took: list[float]) -> None:
    ranked = sorted(took)
    p95 = ranked[min(len(ranked) - 1, round(len(ranked) * 0.95) - 1)]
    print(f"{name:30} p50 {statistics.median(ranked):7.0f} ms   p95 {p95:7.0f} ms", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[2], *(int(each) for each in sys.argv[3:4])))
