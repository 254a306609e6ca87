"""What is logged of a failure names places and never what the variables held."""

import io
import json

import pytest
import structlog

from forager.process import logs

MARKER = "marker-in-a-document"


def _fails(text: str) -> None:
    raise RuntimeError(len(text))


def test_a_logged_failure_holds_no_words_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    before = structlog.get_config()
    logs.configure()
    try:
        try:
            _fails(MARKER)
        except RuntimeError:
            structlog.get_logger("test").exception("failed", job="job_1")
    finally:
        structlog.configure(**before)
    told = json.loads(out.getvalue())
    assert (told["event"], told["job"]) == ("failed", "job_1")
    assert MARKER not in out.getvalue()


def test_a_log_that_cannot_be_written_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.stderr", Full())
    logs.Unfailing().warning("lost")
