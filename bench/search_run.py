"""One size of ``bench.search``, in a process and a store of its own: ``python -m bench.search_run SIZE OTHERS``."""

import json
import logging
import os
import random
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forager.settings")

import django

django.setup()

import httpx2
import structlog
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from bench.search_store import Filling
from forager.extraction.stems import small_words
from forager.model import dialect
from forager.search import analyser, plain
from knowledge.context import build_context, render
from knowledge.engine.circuit import Circuit
from knowledge.engine.client import EngineAccess, EngineClient
from knowledge.engine.providers import ForagerProvider
from knowledge.failures import Failed
from knowledge.scope import KnowledgeScope, Level

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))  # the table is printed alone
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
    filling = Filling(name)
    lines: list[str] = []
    for line in sentences(count, seed):
        lines.append(line)
        if len(lines) == BATCH:
            filling.add(lines, PER_DOCUMENT)
            lines = []
    filling.add(lines, PER_DOCUMENT)
    return filling.publish()


def timed(do: Callable[[str], object], asked: list[str]) -> str:
    """Milliseconds at p50 and p95, of the wall and of the processor, after some questions to warm up."""
    for text in asked[:20]:
        do(text)
    wall, processor = [], []
    for text in asked:
        began, worked = time.perf_counter(), time.process_time()
        do(text)
        wall.append((time.perf_counter() - began) * 1000)
        processor.append((time.process_time() - worked) * 1000)
    half, most = len(asked) // 2, int(len(asked) * 0.95)
    return " | ".join(f"{sorted(times)[at]:.1f}" for times in (wall, processor) for at in (half, most))


def raw(base: str) -> Callable[[str], object]:
    """What the database itself can do on the same rows, with their texts."""
    return _raw_postgres(base) if dialect.is_postgres() else _raw_sqlite(settings.DATA_DIR / "engine.sqlite3", base)


def _raw_postgres(base: str) -> Callable[[str], object]:
    table = f"fts_statement_{base.partition('_')[2]}"
    sql = (
        f"SELECT s.text FROM (SELECT id, ts_rank_cd(words, q) AS score FROM {table}, to_tsquery('simple', %s) q "  # noqa: S608
        "WHERE words @@ q ORDER BY score DESC LIMIT 25) r JOIN forager_statement s ON s.id = r.id ORDER BY r.score DESC"
    )

    def ask(text: str) -> object:
        words = [w for w in text.split() if w not in small_words()] or text.split()
        return plain.fetch(sql, [" | ".join(f"'{token}'" for w in words for token in analyser.tokens(w))])

    return ask


def _raw_sqlite(path: Path, base: str) -> Callable[[str], object]:
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
    ask = caller(key)
    path = f"/api/projects/{base}"
    return {
        "search": lambda text: ask("GET", f"{path}/search", {"q": text}),
        "with chunks": lambda text: ask("GET", f"{path}/search", {"q": text, "include_chunks": "true"}),
        "recall": lambda text: ask("POST", f"{path}/recall", {"query": text}),
        "retrieve": retrieving(base, key),
        "walk": lambda text: ask("POST", f"{path}/walk", {"entity": "Thing 1", "query": text}),
    }


def caller(key: str) -> Callable[[str, str, dict[str, str]], object]:
    """Calls the engine as its server does, without a socket: a request of WSGI in, the bytes of the answer out."""
    engine = get_wsgi_application()

    def ask(method: str, path: str, asked: dict[str, str]) -> object:
        body = json.dumps(asked).encode() if method == "POST" else b""
        environ = {
            "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": urlencode(asked) if method == "GET" else "",
            "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "1", "HTTP_AUTHORIZATION": f"Bearer {key}",
            "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr, "wsgi.url_scheme": "http",
        }  # fmt: skip
        told: list[str] = []
        answer = engine(environ, lambda status, _headers, _why=None: told.append(status))  # type: ignore[arg-type]
        content = b"".join(answer)
        answer.close()
        if not told[0].startswith("200"):
            raise RuntimeError(content[:300])
        return content

    return ask


def retrieving(base: str, key: str) -> Callable[[str], object]:
    """A whole context of eight facts, with evidence, entities and conflicts, as the console builds it for an agent."""
    http = httpx2.Client(transport=httpx2.WSGITransport(app=get_wsgi_application()), trust_env=False)
    access = EngineAccess("http://127.0.0.1:1", key)
    provider = ForagerProvider(access, client=EngineClient(http, Circuit()), on_alarm=print, cache_seconds=0)
    scope = KnowledgeScope(Level.PROJECT, base, "bench")

    def ask(text: str) -> object:
        built = build_context(provider, scope, text, top_k=8)
        if isinstance(built, Failed):
            raise RuntimeError(built.reason)  # noqa: TRY004 - no wrong type, a refusal
        return render(built.value)

    return ask


def measure(size: int, others: int) -> None:
    base = fill(f"bench {size}", size, seed=7)
    if others:
        fill("others", others, seed=8)
    asked, common = questions(3), [text for text in COMMON for _ in range(10)]
    unaided = raw(base)
    ours = routes(base, Path(settings.OPERATOR_KEY_FILE).read_text(encoding="utf-8"))
    rows = [("raw full text", timed(unaided, asked))]
    rows += [(name, timed(ours[name], asked)) for name in ("search", "with chunks", "recall", "walk", "retrieve")]
    rows += [("raw, common words", timed(unaided, common)), ("search, common words", timed(ours["search"], common))]
    for name, times in rows:
        print(f"| {size:,} | {name} | {times} |", flush=True)  # noqa: T201 - the measurement
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {size:,} | peak memory, filling included | {memory:.0f} MB | | | |", flush=True)  # noqa: T201


if __name__ == "__main__":
    measure(int(sys.argv[1]), int(sys.argv[2]))
