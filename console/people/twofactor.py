"""The second factor: a code of an authenticator app (TOTP), or once a recovery code. Codes are never logged or kept."""

import hashlib
import secrets
from typing import cast

from django.db import transaction
from django_otp.plugins.otp_totp.models import TOTPDevice

from console.audit.actions import record
from console.audit.models import Actor
from console.people.models import RecoveryCode, User

RECOVERY_CODES = 10
NAME = "authenticator app"


class WrongCode(Exception):
    """Not the code of now, one used already, or too many wrong ones in a row."""


def has_second_factor(user: User) -> bool:
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def recovery_codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(user=user).count()


@transaction.atomic
def begin(*, user: User) -> TOTPDevice:
    """A device waiting for its first code; the one begun before is taken up again, so that a reload changes nothing."""
    User.objects.select_for_update().get(pk=user.pk)
    waiting = TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": NAME})
    return cast(TOTPDevice, waiting[0])


def confirm(*, user: User, code: str) -> list[str]:
    """Turns the second factor on with the waiting device's first code; answers the recovery codes, shown once.

    A wrong code is counted outside of the transaction, so that it stays counted.
    """
    device = TOTPDevice.objects.filter(user=user, confirmed=False).first()
    if device is None or not _verified(device, code):
        raise WrongCode
    with transaction.atomic():
        TOTPDevice.objects.filter(user=user, confirmed=True).delete()
        TOTPDevice.objects.filter(pk=device.pk).update(confirmed=True)
        record(by=user.actor, action="person.second_factor_on", target=user.email)
        return _fresh_codes(user)


def check(*, user: User, code: str) -> None:
    """Raises ``WrongCode`` unless it is the app's code of now or an unused recovery code, which is used up by this."""
    device = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    if device is None:
        return
    if device.verify_is_allowed()[0] and _used_recovery_code(user, code):
        return
    if not _verified(device, code):
        raise WrongCode


@transaction.atomic
def _verified(device: TOTPDevice, code: str) -> bool:
    """One code opens once, also for two who send it at the same moment; a wrong one is counted, not rolled back."""
    held = TOTPDevice.objects.select_for_update().filter(pk=device.pk).first()
    return held is not None and bool(held.verify_token(_plain(code)))


@transaction.atomic
def renew_codes(*, user: User) -> list[str]:
    """New recovery codes; those of before stop working."""
    record(by=user.actor, action="person.recovery_codes_made", target=user.email)
    return _fresh_codes(user)


@transaction.atomic
def turn_off(*, by: Actor, user: User) -> None:
    TOTPDevice.objects.filter(user=user).delete()
    RecoveryCode.objects.filter(user=user).delete()
    record(by=by, action="person.second_factor_off", target=user.email)


@transaction.atomic
def _used_recovery_code(user: User, code: str) -> bool:
    used, _ = RecoveryCode.objects.filter(user=user, digest=_digest(code)).delete()
    if used:
        after = {"left": recovery_codes_left(user)}
        record(by=user.actor, action="person.recovery_code_used", target=user.email, after=after)
    return used > 0


def _fresh_codes(user: User) -> list[str]:
    RecoveryCode.objects.filter(user=user).delete()
    codes = [f"{secrets.token_hex(3)}-{secrets.token_hex(3)}" for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, digest=_digest(code)) for code in codes)
    return codes


def _plain(code: str) -> str:
    return "".join(code.split())


def _digest(code: str) -> str:
    return hashlib.sha256(_plain(code).casefold().encode()).hexdigest()
