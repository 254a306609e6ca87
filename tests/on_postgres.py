"""``python -m tests.on_postgres ARGUMENTS``: pytest with these arguments, on a PostgreSQL of its own.

Tests that touch no store are left out by ``tests/conftest.py``: they ran on SQLite and say the same here.
"""

import os
import signal
import subprocess
import sys
from types import FrameType

from tests import postgres


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(1)  # so that the server ends, too


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, _end)
    try:
        with postgres.cluster() as url:
            os.environ[postgres.VARIABLE] = url
            os.environ["FORAGER_DATABASE_URL"] = f"{url}/engine"
            os.environ["ANTHILL_DATABASE_URL"] = f"{url}/console"
            with subprocess.Popen([sys.executable, "-m", "pytest", *arguments]) as tests:
                try:
                    return tests.wait()
                finally:
                    tests.terminate()
    except postgres.NoPostgres as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
