"""One document that trips the rules, or takes too long, stops neither the others nor the store."""

import re
import time

import pytest
from django.db import connection

from forager.model.models import Job, KnowledgeBase, Source, Statement
from forager.parsing.document import Document
from forager.pipeline import document_stages, patience, runner
from tests.forager.pipeline.test_runs import MEMO, load

real_read = document_stages.statements.read


def test_no_transaction_is_open_while_a_document_is_read(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = len(connection.savepoint_ids)
    depths: list[int] = []

    def read(document: Document, path: str) -> object:
        depths.append(len(connection.savepoint_ids))
        return real_read(document, path)

    monkeypatch.setattr(document_stages.statements, "read", read)
    load(base, {"memo.txt": MEMO.encode()})
    assert depths == [outside]
    assert Statement.objects.at(base.current_revision).exists()


def test_a_document_the_rules_trip_over_is_set_aside_and_the_others_are_read(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(document: Document, path: str) -> object:
        if path == "bad.txt":
            raise RecursionError
        return real_read(document, path)

    monkeypatch.setattr(document_stages.statements, "read", read)
    load(base, {"bad.txt": b"The fee is 12 EUR.\n", "memo.txt": MEMO.encode()})
    assert Job.objects.get().status == "completed"
    bad = Source.objects.get(path="bad.txt")
    assert (bad.processing_status, bad.warnings[0]["code"]) == ("invalid", "failed_inside")
    assert Statement.objects.at(base.current_revision).exists()


def test_a_document_that_takes_too_long_is_given_up_in_the_midst_of_an_expression(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(document: Document, path: str) -> object:
        return re.match(r"(a+)+$", "a" * 60 + "b") if path == "slow.txt" else real_read(document, path)

    monkeypatch.setattr(document_stages.statements, "read", read)
    monkeypatch.setattr(runner, "seconds_for", lambda _size: 0.3)
    began = time.monotonic()
    load(base, {"memo.txt": MEMO.encode(), "slow.txt": b"The fee is 12 EUR.\n"})
    assert time.monotonic() - began < 20
    slow = Source.objects.get(path="slow.txt")
    assert (slow.processing_status, slow.warnings[0]["code"]) == ("invalid", "took_too_long")
    assert Statement.objects.at(base.current_revision).exists()


def test_a_larger_document_has_more_time_and_none_outlives_the_lease() -> None:
    assert patience.seconds_for(0) == patience.LEAST_SECONDS
    assert patience.seconds_for(1_000_000) > patience.LEAST_SECONDS
    assert patience.seconds_for(10**9) < runner.lease.LEASE.total_seconds()
