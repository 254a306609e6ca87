"""What each step of search brings: ``python -m bench.retrieval FOLDER … [--store DIR]``; nDCG@10, MRR@10, recall@100.

A folder holds ``docs.jsonl`` (id, text, title?), ``queries.jsonl`` (id, text), ``qrels.tsv`` (query, document, grade).
It is loaded into a throw-away store, or once into the one given. Hits are folded to their document, first place counts.
The last line adds relevance feedback (the words that weigh most in the five best documents), which is not shipped.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

FEEDBACK_DOCUMENTS, FEEDBACK_WORDS = 5, 30
LIMIT = 100

if __name__ == "__main__":
    os.environ.setdefault("FORAGER_DATA_DIR", tempfile.mkdtemp())
    if "--store" in sys.argv:
        os.environ["FORAGER_DATA_DIR"] = sys.argv[sys.argv.index("--store") + 1]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forager.settings")

import django

django.setup()

from forager.model.models import Evidence, KnowledgeBase, Source, SourceText
from forager.process import store
from forager.search import fusion, words
from forager.search.backend import Where

type Ranking = list[str]


@dataclass(frozen=True, slots=True)
class Collection:
    base: KnowledgeBase
    queries: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]
    document_of: Mapping[str, str]
    documents_of: Mapping[str, frozenset[str]]


def load(folder: Path) -> Collection:
    base = KnowledgeBase.objects.filter(name=folder.name).first() or _loaded(folder)
    sources = {s.pk: PurePosixPath(s.path).stem for s in Source.objects.filter(base=base)}
    items: dict[str, set[str]] = {}
    for item, source in Evidence.objects.filter(base=base).values_list("item_id", "source_id"):
        items.setdefault(item, set()).add(sources[source])
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")[:3]
        if grade.isdigit() and int(grade):
            grades.setdefault(query, {})[document] = int(grade)
    queries = {str(row["id"]): str(row["text"]) for row in _rows(folder / "queries.jsonl")}
    asked = {query: text for query, text in queries.items() if query in grades}
    return Collection(base, asked, grades, sources, {i: frozenset(found) for i, found in items.items()})


def _rows(path: Path) -> Iterable[dict[str, object]]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def _loaded(folder: Path) -> KnowledgeBase:
    with tempfile.TemporaryDirectory() as texts:
        for row in _rows(folder / "docs.jsonl"):
            (Path(texts) / f"{row['id']}.txt").write_text(
                f"{row.get('title') or ''}\n\n{row['text']}", encoding="utf-8"
            )
        for command in (["import", texts, "--base", folder.name], ["work", "--until-idle"]):
            subprocess.run([sys.executable, "-m", "forager", *command], check=True, capture_output=True)  # noqa: S603
    return KnowledgeBase.objects.get(name=folder.name)


def ask(collection: Collection, text: str, *, with_chunks: bool) -> Ranking:
    backend = fusion.active()
    found = fusion.search(Where(collection.base), text[:4000], backend, limit=LIMIT, include_chunks=with_chunks)
    hits = [(h.score, sorted(collection.documents_of[h.row.item_id])) for h in found.statements]
    hits += [(c.score, [collection.document_of[c.row.source_id]]) for c in found.chunks]
    best = sorted(hits, key=lambda hit: -hit[0])
    return list(dict.fromkeys(document for _, documents in best for document in documents))


def with_feedback(collection: Collection, text: str) -> Ranking:
    """The question said twice, and the words that weigh most in what it found first."""
    first = ask(collection, text, with_chunks=True)[:FEEDBACK_DOCUMENTS]
    counts: Counter[str] = Counter()
    for document in first:
        counts.update(_frequencies(collection)[document])
    spread = _spread(collection)
    total = len(_frequencies(collection))
    weights = {word: n * math.log(total / spread[word]) for word, n in counts.items() if spread[word] > 1}
    best = sorted(weights, key=lambda word: (-weights[word], word))[:FEEDBACK_WORDS]
    return ask(collection, f"{text} {text} {' '.join(best)} .", with_chunks=True)


_kept: dict[str, tuple[dict[str, Counter[str]], Counter[str]]] = {}


def _read(collection: Collection) -> tuple[dict[str, Counter[str]], Counter[str]]:
    if collection.base.pk not in _kept:
        texts = SourceText.objects.filter(source__base=collection.base).values_list("source_id", "text")
        said = {collection.document_of[source]: _counted(text) for source, text in texts}
        _kept[collection.base.pk] = said, Counter(word for one in said.values() for word in one)
    return _kept[collection.base.pk]


def _frequencies(collection: Collection) -> dict[str, Counter[str]]:
    return _read(collection)[0]


def _spread(collection: Collection) -> Counter[str]:
    return _read(collection)[1]


def _counted(text: str) -> Counter[str]:
    return Counter(w for w in words.TOKEN.findall(text.casefold()) if words.stems(w) and not w.isdigit())


def gain(ranking: Sequence[str], wanted: Mapping[str, int]) -> float:
    def discounted(grades: Iterable[int]) -> float:
        return sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(grades))

    best = sorted(wanted.values(), reverse=True)[:10]
    return discounted(wanted.get(d, 0) for d in ranking[:10]) / discounted(best)


def score(collection: Collection, rank: Callable[[str], Ranking]) -> str:
    gains, firsts, recalls = [], [], []
    for query, text in collection.queries.items():
        wanted, ranking = collection.grades[query], rank(text)
        gains.append(gain(ranking, wanted))
        firsts.append(next((1 / (at + 1) for at, d in enumerate(ranking[:10]) if d in wanted), 0.0))
        recalls.append(len(set(ranking[:100]) & set(wanted)) / len(wanted))
    return " | ".join(f"{sum(figures) / len(figures):.4f}" for figures in (gains, firsts, recalls))


STEPS: tuple[tuple[str, Mapping[str, float], bool], ...] = (
    ("full text over statements", {"source": 0.0, "entity": 0.0, "neighbour": 0.0}, False),
    ("+ entities and their neighbours", {"source": 0.0}, False),
    ("+ sources by their statements, fused", {}, False),
    ("+ chunks, fused (as answered)", {}, True),
)


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folders", nargs="+", type=Path)
    given.add_argument("--store")
    print("| collection | step | nDCG@10 | MRR@10 | recall@100 |\n| --- | --- | --- | --- | --- |")  # noqa: T201
    store.prepare()
    shipped = dict(fusion.ROUTE_WEIGHT)
    for folder in given.parse_args().folders:
        collection = load(folder)
        for name, changed, with_chunks in STEPS:
            fusion.ROUTE_WEIGHT.update(shipped | changed)
            figures = score(collection, partial(ask, collection, with_chunks=with_chunks))
            print(f"| {folder.name} | {name} | {figures} |", flush=True)  # noqa: T201 - the measurement
        fusion.ROUTE_WEIGHT.update(shipped)
        figures = score(collection, partial(with_feedback, collection))
        print(f"| {folder.name} | + relevance feedback (not shipped) | {figures} |", flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
