"""The switch for two people a ruling; off unless a manager turns it on."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.bases.actions import ask_two
from console.pages.desk import Desk, door
from console.pages.state import failed_page, unreadable
from console.policy import Permission
from knowledge.failures import Failed


@door(post=Permission.MANAGE_KNOWLEDGE)
def second_look(desk: Desk) -> HttpResponse:
    if not desk.link.readable:
        return unreadable(desk, gettext("Review"), place="review")
    asked = desk.request.POST.get("second_look") == "on"
    answer = ask_two(hand=desk.require_hand(), is_asked=asked)
    if isinstance(answer, Failed):
        return failed_page(desk, gettext("Review"), answer, place="review")
    told = (
        gettext("From now on a ruling needs two people.")
        if asked
        else gettext("From now on one person’s ruling counts.")
    )
    messages.success(desk.request, told)
    return redirect("review", desk.require_project().slug)
