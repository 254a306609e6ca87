"""What a ruling takes: measured where it can be known, told on Review, left out where it is not."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEvent
from console.audit.queries import measured_rulings
from console.pages.timing import opened_now, presses_told, seconds_since
from tests.console import falcon
from tests.console.fake import FakeProvider

QUEUE = "/p/falcon-programme/review"


def rule(client: Client, conflict: str, **told: str) -> dict[str, object]:
    found = falcon.conflicts()[conflict]
    body = {"ruling": f"side:{found.sides[0].id}", "notes": "Signed.", "digest": found.digest, "sides": "", **told}
    assert client.post(f"{QUEUE}/{conflict}", body).status_code == 302
    event = AuditEvent.objects.filter(action="conflict.ruled").first()
    assert event is not None
    return dict(event.after)


def test_seconds_and_presses_stand_in_the_event_of_the_ruling(as_member: Client) -> None:
    page = as_member.get(f"{QUEUE}/cf_date").content.decode()
    assert 'name="opened" value="' in page
    assert 'name="presses"' in page
    started = timezone.now()
    with time_machine.travel(started, tick=False):
        opened = opened_now("cf_date")
    with time_machine.travel(started + timedelta(seconds=42), tick=False):
        after = rule(as_member, "cf_date", opened=opened, presses="3")
    assert (after["seconds"], after["presses"]) == (42, 3)


@pytest.mark.parametrize("opened", ["", "tomorrow", "other"])
def test_what_is_not_known_is_left_out_and_the_ruling_counts(as_member: Client, opened: str) -> None:
    after = rule(as_member, "cf_date", opened=opened_now("cf_budget") if opened == "other" else opened, presses="many")
    assert after["decision"]
    assert "seconds" not in after
    assert "presses" not in after


def test_no_other_time_can_be_written() -> None:
    told = opened_now("cf_date")
    assert seconds_since(told, "cf_date") in (0, 1)
    assert seconds_since(told[:-2] + "xx", "cf_date") is None
    assert [presses_told(each) for each in ("4", "0", "-1", "²", "99999", "1e3")] == [4, None, None, None, None, None]


def test_review_tells_the_medians_and_how_many_know_them(as_member: Client, engine: FakeProvider) -> None:
    assert "not known yet" in as_member.get(QUEUE).content.decode()
    for at, (seconds, presses) in enumerate(((10, 3), (200, 5), (95, None))):
        facts = {"base": "proj_falcon", "decision": f"dec_{at}", "seconds": seconds}
        facts |= {} if presses is None else {"presses": presses}
        AuditEvent.objects.create(action="conflict.ruled", target="cf_x", after=facts)
    AuditEvent.objects.create(
        action="conflict.ruled", target="cf_x", after={"base": "proj_falcon", "refused": "conflict"}
    )
    AuditEvent.objects.create(action="conflict.ruled", target="cf_x", after={**facts, "base": "proj_other"})
    page = as_member.get(QUEUE).content.decode()
    assert "<dt>Time a ruling</dt><dd>1 min 35 s, median of 3</dd>" in page
    assert "<dt>Keys and clicks</dt><dd>4, median of 2</dd>" in page


def test_what_is_older_than_thirty_days_counts_no_more(as_member: Client) -> None:
    rule(as_member, "cf_date", opened=opened_now("cf_date"))
    assert measured_rulings("proj_falcon").timed == 1
    AuditEvent.objects.update(at=timezone.now() - timedelta(days=31))
    assert measured_rulings("proj_falcon").timed == 0
