"""Every component in every state, for developers, screenshots and accessibility tests."""

from django.conf import settings
from django.http import Http404, HttpResponse

from console.pages.desk import Desk, door
from console.pages.samples import agents, documents, frame, review
from console.policy import Door


@door(get=Door.SIGNED_IN)
def gallery(desk: Desk) -> HttpResponse:
    """The frame stands around it as on every page, so its own parts are in their places here."""
    if not settings.SHOW_COMPONENTS:
        raise Http404
    context = {**frame.samples(), **documents.samples(), **review.samples(), **agents.samples()}
    return desk.answer("pages/components.html", context)
