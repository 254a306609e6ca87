"""Agent tokens: made, shown once, rotated, revoked."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from console.packages.ledger import ledger_of
from console.pages.desk import Desk, door
from console.pages.show.honesty import ledger_figures
from console.pages.show.times import moment
from console.pages.token_forms import BANDS, SUPPORT, RotateForm, TokenForm
from console.policy import Permission
from console.projects.queries import every_project
from console.tokens.actions import Made, NotUsable, make_token, revoke_token, rotate_token
from console.tokens.models import AgentToken, TokenState
from console.tokens.queries import every_token, find_token
from console.wording import gettext_lazy as _
from knowledge.vocabulary import Band, Support

MAY = {
    Permission.READ_KNOWLEDGE: _("reads"),
    Permission.PROPOSE_REVIEW: _("proposes"),
    Permission.WORK_MISSIONS: _("works missions"),
}
STATES = {
    TokenState.ACTIVE: ("active", "disc", _("Active")),
    TokenState.ENDING: ("waiting", "clock", _("Rotated, ends soon")),
    TokenState.EXPIRED: ("stale", "clock", _("Ended")),
    TokenState.REVOKED: ("revoked", "slash", _("Revoked")),
}


@door(get=Permission.MANAGE_SETTINGS, post=Permission.MANAGE_SETTINGS)
def tokens(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    form = TokenForm(desk.request.POST if posted else None, projects=every_project())
    if not posted or not form.is_valid():
        return _page(desk, form, status=422 if posted else 200)
    data = form.cleaned_data
    life = form.life_time
    made = make_token(
        by=desk.by,
        project=data["project"],
        name=data["name"],
        permissions=[Permission(value) for value in data["permissions"]],
        band=Band(data["band"]),
        min_support=Support(data["min_support"]),
        per_minute=data["per_minute"],
        expires_at=timezone.now() + life if life else None,
    )
    return _page(desk, TokenForm(projects=every_project()), made)


@door(get=Permission.MANAGE_SETTINGS)
def token(desk: Desk, pk: str) -> HttpResponse:
    return _detail(desk, _token(pk), RotateForm())


@door(get=Permission.MANAGE_SETTINGS)
def token_ledger(desk: Desk, pk: str) -> HttpResponse:
    """The same totals for a program of an operator."""
    found = _token(pk)
    return JsonResponse({"token": str(found), "project": found.project.slug, "totals": ledger_of(found).as_json()})


@door(post=Permission.MANAGE_SETTINGS)
def token_rotate(desk: Desk, pk: str) -> HttpResponse:
    """The successor's secret is shown once on this answer and nowhere else."""
    found = _token(pk)
    form = RotateForm(desk.request.POST)
    if not form.is_valid():
        return _detail(desk, found, form, status=422)
    try:
        made = rotate_token(by=desk.by, token=found, overlap=form.overlap_time)
    except NotUsable as refused:
        form.add_error("overlap", str(refused))
        return _detail(desk, found, form, status=409)
    return _page(desk, TokenForm(projects=every_project()), made)


@door(post=Permission.MANAGE_SETTINGS)
def token_revoke(desk: Desk, pk: str) -> HttpResponse:
    revoked = revoke_token(by=desk.by, token=_token(pk))
    messages.success(desk.request, gettext("Revoked {revoked}. Its next call is refused.").format(revoked=revoked))
    return redirect("tokens")


def _detail(desk: Desk, found: AgentToken, form: RotateForm, status: int = 200) -> HttpResponse:
    context = {"token": _row(found), "form": form, "ledger": ledger_figures(ledger_of(found))}
    return desk.answer("pages/tokens/detail.html", context, status=status)


def _page(desk: Desk, form: TokenForm, made: Made | None = None, status: int = 200) -> HttpResponse:
    context = {"form": form, "rows": [_row(each) for each in every_token()], "made": made}
    if made is not None:
        context["reach"] = _reach(desk, made)
    answer = desk.answer("pages/tokens/list.html", context, status=status)
    if made is not None:
        answer.headers["Cache-Control"] = "no-store"
    return answer


def _reach(desk: Desk, made: Made) -> dict[str, object]:
    """What a client of the new token is told: addresses as they are seen from this browser."""
    return {
        "json": desk.request.build_absolute_uri(reverse("tool-search")),
        "mcp": _door_over_mcp(desk),
        "command": ".venv/bin/python manage.py mcp --http",
        "general_alone": made.token.band == Band.GENERAL.value,
    }


def _door_over_mcp(desk: Desk) -> str:
    """In production the proxy sends ``/mcp`` of the console's own address there; else it is a port beside it."""
    if settings.PRODUCTION:
        return desk.request.build_absolute_uri("/mcp")
    host = desk.request.get_host().rpartition(":")[0] or desk.request.get_host()
    return f"http://{host}:{settings.VALUES.number('mcp_port')}/mcp"


def _token(pk: str) -> AgentToken:
    found = find_token(int(pk))
    if found is None:
        raise Http404
    return found


def _row(each: AgentToken) -> dict[str, object]:
    state, icon, words = STATES[each.state]
    return {
        "pk": each.pk,
        "name": each.name,
        "prefix": each.prefix,
        "project": each.project.name,
        "may": ", ".join(str(MAY[permission]) for permission in MAY if permission in each.granted),
        "sees": BANDS[Band(each.band)],
        "support": SUPPORT[each.min_support],
        "per_minute": each.per_minute,
        "made_by": each.created_by,
        "made": moment(each.created_at),
        "ends": moment(each.expires_at),
        "used": moment(each.last_used_at),
        "state": state,
        "icon": icon,
        "words": words,
        "usable": each.state in (TokenState.ACTIVE, TokenState.ENDING),
        "rotatable": each.state is TokenState.ACTIVE,
        "successor": str(each.successor) if hasattr(each, "successor") else "",
    }
