"""``serve``: holds the store, listens, runs the HTTP server and (on request) one worker as child processes."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from types import FrameType

import structlog
from django.conf import settings

from forager.api.engine import SERVE_PID_VARIABLE
from forager.model.bases import Store
from forager.pipeline.commit import CRASH_VARIABLE
from forager.process import children, store

log = structlog.get_logger("forager.serve")
DRAIN_SECONDS = 15
LISTEN_SECONDS = 5  # what the last engine's processes may take to let go of the port
TICK_SECONDS = 0.2


class Server:
    """The serving process. ``run`` returns the exit code."""

    def __init__(self, *, managed: bool, with_worker: bool) -> None:
        self.managed = managed
        self.with_worker = with_worker
        self.stopping = threading.Event()
        self.http: subprocess.Popen[bytes] | None = None
        self.worker: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        identity = store.prepare()
        try:
            lock = store.join(identity)
        except store.StoreHeld as error:
            print(f"another engine holds this store: {error.holder}", file=sys.stderr)  # noqa: T201 - for the operator
            return store.EXIT_STORE_HELD
        try:
            return self._serve(identity, lock)
        finally:
            lock.release()

    def _serve(self, identity: Store, lock: store.Hold) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._asked_to_stop)
        listener = _listen(settings.HOST, settings.PORT)
        port = listener.getsockname()[1]
        try:
            self.http = _http(listener)
            if self.with_worker:
                self.worker = children.spawn(["forager", "work"])
            if not store.wait_until(lambda: _answers(settings.HOST, port) or self._http_died(), 60):
                return 1
            if self._http_died():
                return 1
            _say_listening(port, identity)
            if self.managed:
                threading.Thread(target=self._watch_stdin, daemon=True).start()
            return self._tend(lock)
        finally:
            self._stop_children()  # whatever ended us: a child left behind would keep the port

    def _tend(self, lock: store.Hold) -> int:
        """Beats and watches the children until asked to stop; a dead worker is started again."""
        beaten = time.monotonic()
        while not self.stopping.wait(TICK_SECONDS):
            if self._http_died():
                log.error("http_server_died")
                return 1
            if self.worker is not None and self.worker.poll() is not None:
                if os.environ.get(CRASH_VARIABLE):
                    os.kill(os.getpid(), signal.SIGKILL)
                log.warning("worker_restarted", code=self.worker.returncode)
                self.stopping.wait(1)
                self.worker = children.spawn(["forager", "work"])
            if time.monotonic() - beaten > store.HEARTBEAT_SECONDS:
                beaten = time.monotonic()
                if not lock.beat():
                    log.error("store_lock_lost")
                    return store.EXIT_STORE_HELD
        return 0

    def _http_died(self) -> bool:
        return self.http is None or self.http.poll() is not None

    def _stop_children(self) -> None:
        for child in (self.worker, self.http):
            if child is not None:
                children.stop(child, DRAIN_SECONDS)

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping.set()

    def _watch_stdin(self) -> None:
        """Managed mode: our host closing its end of stdin means stop, also when it died."""
        while os.read(0, 4096):  # not through sys.stdin: its lock would outlive the interpreter
            pass
        self.stopping.set()


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _bind(listener, host, port)
    listener.listen(256)
    listener.set_inheritable(True)
    return listener


def _bind(listener: socket.socket, host: str, port: int) -> None:
    until = time.monotonic() + LISTEN_SECONDS
    while True:
        try:
            listener.bind((host, port))
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(TICK_SECONDS)
        else:
            return


def _http(listener: socket.socket) -> subprocess.Popen[bytes]:
    descriptor = listener.fileno()
    arguments = [
        *("gunicorn", "forager.wsgi:application", "--bind", f"fd://{descriptor}"),
        *("--worker-class", "gthread", "--workers", "1", "--threads", "8", "--keep-alive", "75"),
        *("--timeout", "120", "--graceful-timeout", "10", "--log-level", "warning", "--no-control-socket"),
        *("--limit-request-line", "8190"),  # a question of 500 letters beyond ASCII is over 4,094, the usual limit
        *("--config", "python:forager.process.hooks"),
    ]
    return children.spawn(arguments, pass_fds=[descriptor], environment={SERVE_PID_VARIABLE: str(os.getpid())})


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=2) as probe:
            probe.sendall(b"GET /api/health HTTP/1.0\r\nHost: engine\r\n\r\n")
            return b" 200 " in probe.recv(64)
    except OSError:
        return False


def _say_listening(port: int, identity: Store) -> None:
    line = {
        "event": "listening",
        "port": port,
        "instance_id": identity.instance_id,
        "generation": identity.generation,
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
