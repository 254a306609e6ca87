"""How fast search answers, beside raw full text on the same rows: ``python -m bench.search [SIZE …] [--others N]``.

For each size a throw-away store is filled with statements of a seeded generator, forty to a document; then, in one run
and on one database, every question goes to the raw index (words joined by OR, no common words, best 25 by bm25, with
their texts) and to ``GET /search`` through Django without a socket. Prints p50 and p95 of both, of questions of nothing
but common words, of ``recall`` and ``walk``, and the process's peak memory. ``--others`` puts N statements of another
base into the same store.
"""

import argparse
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SIZES = (1_000, 10_000, 100_000)
PER_DOCUMENT = 40
QUESTIONS = 200
VOCABULARY = 20_000
WORDS_A_STATEMENT = 14
COMMON = ("what is the of and in to", "who and when was it", "the and of", "is there any of these")
BATCH = 5_000


def vocabulary(chance: random.Random) -> list[str]:
    """Made words; how often they come follows Zipf's law, as in real text."""
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    return ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(VOCABULARY)]


def sentences(count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)  # noqa: S311 - a benchmark, no secret
    words = vocabulary(random.Random(1))  # noqa: S311
    weights = [1 / (rank + 10) for rank in range(len(words))]
    common = ["the", "of", "is", "and", "to", "in", "for", "on", "by", "with"]
    for _ in range(count):
        said = chance.choices(words, weights, k=WORDS_A_STATEMENT)
        yield " ".join(word + (" " + chance.choice(common) if at % 2 else "") for at, word in enumerate(said)) + "."


def questions(seed: int) -> list[str]:
    chance = random.Random(seed)  # noqa: S311
    words = vocabulary(random.Random(1))  # noqa: S311
    weights = [1 / (rank + 10) for rank in range(len(words))]
    return ["what is the " + " ".join(chance.choices(words, weights, k=chance.randint(2, 6))) for _ in range(QUESTIONS)]


def fill(name: str, count: int, seed: int) -> str:
    """A published base of ``count`` statements with evidence, chunks, names and an index; answers its id."""
    from bench.search_store import Filling

    filling = Filling(name)
    lines: list[str] = []
    for line in sentences(count, seed):
        lines.append(line)
        if len(lines) == BATCH:
            filling.add(lines, PER_DOCUMENT)
            lines = []
    filling.add(lines, PER_DOCUMENT)
    return filling.publish()


def timed(do: Callable[[str], object], asked: list[str]) -> tuple[float, float]:
    """Milliseconds at p50 and p95, after every question was asked once to warm up."""
    for text in asked[:20]:
        do(text)
    times = []
    for text in asked:
        began = time.perf_counter()
        do(text)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)]


def raw(path: Path, base: str) -> Callable[[str], object]:
    from forager.extraction.stems import small_words

    connection = sqlite3.connect(path)
    table = f"fts_statement_{base.partition('_')[2]}"
    sql = (
        f"SELECT s.text FROM (SELECT rowid AS id, bm25({table}) AS score FROM {table} WHERE {table} MATCH ? "  # noqa: S608
        "ORDER BY score LIMIT 25) r JOIN forager_statement s ON s.id = r.id ORDER BY r.score"
    )

    def ask(text: str) -> object:
        words = [w for w in text.split() if w not in small_words()] or text.split()
        return connection.execute(sql, [" OR ".join(f'"{w}"' for w in words)]).fetchall()

    return ask


def routes(base: str, key: str) -> dict[str, Callable[[str], object]]:
    from django.test import Client

    client = Client(headers={"Authorization": f"Bearer {key}"})

    def checked(answer: object) -> object:
        if getattr(answer, "status_code", 0) != 200:
            raise RuntimeError(getattr(answer, "content", b"")[:300])
        return answer

    path = f"/api/projects/{base}"
    json_body = "application/json"
    return {
        "search": lambda text: checked(client.get(f"{path}/search", {"q": text})),
        "with chunks": lambda text: checked(client.get(f"{path}/search", {"q": text, "include_chunks": "true"})),
        "recall": lambda text: checked(client.post(f"{path}/recall", {"query": text}, content_type=json_body)),
        "walk": lambda text: checked(
            client.post(f"{path}/walk", {"entity": "Thing 1", "query": text}, content_type=json_body)
        ),
    }


def measure(size: int, others: int) -> None:
    base = fill(f"bench {size}", size, seed=7)
    if others:
        fill("others", others, seed=8)
    from django.conf import settings

    key = Path(settings.OPERATOR_KEY_FILE).read_text(encoding="utf-8")
    asked, common = questions(3), [text for text in COMMON for _ in range(10)]
    plain = raw(settings.DATA_DIR / "engine.sqlite3", base)
    ours = routes(base, key)
    rows = [("raw full text", *timed(plain, asked)), ("search", *timed(ours["search"], asked))]
    rows += [(name, *timed(ours[name], asked)) for name in ("with chunks", "recall", "walk")]
    rows += [("raw, common words", *timed(plain, common)), ("search, common words", *timed(ours["search"], common))]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, half, most in rows:
        print(f"| {size:,} | {name} | {half:.1f} | {most:.1f} |", flush=True)  # noqa: T201 - the measurement
    print(f"| {size:,} | peak memory, filling included | {memory:.0f} MB | |", flush=True)  # noqa: T201


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("sizes", nargs="*", type=int, default=SIZES)
    ask.add_argument("--others", type=int, default=0)
    given = ask.parse_args()
    if len(given.sizes) > 1:
        print("| statements | what | p50 ms | p95 ms |\n| --- | --- | --- | --- |", flush=True)  # noqa: T201
        for size in given.sizes:  # a process each, so that memory is its own
            os.spawnv(  # noqa: S606
                os.P_WAIT, sys.executable,
                [sys.executable, "-m", "bench.search", str(size), "--others", str(given.others)],
            )  # fmt: skip
        return 0
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        key.write_text("bench-key", encoding="utf-8")
        os.environ |= {
            "FORAGER_DATA_DIR": folder,
            "FORAGER_OPERATOR_KEY_FILE": str(key),
            "DJANGO_SETTINGS_MODULE": "forager.settings",
        }
        import django

        django.setup()
        measure(given.sizes[0], given.others)
    return 0


if __name__ == "__main__":
    sys.exit(main())
