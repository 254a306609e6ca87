"""One's own password, the theme and the density."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.forms import PasswordForm
from console.pages.frame import DENSITIES, THEMES
from console.people.actions import choose_password
from console.people.sessions import end_other_sessions, own_session
from console.policy import Door

YEAR_SECONDS = 365 * 24 * 3600


@door(get=Door.SIGNED_IN, post=Door.SIGNED_IN)
def password(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    form = PasswordForm(desk.request.POST if posted else None, user=desk.user)
    if posted and form.is_valid():
        user = choose_password(user=desk.user, password=form.cleaned_data["password"])
        update_session_auth_hash(desk.request, user)
        end_other_sessions(by=desk.by, user=user, keep=own_session(desk.request))
        messages.success(desk.request, gettext("Your new password is set."))
        return redirect("home")
    context = {"form": form, "first": desk.user.must_change_password}
    return desk.answer("pages/account/password.html", context, status=422 if posted else 200)


@door(post=Door.SIGNED_IN)
def theme(desk: Desk) -> HttpResponse:
    """Theme or density, whichever was posted; kept in a cookie, so that it works without JavaScript."""
    back = desk.request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={desk.request.get_host()})
    answer = redirect(back if safe else "home")
    for name, known in (("theme", THEMES), ("density", DENSITIES)):
        if name in desk.request.POST:
            _keep(answer, f"anthill_{name}", desk.request.POST[name], known)
    return answer


def _keep(answer: HttpResponse, cookie: str, asked: str, known: tuple[str, ...]) -> None:
    """Anything but a known value means the default again."""
    if asked in known:
        answer.set_cookie(cookie, asked, max_age=YEAR_SECONDS, samesite="Lax", httponly=True)
    else:
        answer.delete_cookie(cookie)
