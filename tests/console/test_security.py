"""The second factor and the sessions of a person."""

import re

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from console.audit.models import AuditEvent
from console.env import ROOT
from console.people.models import PersonSession, RecoveryCode, User
from console.projects.models import Project
from tests.console.conftest import signed_in

PASSWORD = "a long enough password"
CODE = re.compile(r"\b[0-9a-f]{6}-[0-9a-f]{6}\b")
WHEN = "2030-05-04 09:00:00Z"
LATER = "2030-05-04 09:05:00Z"


def code_of(user: User) -> str:
    return f"{totp(TOTPDevice.objects.get(user=user).bin_key):06}"


def set_up(user: User) -> list[str]:
    """Turns the second factor on through the page; answers the recovery codes."""
    client = signed_in(user)
    client.get(reverse("second-factor"))
    answer = client.post(reverse("second-factor"), {"code": code_of(user)})
    assert answer.headers["Cache-Control"] == "no-store"
    return CODE.findall(answer.content.decode())


def first_step(user: User, password: str = PASSWORD) -> Client:
    client = Client()
    answer = client.post(reverse("sign-in"), {"email": user.email, "password": password, "next": "/connection"})
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/sign-in/code?next=%2Fconnection"
    return client


def signed_in_now(client: Client) -> bool:
    return client.get(reverse("security")).status_code == 200


def test_the_key_and_the_codes_are_shown_once_and_the_codes_kept_as_digests(member: User, project: Project) -> None:
    with time_machine.travel(WHEN):
        codes = set_up(member)
    assert len(set(codes)) == 10
    page = signed_in(member).get(reverse("security")).content.decode()
    assert "10 recovery codes left" in page
    assert not CODE.findall(page)
    assert all(code not in str(vars(row)) for code in codes for row in RecoveryCode.objects.all())
    assert signed_in(member).get(reverse("second-factor")).status_code == 302, "a key is not shown again"


def test_signing_in_takes_both_steps(member: User, project: Project) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    with time_machine.travel(LATER):
        client = first_step(member)
        assert not signed_in_now(client)
        answer = client.post(reverse("sign-in-code"), {"code": code_of(member), "next": "/connection"})
        assert answer.headers["Location"] == "/connection"
        assert signed_in_now(client)


def test_a_code_works_once(member: User, project: Project) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    with time_machine.travel(LATER, tick=False):
        code = code_of(member)
        assert first_step(member).post(reverse("sign-in-code"), {"code": code}).status_code == 302
        again = first_step(member)
        assert again.post(reverse("sign-in-code"), {"code": code}).status_code == 422
        assert not signed_in_now(again)


def test_a_recovery_code_works_once(member: User, project: Project) -> None:
    with time_machine.travel(WHEN):
        code = set_up(member)[3]
    client = first_step(member)
    assert client.post(reverse("sign-in-code"), {"code": code.upper()}).status_code == 302
    assert signed_in_now(client)
    assert RecoveryCode.objects.filter(user=member).count() == 9
    assert AuditEvent.objects.filter(action="person.recovery_code_used").exists()
    assert first_step(member).post(reverse("sign-in-code"), {"code": code}).status_code == 422


def test_wrong_codes_end_the_first_step_and_pause_the_device(member: User, project: Project) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    with time_machine.travel(LATER, tick=False):
        client = first_step(member)
        statuses = [client.post(reverse("sign-in-code"), {"code": "000000"}).status_code for _ in range(5)]
        assert statuses == [422, 422, 422, 422, 302]
        assert client.get(reverse("sign-in-code")).headers["Location"] == reverse("sign-in")
        right = first_step(member)
        assert right.post(reverse("sign-in-code"), {"code": code_of(member)}).status_code == 422, "it pauses"
    with time_machine.travel("2030-05-04 09:10:00Z", tick=False):
        assert first_step(member).post(reverse("sign-in-code"), {"code": code_of(member)}).status_code == 302


def test_the_second_step_is_closed_without_the_first_and_after_five_minutes(member: User, project: Project) -> None:
    assert Client().get(reverse("sign-in-code")).headers["Location"] == reverse("sign-in")
    with time_machine.travel(WHEN):
        set_up(member)
    with time_machine.travel(LATER):
        client = first_step(member)
    with time_machine.travel("2030-05-04 09:11:00Z"):
        assert client.post(reverse("sign-in-code"), {"code": code_of(member)}).headers["Location"] == reverse("sign-in")


def test_a_wrong_first_code_turns_nothing_on(member: User, project: Project) -> None:
    client = signed_in(member)
    client.get(reverse("second-factor"))
    key = TOTPDevice.objects.get().key
    answer = client.post(reverse("second-factor"), {"code": "123"})
    assert answer.status_code == 422
    assert "That is not the code of now" in answer.content.decode()
    assert (TOTPDevice.objects.get().key, TOTPDevice.objects.get().confirmed) == (key, False)


