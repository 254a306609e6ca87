"""A person's phrases: kept with a ruling or on their own page, dropped there."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from console.pages.desk import Desk, door
from console.pages.review_forms import PhraseForm
from console.pages.show.text import visible_line
from console.phrases.actions import TooManyPhrases, drop_phrase, keep_phrase
from console.phrases.models import MOST
from console.phrases.queries import phrases_of
from console.policy import Permission

PAGE = "pages/review/phrases.html"
LONGEST = 200


@door(get=Permission.REVIEW_KNOWLEDGE, post=Permission.REVIEW_KNOWLEDGE)
def phrases(desk: Desk) -> HttpResponse:
    """One's own five, and those the console brings until they are taken."""
    project = desk.require_project()
    posted = desk.request.method == "POST"
    if posted and desk.request.POST.get("drop", "").isdigit():
        drop_phrase(user=desk.user, project=project, pk=int(desk.request.POST["drop"][:18]))
        return redirect("phrases", project.slug)
    form = PhraseForm(desk.request.POST if posted else None)
    if posted and form.is_valid():
        try:
            keep_phrase(user=desk.user, project=project, words=visible_line(form.cleaned_data["words"])[:LONGEST])
            return redirect("phrases", project.slug)
        except TooManyPhrases:
            form.add_error(
                "words",
                gettext("There are {most} keys, and each has a phrase of yours. Drop one first.").format(most=MOST),
            )
    context = {"form": form, "phrases": phrases_of(desk.user, project)}
    return desk.answer(PAGE, context, status=422 if posted else 200)


def keep_if_asked(desk: Desk, form: forms.Form) -> None:
    """After a ruling: its reason becomes a phrase when the person ticked so. The ruling stands either way."""
    if not form.cleaned_data.get("keep"):
        return
    words = visible_line(str(form.cleaned_data["notes"]))
    if len(words) > LONGEST:
        messages.warning(
            desk.request,
            gettext("The reason was not kept as a phrase: it is longer than {longest} characters.").format(
                longest=LONGEST
            ),
        )
        return
    try:
        keep_phrase(user=desk.user, project=desk.require_project(), words=words)
    except TooManyPhrases:
        messages.warning(
            desk.request, gettext("The reason was not kept as a phrase: all {most} keys are taken.").format(most=MOST)
        )
