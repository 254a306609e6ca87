"""The subcommands: each takes the parsed arguments and answers the exit code."""

import argparse
import json
import sys
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from forager.api import jobs, tokens
from forager.interchange import jsonl
from forager.model import dialect
from forager.model.models import Job, KnowledgeBase, Token
from forager.pipeline import folders, lease, registration, verification
from forager.process import asking, backup, compare, moving, packages, restoring, store
from forager.process.declaring import Subparsers
from forager.process.serve import Server
from forager.process.work import work
from forager.search import keeping
from stores.backwards import NoCheckout


def declare(commands: Subparsers) -> None:
    serve = commands.add_parser("serve", help="serve the HTTP API")
    serve.add_argument("--managed", action="store_true", help="stop when stdin ends; accept the host credential")
    serve.add_argument("--with-worker", action="store_true", help="run one worker beside it")
    serve.set_defaults(run=_serve)
    worker = commands.add_parser("work", help="work off jobs")
    worker.add_argument("--until-idle", action="store_true", help="stop when nothing waits")
    worker.set_defaults(run=_work)
    commands.add_parser("verify", help="walk the whole store; exit 1 with a list of what is wrong").set_defaults(
        run=_verify
    )
    reindex = commands.add_parser("reindex", help="make the full-text index anew")
    reindex.add_argument("--base", default="", help="a base's id or name; all without it")
    reindex.set_defaults(run=_reindex)
    commands.add_parser("jobs", help="every job with its stages, one JSON object a line").set_defaults(run=_jobs)
    migrate = commands.add_parser("migrate", help="make or migrate the store")
    migrate.add_argument("--back", type=Path, metavar="CHECKOUT", help="back to what the engine in this folder knows")
    migrate.set_defaults(run=_migrate)
    token = commands.add_parser("token", help="integration tokens").add_subparsers(dest="what", required=True)
    create = token.add_parser("create")
    create.add_argument("name")
    create.add_argument(
        "--scope", action="append", required=True, choices=["read", "ingest", "review", "export", "manage_bases"]
    )
    create.add_argument("--base", action="append", default=[])
    create.set_defaults(run=_token_create)
    token.add_parser("list").set_defaults(run=_token_list)
    revoke = token.add_parser("revoke")
    revoke.add_argument("id")
    revoke.set_defaults(run=_token_revoke)
    load = commands.add_parser("import", help="register files of a folder and queue a job")
    load.add_argument("path", type=Path)
    load.add_argument("--base", required=True, help="a base's id, or the name of one to make")
    load.add_argument("--namespace", default="", help="for a new base: hexadecimal, else random")
    load.set_defaults(run=_import)
    export = commands.add_parser("export", help="write a base's records to stdout")
    export.add_argument("--base", required=True)
    export.add_argument("--logical", action="store_true", help="leave out times, job and attempt fields")
    export.set_defaults(run=_export)
    compare.declare(commands)
    asking.declare(commands)
    packages.declare(commands)
    moving.declare(commands)
    backup.declare(commands)
    restoring.declare(commands)


def _serve(given: argparse.Namespace) -> int:
    return Server(managed=given.managed, with_worker=given.with_worker).run()


def _work(given: argparse.Namespace) -> int:
    try:
        store.check_folder()
    except store.StoreHeld as error:
        print(f"this worker cannot work here: {error.holder}", file=sys.stderr)  # noqa: T201 - for the operator
        return store.EXIT_STORE_HELD
    return work(until_idle=given.until_idle)


def _verify(_given: argparse.Namespace) -> int:
    if not dialect.has_tables():
        print(f"There is no engine data in {settings.DATA_DIR}. Set FORAGER_DATA_DIR.", file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    found = 0
    for finding in verification.findings():
        found += 1
        _say(": ".join(part for part in (finding.kind, finding.what, finding.detail) if part))
    documents, statements = verification.walked()
    _say(f"{settings.DATA_DIR}: {found} findings in {documents} documents, {statements} statements")
    return 1 if found else 0


def _reindex(given: argparse.Namespace) -> int:
    bases = [_base(given.base)] if given.base else list(KnowledgeBase.objects.order_by("id"))
    for base in bases:
        if base is None:
            print("there is no such base", file=sys.stderr)  # noqa: T201 - a command's answer
            return 1
        keeping.rebuild(base)
        _say(f"{base.pk} reindexed")
    return 0


def _jobs(_given: argparse.Namespace) -> int:
    for job in Job.objects.prefetch_related("stages").order_by("queued_at", "id"):
        _say(json.dumps(jobs.shape(job)))
    return 0


def _migrate(given: argparse.Namespace) -> int:
    if given.back is None:
        store.prepare()
        return 0
    try:
        taken = store.go_back(given.back)
    except (store.StoreHeld, NoCheckout) as refused:
        print(f"nothing was taken back: {refused}", file=sys.stderr)  # noqa: T201 - for the operator
        return 1
    for each in taken:
        _say(each)
    return 0


def _token_create(given: argparse.Namespace) -> int:
    store.prepare()
    made = tokens.create(name=given.name, scopes=given.scope, base_ids=given.base, expires_at=None)
    _say(f"{made['id']}  {made.get('token')}  (shown once)")
    return 0


def _token_list(_given: argparse.Namespace) -> int:
    for row in Token.objects.order_by("created_at"):
        state = "revoked" if row.revoked_at else "valid"
        _say(f"{row.pk}  {state}  {','.join(row.scopes)}  {row.name}")
    return 0


def _token_revoke(given: argparse.Namespace) -> int:
    changed = Token.objects.filter(pk=given.id, revoked_at__isnull=True).update(revoked_at=timezone.now())
    _say("revoked" if changed else "there is no valid token of that id")
    return 0 if changed else 1


def _import(given: argparse.Namespace) -> int:
    store.prepare()
    try:
        base = _base(given.base) or registration.create_base(given.base, namespace=given.namespace)
    except registration.NamespaceTakenError:
        print("another base has this namespace: nothing was imported", file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    done = folders.take(base, given.path, fenced=False)  # who has the command line has the machine
    for path, code, message in done.refused:
        print(f"{code}: {path}: {message}", file=sys.stderr)  # noqa: T201 - a command's answer
    job = lease.enqueue(base, force=False)
    _say(f"{base.pk} {job.pk} {done.registered} files")
    return 0


def _export(given: argparse.Namespace) -> int:
    base = _base(given.base)
    if base is None:
        print("there is no such base", file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    if not given.logical:
        print("only --logical writes to stdout; the full export is made over the API", file=sys.stderr)  # noqa: T201
        return 2
    sys.stdout.buffer.write(jsonl.logical_lines(base))
    return 0


def _base(name_or_id: str) -> KnowledgeBase | None:
    by_id = KnowledgeBase.objects.filter(pk=name_or_id).first()
    return by_id or KnowledgeBase.objects.filter(name=name_or_id).order_by("created_at").first()


def _say(line: str) -> None:
    print(line)  # noqa: T201 - a command's answer
