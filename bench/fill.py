"""A large base without reading anything: ``FORAGER_DATA_DIR=… python -m bench.fill [STATEMENTS] [CONFLICTS]``.

Prints the id of the base. Defaults: 100,000 statements, 10,000 open disagreements.
"""

import os
import sys
import time
from collections.abc import Iterator
from itertools import batched

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forager.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.db.models import Model  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.rows import A_DOCUMENT, BATCH, Rows  # noqa: E402
from forager.pipeline import registration  # noqa: E402
from forager.process import store  # noqa: E402
from forager.review import standing  # noqa: E402
from forager.search import fusion  # noqa: E402


def main(statements: int = 100_000, conflicts: int = 10_000) -> int:
    call_command("migrate", verbosity=0)
    print(fill(statements, conflicts))  # noqa: T201 - what a measurement goes on with
    return 0


def fill(statements: int, conflicts: int) -> str:
    """The id of the base, published with its search index."""
    store.prepare()
    base = registration.create_base("bench")
    rows = Rows(base, timezone.now())
    with transaction.atomic():
        for make in (rows.documents, rows.sources, rows.texts, rows.statements, rows.evidence):
            _write(make(statements))
        rows.write_conflicts(conflicts)
        base.current_revision, base.last_published_at = 1, rows.now
        base.source_count = statements // A_DOCUMENT
        base.last_detector_pass = {"at": rows.now.isoformat(), "pairs": conflicts, "skipped": 0, "reasons": {}}
        base.save()
        began = time.monotonic()
        standing.apply(base)
        print(f"standing derived in {time.monotonic() - began:.1f} s", file=sys.stderr)  # noqa: T201
        fusion.active().index_all(base)
    return str(base.pk)


def _write(made: Iterator[Model]) -> None:
    for some in batched(made, BATCH):
        type(some[0])._default_manager.bulk_create(some)  # noqa: SLF001 - whatever model it is


if __name__ == "__main__":
    sys.exit(main(*(int(each) for each in sys.argv[1:3])))
