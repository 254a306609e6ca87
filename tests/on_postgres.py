"""``python -m tests.on_postgres ARGUMENTS``: pytest with these arguments, on a PostgreSQL of its own.

Tests that touch no store are left out by ``tests/conftest.py``: they ran on SQLite and say the same here.
"""

import os
import subprocess
import sys

from tests import postgres


def main(arguments: list[str]) -> int:
    try:
        with postgres.cluster() as url:
            os.environ[postgres.VARIABLE] = url
            os.environ["FORAGER_DATABASE_URL"] = f"{url}/engine"
            os.environ["ANTHILL_DATABASE_URL"] = f"{url}/console"
            return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode
    except postgres.NoPostgres as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
