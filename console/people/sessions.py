"""Signed-in browsers: each known by a row, so that a person or an administrator can end it from elsewhere."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from console.audit.actions import record
from console.audit.models import Actor
from console.people.models import PersonSession, User

KEY = "person_session"
SEEN_EVERY_SECONDS = 60
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def sessions_of(user: User) -> list[PersonSession]:
    """Those that have not idled out, the one used last first."""
    return list(PersonSession.objects.filter(user=user, seen_at__gt=_oldest()))


def own_session(request: HttpRequest) -> int:
    """The id of the row of this request's session, 0 when there is none."""
    return int(request.session.get(KEY, 0))


def is_live(request: HttpRequest, user: User) -> bool:
    """Whether the session was not ended from elsewhere; notes once a minute that it is used."""
    row = PersonSession.objects.filter(pk=own_session(request), user=user).first()
    if row is None:
        return False
    if (timezone.now() - row.seen_at).total_seconds() > SEEN_EVERY_SECONDS:
        PersonSession.objects.filter(pk=row.pk).update(seen_at=timezone.now())
    return True


@transaction.atomic
def end_session(*, by: Actor, session: PersonSession) -> None:
    session.delete()
    record(by=by, action="session.ended_from_elsewhere", target=session.user.email, before={"browser": str(session)})


@transaction.atomic
def end_other_sessions(*, by: Actor, user: User, keep: int) -> int:
    """Ends every session of the person but the one kept (0 keeps none); answers how many."""
    ended, _ = PersonSession.objects.filter(user=user).exclude(pk=keep).delete()
    if ended:
        record(by=by, action="session.others_ended", target=user.email, before={"sessions": ended})
    return ended


@receiver(user_logged_in)
def _opened(sender: object, request: HttpRequest, user: User, **_: object) -> None:
    PersonSession.objects.filter(user=user, seen_at__lte=_oldest()).delete()
    row = PersonSession.objects.create(
        user=user,
        browser=_browser(request.META.get("HTTP_USER_AGENT", "")),
        address=str(request.META.get("REMOTE_ADDR", ""))[:45],
    )
    request.session[KEY] = row.pk


@receiver(user_logged_out)
def _closed(sender: object, request: HttpRequest, user: User | None, **_: object) -> None:
    PersonSession.objects.filter(pk=own_session(request), user=user).delete()


def _oldest() -> datetime:
    return timezone.now() - timedelta(seconds=settings.SESSION_COOKIE_AGE)


def _browser(agent: str) -> str:
    """“Firefox on Linux”: enough for a person to know their own, and nothing of the rest is kept."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return f"{browser or 'A program'} on {system}" if system else browser
