"""One's own password and the theme."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from console.pages.desk import Desk, door
from console.pages.forms import PasswordForm
from console.pages.frame import THEMES
from console.people.actions import choose_password
from console.policy import Door

YEAR_SECONDS = 365 * 24 * 3600


@door(get=Door.SIGNED_IN, post=Door.SIGNED_IN)
def password(desk: Desk) -> HttpResponse:
    posted = desk.request.method == "POST"
    form = PasswordForm(desk.request.POST if posted else None, user=desk.user)
    if posted and form.is_valid():
        user = choose_password(user=desk.user, password=form.cleaned_data["password"])
        update_session_auth_hash(desk.request, user)
        messages.success(desk.request, "Your new password is set.")
        return redirect("home")
    context = {"form": form, "first": desk.user.must_change_password}
    return desk.answer("pages/account/password.html", context, status=422 if posted else 200)


@door(post=Door.SIGNED_IN)
def theme(desk: Desk) -> HttpResponse:
    """Kept in a cookie, so that it works before sign-in and without JavaScript."""
    asked = desk.request.POST.get("theme", "")
    back = desk.request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={desk.request.get_host()})
    answer = redirect(back if safe else "home")
    if asked in THEMES:
        answer.set_cookie("anthill_theme", asked, max_age=YEAR_SECONDS, samesite="Lax", httponly=True)
    else:
        answer.delete_cookie("anthill_theme")
    return answer
