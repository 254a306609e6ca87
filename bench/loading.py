"""How fast small files are taken in and read: ``python -m bench.loading [COUNT]``; files a second, and peak memory.

A throw-away store, one worker, its reader beside it. Each file is a Markdown page of a few sentences.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = (
    "# Service {n}\n\nThe owner of service-{n} is Person {who}.\nThe budget of service-{n} is {sum} EUR.\n\n"
    "It runs on port {port}.\n"
)


def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        for n in range(count):
            path = documents / f"{n // 500:03}" / f"{n}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(PAGE.format(n=n, who=n % 40, sum=n * 10, port=1000 + n), encoding="utf-8")
        environment = {**os.environ, "FORAGER_DATA_DIR": f"{folder}/store"}
        taken = _timed(["import", str(documents), "--base", "bench"], environment)
        read = _timed(["work", "--until-idle"], environment)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"files {count}")  # noqa: T201 - the measurement
    print(f"registered  {count / taken:8.1f} a second")  # noqa: T201
    print(f"read        {count / read:8.1f} a second, conflicts, index and publication included")  # noqa: T201
    print(f"peak memory {peak:8.1f} MB of the largest process")  # noqa: T201
    return 0


def _timed(arguments: list[str], environment: dict[str, str]) -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "forager", *arguments], env=environment, check=True, capture_output=True)  # noqa: S603
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
