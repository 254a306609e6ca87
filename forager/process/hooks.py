"""What the HTTP server calls: its workers, too, end with their parent, or they would keep the port of a dead engine."""

import sys

from forager.process import logs
from forager.reading.limits import die_with_parent


def post_fork(_server: object, _worker: object) -> None:
    logs.configure()
    if sys.platform == "linux":
        die_with_parent()
