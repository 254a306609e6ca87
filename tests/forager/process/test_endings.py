"""However the engine ends, its port is free for the next; a busy store ends nobody."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError

from forager.model.bases import Store, StoreLock
from forager.process import store as store_module
from tests.engine_process import EngineProcess


def _children(pid: int) -> Iterator[int]:
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield int(child)
        yield from _children(int(child))


def _stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.sqlite
def test_a_store_too_busy_for_the_heartbeat_does_not_end_its_holder(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = store_module.join(store)

    def busy(**_row: object) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(StoreLock.objects, "filter", busy)
        assert lock.beat()
    assert lock.beat()
    StoreLock.objects.all().delete()
    assert not lock.beat()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the process tree of Linux")
def test_after_a_hard_end_no_process_of_it_stays_and_its_port_is_free_at_once(tmp_path: Path) -> None:
    first = EngineProcess(tmp_path).start()
    assert first.process is not None
    family = list(_children(first.process.pid))
    assert len(family) >= 3
    held = next(pid for pid in family if list(_children(pid)))
    worker = next(_children(held))
    os.kill(worker, signal.SIGSTOP)  # one that is busy and looks after no parent
    first.kill()
    assert store_module.wait_until(lambda: all(_stopped(pid) for pid in family), 5)
    again = EngineProcess(tmp_path, environment={"FORAGER_PORT": str(first.listening["port"])}).start()
    assert again.listening["port"] == first.listening["port"]
    assert again.stop() == 0