@pytest.mark.parametrize("route", ["second-factor-off", "recovery-codes"])
def test_what_weakens_the_sign_in_takes_the_password(member: User, project: Project, route: str) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    client = signed_in(member)
    answer = client.post(reverse(route), {"current": "not it"})
    assert answer.status_code == 422
    assert "That is not your password" in answer.content.decode()
    assert RecoveryCode.objects.count() == 10
    assert client.post(reverse(route), {"current": PASSWORD}).status_code in (200, 302)
    assert TOTPDevice.objects.exists() is (route == "recovery-codes")


def test_an_administrator_turns_a_lost_factor_off(as_owner: Client, member: User) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    page = as_owner.post(reverse("person-factor-off", args=[member.pk]), follow=True).content.decode()
    assert "The second factor of Tomas is off" in page
    client = Client()
    client.post(reverse("sign-in"), {"email": member.email, "password": PASSWORD})
    assert signed_in_now(client)
    assert AuditEvent.objects.get(action="person.second_factor_off").actor_name == "Mara"


def test_a_session_ended_from_elsewhere_is_signed_out_at_its_next_request(member: User, project: Project) -> None:
    here, there = signed_in(member), signed_in(member)
    other = PersonSession.objects.filter(user=member).latest("pk")
    assert here.post(reverse("session-end", args=[other.pk])).status_code == 302
    assert signed_in_now(here)
    assert there.get(reverse("security")).headers["Location"].startswith(reverse("sign-in"))


def test_all_others_end_together_and_signing_out_leaves_no_row(member: User, project: Project) -> None:
    here, *others = [signed_in(member) for _ in range(3)]
    page = here.post(reverse("sessions-end"), follow=True).content.decode()
    assert "Ended 2 other sessions" in page
    assert [signed_in_now(client) for client in (here, *others)] == [True, False, False]
    here.post(reverse("sign-out"))
    assert not PersonSession.objects.exists()


def test_a_foreign_session_is_like_none(member: User, stranger: User, project: Project) -> None:
    signed_in(stranger)
    foreign = PersonSession.objects.get(user=stranger)
    assert signed_in(member).post(reverse("session-end", args=[foreign.pk])).status_code == 404
    assert PersonSession.objects.filter(pk=foreign.pk).exists()


def test_an_administrator_ends_every_session_of_a_person(as_owner: Client, member: User, project: Project) -> None:
    client = signed_in(member)
    as_owner.post(reverse("person-sessions-end", args=[member.pk]))
    assert not signed_in_now(client)
    assert signed_in_now(as_owner)


def test_a_browser_is_told_by_its_family_and_system_alone(member: User, project: Project) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    client = Client(headers={"User-Agent": agent})
    client.post(reverse("sign-in"), {"email": member.email, "password": PASSWORD})
    assert PersonSession.objects.get().browser == "Firefox on Linux"
    assert "140" not in client.get(reverse("security")).content.decode().split("Signed in now")[1].split("</table>")[0]


def test_a_first_step_with_a_password_that_was_changed_meanwhile_opens_nothing(as_owner: Client, member: User) -> None:
    with time_machine.travel(WHEN):
        set_up(member)
    client = first_step(member)
    as_owner.post(reverse("person-password", args=[member.pk]))
    as_owner.post(reverse("person-factor-off", args=[member.pk]))
    assert client.post(reverse("sign-in-code"), {"code": "000000"}).headers["Location"] == reverse("sign-in")
    assert not signed_in_now(client)


def test_sessions_that_end_with_a_password_are_listed_no_more(as_owner: Client, member: User, project: Project) -> None:
    here, there = signed_in(member), signed_in(member)
    changed = {"current": PASSWORD, "password": "another long password", "again": "another long password"}
    assert here.post(reverse("password"), changed).status_code == 302
    assert PersonSession.objects.filter(user=member).count() == 1
    assert [signed_in_now(client) for client in (here, there)] == [True, False]
    as_owner.post(reverse("person-password", args=[member.pk]))
    assert not PersonSession.objects.filter(user=member).exists()


def test_what_the_sign_in_page_quotes_stands_in_the_example_as_it_is(client: Client) -> None:
    page = client.get(reverse("sign-in")).content.decode()
    quoted = page.partition("<mark>")[2].partition("</mark>")[0]
    mail = ROOT / "examples" / "falcon" / "02-schedule-update.eml"
    assert mail.name in page
    assert len(quoted) > 20
    assert quoted in mail.read_text("utf-8")
