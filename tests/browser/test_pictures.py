# ruff: noqa: F401, F811 - the fixtures of the console's tests are used here by name
"""Every page in light and dark, wide and narrow, empty, typical, heavy and with the engine down: to be looked at.

Also checked on each: nothing scrolls sideways, the content policy is never breached, and axe finds nothing.
``ANTHILL_PICTURES=FOLDER pytest --ds=console.site.settings tests/browser/test_pictures.py`` takes all; without a
folder each scheme and each width is taken once, and of the empty base and the engine away the main pages alone: what
the gate has time for.
"""

import importlib.util
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from console.connection.models import KnownEngine
from console.connection.providers import forget_probe
from console.people.models import User
from console.people.twofactor import begin
from console.policy import Permission
from console.projects.models import Project
from console.searches.actions import keep_search
from console.tokens.actions import make_token, revoke_token, rotate_token
from console.tokens.models import AgentToken
from knowledge.failures import Failed, Failure
from knowledge.provider import Decision
from knowledge.scope import KnowledgeScope, Level
from knowledge.vocabulary import Band, JobStatus, Support
from tests.browser.colony import fill_colony
from tests.browser.conftest import RESULTS, open_context
from tests.browser.handed import hand_out
from tests.browser.heavy import heavy_base, heavy_console
from tests.browser.heavy_colony import heavy_colony
from tests.browser.kept import keep_backups
from tests.browser.worked import work_on
from tests.console import fake, falcon
from tests.console.conftest import BY, console_settings, member, owner, project, signed_in, viewer
from tests.console.fake import FakeProvider
from tests.console.test_review import ruling

