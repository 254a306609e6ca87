"""How fast search answers, beside raw full text on the same rows: ``python -m bench.search [SIZE …] [--others N]``.

For each size a throw-away store is filled with statements of a seeded generator, forty to a document; then, in one run
and on one database, every question goes to the raw index (words joined by OR, no common words, best 25 by bm25, with
their texts) and to ``GET /search`` through Django without a socket. Prints p50 and p95 of both, of questions of nothing
but common words, of ``recall`` and ``walk``, and the process's peak memory. ``--others`` puts N statements of another
base into the same store. Times are of the wall and of the processor: on a busy machine only the second compare.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (1_000, 10_000, 100_000)
HEAD = "| statements | what | p50 ms | p95 ms | processor p50 | p95 |\n| --- | --- | --- | --- | --- | --- |"


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("sizes", nargs="*", type=int, default=SIZES)
    ask.add_argument("--others", type=int, default=0)
    given = ask.parse_args()
    print(HEAD, flush=True)  # noqa: T201 - the measurement
    for size in given.sizes:  # a process each, so that memory is its own
        with tempfile.TemporaryDirectory() as folder:
            key = Path(folder) / "key"
            key.write_text("bench-key", encoding="utf-8")
            environment = {**os.environ, "FORAGER_DATA_DIR": folder, "FORAGER_OPERATOR_KEY_FILE": str(key)}
            command = [sys.executable, "-m", "bench.search_run", str(size), str(given.others)]
            subprocess.run(command, env=environment, check=True)  # noqa: S603
    return 0


if __name__ == "__main__":
    sys.exit(main())
