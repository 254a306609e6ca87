"""One's own sign-in: the second factor and the browsers that are signed in."""

from base64 import b32encode

import segno
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext

from console.pages.account_forms import CodeForm, CurrentPasswordForm
from console.pages.desk import Desk, door
from console.pages.show.times import moment
from console.people import twofactor
from console.people.models import PersonSession
from console.people.sessions import end_other_sessions, end_session, own_session, sessions_of
from console.people.twofactor import WrongCode
from console.policy import Door
from console.wording import gettext_lazy as _

WRONG_CODE = _(
    "That is not the code of now. Just after a wrong one the right one is refused, too: wait for the next one."
)
GROUP = 4


@door(get=Door.SIGNED_IN)
def security(desk: Desk) -> HttpResponse:
    return _page(desk, CurrentPasswordForm(user=desk.user))


@door(get=Door.SIGNED_IN, post=Door.SIGNED_IN)
def second_factor(desk: Desk) -> HttpResponse:
    """Sets the second factor up: the key as a picture and in letters, then its first code."""
    if twofactor.has_second_factor(desk.user):
        return redirect("security")
    posted = desk.request.method == "POST"
    form = CodeForm(desk.request.POST if posted else None)
    if posted and form.is_valid():
        try:
            codes = twofactor.confirm(user=desk.user, code=form.cleaned_data["code"])
        except WrongCode:
            form.add_error("code", WRONG_CODE)
        else:
            end_other_sessions(by=desk.by, user=desk.user, keep=own_session(desk.request))
            return _page(desk, CurrentPasswordForm(user=desk.user), codes=codes)
    device = twofactor.begin(user=desk.user)
    key = b32encode(device.bin_key).decode()
    picture = segno.make(device.config_url, error="m")
    context = {
        "form": form,
        "picture": picture.svg_inline(scale=4, border=2, svgclass=None, lineclass=None),
        "key": " ".join(key[at : at + GROUP] for at in range(0, len(key), GROUP)),
    }
    return _unkept(desk.answer("pages/account/second-factor.html", context, status=422 if posted else 200))


@door(post=Door.SIGNED_IN)
def recovery_codes(desk: Desk) -> HttpResponse:
    form = CurrentPasswordForm(desk.request.POST, user=desk.user)
    if not twofactor.has_second_factor(desk.user):
        raise Http404
    if not form.is_valid():
        return _page(desk, form, status=422)
    return _page(desk, CurrentPasswordForm(user=desk.user), codes=twofactor.renew_codes(user=desk.user))


@door(post=Door.SIGNED_IN)
def second_factor_off(desk: Desk) -> HttpResponse:
    form = CurrentPasswordForm(desk.request.POST, user=desk.user)
    if not form.is_valid():
        return _page(desk, form, status=422)
    twofactor.turn_off(by=desk.by, user=desk.user)
    messages.success(desk.request, gettext("The second factor is off. Your password alone signs you in."))
    return redirect("security")


@door(post=Door.SIGNED_IN)
def session_end(desk: Desk, pk: str) -> HttpResponse:
    found = PersonSession.objects.filter(pk=int(pk), user=desk.user).first()
    if found is None:
        raise Http404
    end_session(by=desk.by, session=found)
    messages.success(desk.request, gettext("Ended. That browser has to sign in again."))
    return redirect("security")


@door(post=Door.SIGNED_IN)
def sessions_end(desk: Desk) -> HttpResponse:
    ended = end_other_sessions(by=desk.by, user=desk.user, keep=own_session(desk.request))
    messages.success(
        desk.request,
        ngettext("Ended {ended} other session.", "Ended {ended} other sessions.", ended).format(ended=ended),
    )
    return redirect("security")


def _page(desk: Desk, form: CurrentPasswordForm, codes: list[str] | None = None, status: int = 200) -> HttpResponse:
    own = own_session(desk.request)
    context = {
        "on": twofactor.has_second_factor(desk.user),
        "left": twofactor.recovery_codes_left(desk.user),
        "codes": codes,
        "form": form,
        "sessions": [
            {
                "pk": each.pk,
                "browser": each.browser or gettext("A program"),
                "address": each.address,
                "started": moment(each.started_at),
                "seen": moment(each.seen_at),
                "own": each.pk == own,
            }
            for each in sessions_of(desk.user)
        ],
    }
    answer = desk.answer("pages/account/security.html", context, status=status)
    return _unkept(answer) if codes else answer


def _unkept(answer: HttpResponse) -> HttpResponse:
    answer.headers["Cache-Control"] = "no-store"
    return answer