_AXE = importlib.util.find_spec("axe_playwright_python")
assert _AXE is not None
assert _AXE.origin is not None
AXE = (Path(_AXE.origin).parent / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
PROJECT = "/p/falcon-programme"
PAGES = {
    "sources": f"{PROJECT}/sources",
    "source": f"{PROJECT}/sources/src_mail?e=ev_10_mail#e-ev_10_mail",
    "knowledge": f"{PROJECT}/knowledge?q=falcon+launch+date",
    "knowledge-narrowed": f"{PROJECT}/knowledge?q=falcon+date&support=direct_fact&source=src_mail&known_at=2026-03-01",
    "knowledge-bad-day": f"{PROJECT}/knowledge?q=falcon+launch+date&as_of=27+Feb",
    "knowledge-none": f"{PROJECT}/knowledge?q=falcon+launch+date&status=superseded",
    "knowledge-browse": f"{PROJECT}/knowledge",
    "statement": f"{PROJECT}/knowledge/ki_10",
    "agent-view": f"{PROJECT}/knowledge/agent?q=Why+was+the+Falcon+launch+date+changed%3F",
    "entities": f"{PROJECT}/knowledge/entities",
    "entity": f"{PROJECT}/knowledge/entities/ent_smith",
    "entity-graph": f"{PROJECT}/knowledge/entities/ent_falcon/graph",
    "timeline": f"{PROJECT}/knowledge/timeline?key=falcon%7Claunch_date",
    "searches": f"{PROJECT}/knowledge/searches",
    "packages": f"{PROJECT}/knowledge/packages",
    "gaps": f"{PROJECT}/knowledge/gaps",
    "gaps-closed": f"{PROJECT}/knowledge/gaps?state=closed",
    "gaps-dismissed": f"{PROJECT}/knowledge/gaps?state=dismissed",
    "candidates": f"{PROJECT}/knowledge/entities/candidates",
    "candidate": f"{PROJECT}/knowledge/entities/candidates/mc_smith",
    "review": f"{PROJECT}/review",
    "decision": f"{PROJECT}/review/cf_date",
    "decision-twins": f"{PROJECT}/review/cf_twin",
    "decision-walk": f"{PROJECT}/review/cf_budget?tab=open",
    "review-assigned": f"{PROJECT}/review?tab=assigned",
    "review-maybe": f"{PROJECT}/review?tab=maybe",
    "review-solved": f"{PROJECT}/review?tab=solved",
    "review-orphaned": f"{PROJECT}/review?tab=orphaned",
    "phrases": f"{PROJECT}/review/phrases",
    "find": f"{PROJECT}/find?q=launch",
    "history": f"{PROJECT}/review/history",
    "export": f"{PROJECT}/export",
    "imports": f"{PROJECT}/export/packages",
    "colony": f"{PROJECT}/colony",
    "missions": f"{PROJECT}/colony/missions",
    "missions-done": f"{PROJECT}/colony/missions?part=done",
    "missions-ended": f"{PROJECT}/colony/missions?part=ended",
    "proposals": f"{PROJECT}/colony/proposals",
    "proposals-decided": f"{PROJECT}/colony/proposals?part=decided",
    "connection": "/connection",
    "bindings": "/connection/bindings",
    "configuration": "/connection/settings",
    "projects": "/settings/projects",
    "members": "/settings/projects/falcon-programme",
    "people": "/settings/people",
    "audit": "/settings/audit",
    "backups": "/settings/backup",
    "audit-filtered": "/settings/audit?actor=Nobody&first=2026-01-01",
    "password": "/settings/password",
    "security": "/settings/sign-in",
    "second-factor": "/settings/sign-in/second-factor",
    "binding": f"{PROJECT}/base",
    "components": "/-/components/",
}
SCOPE = KnowledgeScope(Level.PROJECT, "proj_falcon", "falcon-programme")
MAIN = ("sources", "knowledge", "review", "export", "entities", "connection", "agent-view", "packages", "gaps")
EITHER = tuple(PAGES) if os.environ.get("ANTHILL_PICTURES") else MAIN
"""Pages taken of an empty base and while the engine is away."""
CHANGED = "tenant/statements.jsonl was changed: it is not what the manifest says."
ENDS = ("light-1440", "dark-360")
"""Each scheme and each width once; a folder asks for the other two as well."""
VIEWS = (*ENDS, "dark-1440", "light-360") if os.environ.get("ANTHILL_PICTURES") else ENDS


@pytest.fixture(params=VIEWS)
def view(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def camera(
    chromium: Browser,
    live_server: LiveServer,
    transactional_db: None,
    owner: User,
    project: Project,
    view: str,
) -> Iterator["Camera"]:
    forget_probe()
    scheme, _, width = view.partition("-")
    context = open_context(chromium, width=int(width), scheme=scheme)
    cookie = signed_in(owner).cookies[django_settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": django_settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    camera = Camera(context, live_server.url, view)
    yield camera
    context.close()
    forget_probe()
    assert not camera.broken, "\n".join(camera.broken)


class Camera:
    def __init__(self, context: BrowserContext, server: str, suffix: str) -> None:
        self.page = context.new_page()
        self.server = server
        self.suffix = suffix
        self.broken: list[str] = []

    def take(self, name: str, url: str) -> None:
        self.page.goto(self.server + url)
        self.shoot(name)

    def shoot(self, name: str, *, judge: bool = True) -> None:
        RESULTS.mkdir(exist_ok=True)
        self.page.screenshot(path=RESULTS / f"{name}-{self.suffix}.png", full_page=True)
        sizes: Any = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        if sizes[0] > sizes[1]:
            self.broken.append(f"{name} scrolls sideways: {sizes}")
        breaches = self.page.evaluate("sessionStorage.getItem('breaches')")
        assert not breaches, breaches
        if judge:
            self._judge(name)

    def _judge(self, name: str) -> None:
        """No accessibility rule of WCAG 2.2 AA, and none of good practice, may be broken."""
        self.page.evaluate(AXE)
        rules = RULES[:-1] if name.endswith("components") else RULES  # the gallery shows one landmark several times
        found: Any = self.page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
        assert found["passes"], "axe checked nothing"
        for each in found["violations"]:
            self.broken.append(f"{name}: {each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}")


def test_typical_pages(camera: Camera, owner: User, project: Project) -> None:
    provider = fake.install(FakeProvider())
    fill_colony(provider, project)
    provider.known_jobs = [falcon.job(JobStatus.RUNNING, done=4)]
    provider.create_export(None, format="jsonl")  # type: ignore[arg-type]
    provider.known_imports = [
        falcon.package_import(),
        falcon.package_import("imp_1", status="refused", plan=None, producer_base="", error=CHANGED),
        falcon.package_import("imp_2", status="checking", plan=None),
    ]
    for at in range(13):
        agent = "planner-ant" if at % 2 else "writer-ant"
        provider.note_served(
            SCOPE, package_id=f"pkg_{at}", agent=agent, statement_ids=("ki_3",) if at < 9 else ("ki_120",)
        )
    for name in ("What moved the launch", "Budget"):
        keep_search(user=owner, project=project, name=name, query="falcon launch date", filters={"historical": "on"})
    keep_backups()
    package, mission = hand_out(project), work_on(project)
    more = {"import": f"{PROJECT}/export/packages/imp_0", "import-refused": f"{PROJECT}/export/packages/imp_1"}
    more |= {"package": f"{PROJECT}/knowledge/packages/{package}", "mission": f"{PROJECT}/colony/missions/{mission}"}
    for name, url in {**PAGES, **more}.items():
        camera.take(name, url)


def test_what_agents_were_handed(camera: Camera, project: Project, owner: User) -> None:
    """After a ruling and a deletion, with the token's ledger, and a gap that was set aside without a reason."""
    provider = fake.install(FakeProvider())
    package = hand_out(project)
    signed_in(owner).post(f"{PROJECT}/review/cf_date", ruling())
    camera.take("package-corrected", f"{PROJECT}/knowledge/packages/{package}")
    camera.take("statement-readers", f"{PROJECT}/knowledge/ki_10")
    camera.take("token-ledger", f"/settings/tokens/{AgentToken.objects.get().pk}")
    camera.page.goto(f"{camera.server}{PAGES['gaps']}")
    camera.page.locator("details.fold > summary").first.click()
    camera.page.get_by_role("button", name="Set it aside").first.click()
    expect(camera.page.get_by_text("Say why, so that the next person need not ask.")).to_be_visible()
    camera.shoot("gaps-no-reason")
    del provider.known_statements["ki_10"], provider.known_sources["src_mail"]
    camera.take("package-emptied", f"{PROJECT}/knowledge/packages/{package}")


def test_what_agents_work_on(camera: Camera, project: Project, owner: User) -> None:
    """Forms that were not taken, a token of one's own, and what a ruling came before."""
    fake.install(FakeProvider())
    mission, page = work_on(project), camera.page
    camera.take("mission-alone", f"{PROJECT}/colony/missions/{mission}")
    page.goto(f"{camera.server}{PAGES['missions']}")
    page.get_by_role("button", name="Queue it").click()
    expect(page.get_by_text("Give it a title")).to_be_visible()
    camera.shoot("missions-bad")
    page.goto(f"{camera.server}{PAGES['proposals']}")
    page.locator("details.fold > summary", has_text="Decline…").click()
    page.get_by_role("button", name="Decline it").click()
    expect(page.get_by_text("Say why not")).to_be_visible()
    camera.shoot("proposals-no-reason")
    AgentToken.objects.update(created_by_key=owner.actor.key)
    camera.take("proposals-own", PAGES["proposals"])
    signed_in(owner).post(f"{PROJECT}/review/cf_date", ruling())
    page.goto(f"{camera.server}{PAGES['proposals']}")  # the look that finds it ruled on
    camera.take("proposals-overtaken", f"{PROJECT}/colony/proposals?part=decided")


def test_heavy_pages(camera: Camera, owner: User, project: Project) -> None:
    """Much of everything: no list, name or sentence is too long for its page."""
    fake.install(heavy_base())
    heavy_console(owner, project)
    heavy_colony(project)
    keep_backups(12)
    for name, url in PAGES.items():
        camera.take(f"heavy-{name}", url)
    camera.take("heavy-tokens", "/settings/tokens")


def test_pages_of_an_empty_base(camera: Camera) -> None:
    fake.install(FakeProvider(filled=False))
    for name in EITHER:
        camera.take(f"empty-{name}", PAGES[name])


def test_pages_while_the_engine_is_away(camera: Camera) -> None:
    provider = fake.install(FakeProvider())
    provider.engine_outcome = Failed(Failure.TIMEOUT, "No reply from 127.0.0.1:8790 within 2000 ms.", limit_ms=2000)
    for name in EITHER:
        camera.take(f"away-{name}", PAGES[name])


def test_a_project_that_reads_none(camera: Camera, project: Project) -> None:
    fake.install(FakeProvider())
    project.binding.delete()
    camera.take("unbound", PAGES["sources"])


def test_sign_in(camera: Camera, owner: User) -> None:
    begin(user=owner)
    TOTPDevice.objects.update(confirmed=True)
    camera.take("security-on", "/settings/sign-in")
    camera.page.context.clear_cookies()
    camera.take("sign-in", "/sign-in")
    camera.page.get_by_label("E-mail").fill(owner.email)
    camera.page.get_by_label("Password").fill("a long enough password")
    camera.page.get_by_role("button", name="Sign in").click()
    expect(camera.page.get_by_role("heading", name="One more step")).to_be_visible()
    camera.shoot("sign-in-code")
    camera.page.get_by_role("textbox").fill("000000")
    camera.page.get_by_role("button", name="Sign in").click()
    expect(camera.page.get_by_text("That is not the code of now.")).to_be_visible()
    camera.shoot("sign-in-code-wrong")


def test_agent_tokens(camera: Camera, project: Project) -> None:
    fake.install(FakeProvider())
    camera.take("empty-tokens", "/settings/tokens")
    for name in ("planner-ant", "writer-ant", "auditor-ant"):
        token_of(project, name)
    first, second, third = AgentToken.objects.order_by("pk")
    rotate_token(by=BY, token=second, overlap=timedelta(hours=1))
    revoke_token(by=BY, token=third)
    camera.take("tokens", "/settings/tokens")
    camera.take("token", f"/settings/tokens/{first.pk}")
    camera.take("token-revoked", f"/settings/tokens/{third.pk}")
    camera.page.goto(f"{camera.server}/settings/tokens")
    camera.page.get_by_label("Name").fill("scout-ant")
    camera.page.get_by_role("combobox", name="Project").select_option(label=project.name)
    camera.page.get_by_role("combobox", name="How much it may see").select_option(label="General and tenant knowledge")
    camera.page.get_by_role("button", name="Make it").click()
    expect(camera.page.get_by_text("Shown once")).to_be_visible()
    camera.shoot("moment-token-made")


def token_of(project: Project, name: str) -> None:
    make_token(
        by=BY,
        project=project,
        name=name,
        permissions=[Permission.READ_KNOWLEDGE, Permission.PROPOSE_REVIEW],
        band=Band.TENANT,
        min_support=Support.DIRECT_FACT,
        per_minute=60,
        expires_at=timezone.now() + timedelta(days=90),
    )


def test_moments_of_work(camera: Camera) -> None:
    """What a person sees right after doing something, well or badly."""
    provider = fake.install(FakeProvider())
    page = camera.page
    page.goto(f"{camera.server}{PAGES['sources']}")
    files = [{"name": name, "mimeType": "text/plain", "buffer": b"x"} for name in ("minutes.txt", "setup.exe")]
    page.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Import", exact=True).click()
    camera.shoot("moment-imported")
    provider.known_jobs = [falcon.job(JobStatus.FAILED, done=1)]
    camera.take("moment-job-failed", PAGES["sources"])
    page.goto(f"{camera.server}{PAGES['decision']}")
    page.get_by_label("Both hold").check()
    page.get_by_label("Reason", exact=True).fill("They speak of two different launches.")
    page.get_by_role("button", name="Record ruling").click()
    camera.shoot("moment-incomplete")
    page.goto(f"{camera.server}{PAGES['decision']}")
    page.get_by_label("B holds").check()
    page.get_by_label("Reason", exact=True).fill("Robert Smith sent the later date himself, with the cause.")
    provider.resolve(
        SCOPE,
        "cf_date",
        Decision("neither", "Tomás Oduya", "Both are out.", provider.known_conflicts["cf_date"].digest),
    )
    page.get_by_role("button", name="Record ruling").click()
    camera.shoot("moment-overtaken")
    camera.take("moment-history", PAGES["history"])
    page.goto(f"{camera.server}{PROJECT}/review/cf_budget")
    page.get_by_label("A holds").check()
    page.get_by_label("Reason", exact=True).fill("The memo is signed.")
    page.get_by_role("button", name="Record ruling").click()
    camera.shoot("moment-ruled")
    camera.take("moment-superseded", f"{PROJECT}/knowledge?q=budget&historical=on")
    camera.take("moment-nothing-found", f"{PROJECT}/knowledge?q=weather")
    provider.failures["search"] = Failed(Failure.MALFORMED, "The answer does not have the agreed shape.", "req_77aa")
    camera.take("moment-call-failed", f"{PROJECT}/knowledge?q=budget")
    page.locator(".pick > summary").click()
    camera.shoot("moment-picker", judge=False)  # the open menu covers parts of the bar
    KnownEngine.objects.update(instance_id="fgi_another")
    camera.take("moment-wrong-engine", "/connection")
    page.goto(f"{camera.server}/p/no-such-project/sources")
    camera.shoot("moment-not-found")


def test_moments_of_review(camera: Camera) -> None:
    """The dialogs, many at once, a ruling with its undo, and compact rows."""
    fake.install(FakeProvider())
    page = camera.page
    page.goto(f"{camera.server}{PAGES['review']}")
    page.wait_for_load_state("load")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    camera.shoot("moment-keys", judge=False)  # what lies behind a dialog is not to be judged
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.get_by_role("textbox", name="Find anything").fill("budget")
    expect(page.locator("#palette .found a", has_text="The budget for Falcon is $1.35M.")).to_be_visible()
    camera.shoot("moment-palette", judge=False)
    page.keyboard.press("Escape")
    for name in ("Budget of Project Falcon", "Launch date of Project Falcon"):
        page.get_by_label(f"Pick {name}").check()
    camera.shoot("moment-picked")
    page.get_by_role("button", name="Rule on 2 picked…").click()
    camera.shoot("moment-many")
    page.get_by_label("A holds").check()
    page.get_by_label("Reason", exact=True).fill("The memo is signed.")
    page.get_by_role("button", name="Record ruling").click()
    camera.shoot("moment-many-done")
    page.goto(f"{camera.server}{PROJECT}/review/cf_adapter?tab=open")
    page.get_by_label("A holds").check()
    camera.shoot("moment-chosen")
    page.get_by_label("Reason", exact=True).fill("The memo is signed.")
    page.get_by_role("button", name="Record ruling").click()
    expect(page.get_by_text("Ruled: A holds.")).to_be_visible()
    camera.shoot("moment-undo")
    page.context.add_cookies([{"name": "anthill_density", "value": "compact", "url": camera.server}])
    camera.take("moment-compact", PAGES["sources"])
