"""``import-package``: shows what a package of another installation would do to a base, and takes it in when told to."""

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forager.interchange import importing
from forager.interchange.importing import ImportRefused
from forager.model import blobs
from forager.model.models import Import, KnowledgeBase
from forager.pipeline import registration
from forager.process import store
from forager.process.declaring import Subparsers

WAIT_SECONDS = 0.2


def declare(commands: Subparsers) -> None:
    parser = commands.add_parser("import-package", help="look through a package, and take it in with --apply")
    parser.add_argument("file", type=Path)
    parser.add_argument("--base", required=True, help="a base's id, or the name of one to make")
    parser.add_argument("--apply", action="store_true", help="take it in; a worker then reads its documents")
    parser.add_argument("--actor", default="operator", help="who says so; it is kept with the import")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    store.prepare()
    base = KnowledgeBase.objects.filter(pk=given.base).first()
    base = base or KnowledgeBase.objects.filter(name=given.base).order_by("created_at").first()
    try:
        with given.file.open("rb") as file:
            base = base or registration.create_base(given.base)
            row = importing.hand_in(base, blobs.chunks_of(file), actor=given.actor)
    except OSError as error:
        return _refuse(f"{given.file}: {error.strerror}")
    row = _worked_off(row, until=("ready",))
    if row.status != "ready":
        return _refuse(row.error)
    _tell(row.preview)
    if not given.apply:
        importing.let_go(row)
        _say("Nothing was taken in. Say --apply to take it in.")
        return 0
    try:
        row = _worked_off(importing.apply(row, actor=given.actor), until=("reading", "completed"))
    except ImportRefused as refused:
        return _refuse(str(refused))
    if row.error:
        return _refuse(row.error)
    _say(f"{base.pk} {row.job_id or '-'} {row.pk}")
    return 0


def _worked_off(row: Import, *, until: tuple[str, ...]) -> Import:
    """Does the step itself where no worker is faster."""
    while row.status not in (*until, "refused", "failed", "dropped"):
        if not importing.work_waiting():
            time.sleep(WAIT_SECONDS)
        row.refresh_from_db()
    return row


def _tell(preview: Mapping[str, Any]) -> None:
    for kind in ("documents", "statements", "decisions"):
        counts = ", ".join(f"{what} {number}" for what, number in preview[kind].items())
        _say(f"{kind}: {counts}")
    for each in preview["examples"]:
        _say(f"  {each['what']} {each['name']} {each['why']}".rstrip())


def _refuse(why: str) -> int:
    sys.stderr.write(f"{why}\n")
    return 1


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's answer
