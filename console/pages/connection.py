"""Connection: where the engine stands, why, and what to do next."""

from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext

from console.connection.actions import Wish, pin_engine, store_settings, wish_engine
from console.connection.models import EngineProcess, EngineWish, KnownEngine
from console.connection.providers import forget_probe
from console.connection.settings import Mode
from console.connection.states import PACKAGE_VERSION, State
from console.env import Origin
from console.http import STOP_POLLING, refreshes
from console.pages.desk import Desk, door
from console.pages.setting_forms import ABOUT_THE_ENGINE, SettingsForm
from console.pages.show.times import moment
from console.pages.state import state_note
from console.policy import Door, Permission
from console.wording import gettext_lazy as _

PAGE = "pages/connection/detail.html"
SETTLES_WITHIN = timedelta(seconds=15)
MOVING = (EngineProcess.Phase.STARTING, EngineProcess.Phase.WAITING, EngineProcess.Phase.STOPPING)

_TOKEN_FROM = {
    Origin.ENVIRONMENT: _("Set in the environment. It is never shown."),
    Origin.FILE: _("Read from a file on this machine. It is never shown."),
    Origin.STORED: _("Set on this page and kept sealed. It is never shown."),
    Origin.DEFAULT: _("None is set."),
}


@door(get=Door.SIGNED_IN, post=Permission.MANAGE_SETTINGS)
def connection(desk: Desk) -> HttpResponse:
    manages = desk.may(Permission.MANAGE_SETTINGS)
    posted = desk.request.method == "POST"
    given = desk.request.POST if posted else None
    form = SettingsForm(given, settings=desk.link.settings, names=ABOUT_THE_ENGINE) if manages else None
    if form is not None and posted and form.is_valid():
        if changes := form.changes():
            store_settings(by=desk.by, changes=changes)
            forget_probe()
        messages.success(desk.request, gettext("Saved. The next request uses it."))
        return redirect("connection")
    polling = _is_moving(desk)
    context = {
        "note": state_note(desk),
        "state": desk.link.state,
        "facts": _facts(desk),
        "form": form,
        "manages": manages,
        "token": _TOKEN_FROM[desk.link.settings.token_origin],
        "mismatch": _mismatch(desk) if manages else None,
        "wishes": _wishes(desk) if manages else (),
        "polling": polling,
    }
    status = 422 if posted else 200
    if refreshes(desk.request, "standing") and not polling:
        status = STOP_POLLING
    return desk.answer(PAGE, context, regions={"standing": f"{PAGE}#standing"}, status=status)


@door(post=Permission.MANAGE_SETTINGS)
def engine_wish(desk: Desk) -> HttpResponse:
    """Start, stop or restart the managed engine: written down here, acted on by its supervisor."""
    asked = desk.request.POST.get("wish", "")
    if desk.link.settings.mode is not Mode.MANAGED or asked not in list(Wish):
        messages.warning(desk.request, gettext("This engine is not ours to start or stop. Nothing was changed."))
        return redirect("connection")
    wish_engine(by=desk.by, wish=Wish(asked))
    forget_probe()
    messages.success(desk.request, gettext("Asked for. The state below says when it is so."))
    return redirect("connection")


@door(post=Permission.MANAGE_SETTINGS)
def trust_engine(desk: Desk) -> HttpResponse:
    """Confirm that the engine that answers now is the one to read from."""
    engine = desk.link.engine
    if engine is None:
        raise Http404
    pin_engine(by=desk.by, instance_id=engine.instance_id, generation=engine.generation)
    messages.success(
        desk.request, gettext("{instance_id} is the engine we know now.").format(instance_id=engine.instance_id)
    )
    return redirect("connection")


def _facts(desk: Desk) -> list[tuple[str, str, bool]]:
    """Name, words, and whether the words are bytes to be shown in mono."""
    link, engine = desk.link, desk.link.engine
    managed = link.settings.mode is Mode.MANAGED
    facts = [
        (
            gettext("Mode"),
            gettext("Managed: this console starts it and stops it")
            if managed
            else gettext("Attached: someone else runs it"),
            False,
        ),
        (gettext("Endpoint"), link.settings.endpoint, True),
    ]
    if engine is not None:
        facts += [
            (
                gettext("Engine"),
                gettext("{name} {version}, protocol {protocol_version}").format(
                    name=engine.name, version=engine.version, protocol_version=engine.protocol_version
                ),
                False,
            ),
            (gettext("Instance"), engine.instance_id, True),
            (gettext("Generation"), engine.generation, True),
            (gettext("Package version"), _package_words(engine.package_version), False),
            (gettext("Search"), engine.search_backend, True),
            (gettext("Model"), _model_words(engine.model_provider), False),
            (gettext("Data"), engine.data_dir, True),
        ]
    return facts + _process_facts(managed=managed)


def _process_facts(*, managed: bool) -> list[tuple[str, str, bool]]:
    process = EngineProcess.objects.first() if managed else None
    if process is None:
        return []
    facts = [
        (
            gettext("Process"),
            gettext("{process}, {restarts} restarts since it was started").format(
                process=process.get_phase_display(), restarts=process.restarts
            ),
            False,
        )
    ]
    if process.started_at:
        facts.append((gettext("Up since"), moment(process.started_at).words, False))
    return facts


def _wishes(desk: Desk) -> tuple[tuple[str, str], ...]:
    """What can be asked of the managed engine now; nothing where no supervisor would hear it."""
    process = EngineProcess.objects.first()
    if desk.link.settings.mode is not Mode.MANAGED or process is None or not process.watched:
        return ()
    start, stop, restart = (
        (Wish.START.value, gettext("Start it")),
        (Wish.STOP.value, gettext("Stop it")),
        (Wish.RESTART.value, gettext("Restart it")),
    )
    if process.phase in (EngineProcess.Phase.STOPPED, EngineProcess.Phase.STOPPING):
        return (start,)
    return (start,) if process.phase == EngineProcess.Phase.FAILED else (restart, stop)


def _is_moving(desk: Desk) -> bool:
    """Whether what was asked of the managed engine is still on its way, so that the page looks again by itself."""
    process, wish = EngineProcess.objects.first(), EngineWish.objects.first()
    if desk.link.settings.mode is not Mode.MANAGED or process is None or not process.watched:
        return False
    is_fresh = wish is not None and timezone.now() - wish.at < SETTLES_WITHIN
    return is_fresh or process.phase in MOVING


def _model_words(provider: str) -> str:
    return provider if provider not in ("", "none") else gettext("None. Statements come from rules only.")


def _package_words(declared: int | None) -> str:
    if declared is None:
        return gettext("This console reads {package_version}; the engine declares none").format(
            package_version=PACKAGE_VERSION
        )
    return gettext("This console reads {package_version}, the engine declares {declared}").format(
        package_version=PACKAGE_VERSION, declared=declared
    )


def _mismatch(desk: Desk) -> dict[str, str] | None:
    if desk.link.state.state is not State.WRONG_ENGINE or desk.link.engine is None:
        return None
    known = KnownEngine.objects.first()
    engine = desk.link.engine
    return {
        "known": known.instance_id if known else "",
        "known_generation": known.generation if known else "",
        "answering": engine.instance_id,
        "answering_generation": engine.generation,
    }
