"""Everything of a SQLite database into an empty PostgreSQL one: whole and verified, or not at all.

The source is held for writing meanwhile, the target is filled in one transaction. Before it commits, every table is
read back: rows and digest must be those of the source.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import batched
from typing import Any

import psycopg
from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, Error, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model, QuerySet

SOURCE, TARGET = "default", "move_target"
BATCH = 1000
MADE_BY_MIGRATING = frozenset(("django_migrations", "django_content_type", "auth_permission"))


class MoveRefused(Exception):
    """Nothing was moved; the message says why and never holds a value."""


@dataclass(frozen=True, slots=True)
class Moved:
    table: str
    rows: int


def prepare(target: dict[str, Any]) -> None:
    """Makes the tables of the target, when the source is current and the target empty."""
    if connections[SOURCE].vendor != "sqlite":
        raise MoveRefused("What is in use is no SQLite database. Run this without a database URL in the settings.")
    connections.databases[TARGET] = connections.configure_settings({"default": {}, TARGET: target})[TARGET]
    try:
        _refuse_unless_current()
        _refuse_unless_empty()
        call_command("migrate", database=TARGET, verbosity=0, interactive=False)
    except Error as error:
        raise MoveRefused(
            f"The target cannot be used: {type(error).__name__}. Is it there, and may we write?"
        ) from None


def move() -> Iterator[Moved]:
    """Inside a transaction of the source. Tells each table; the last one told, everything is committed."""
    with transaction.atomic(using=TARGET):
        for model in _models():
            QuerySet(model, using=TARGET).all()._raw_delete(TARGET)  # noqa: SLF001 - what migrating made goes, without signals
        for model in _models():
            try:
                rows, digest = _copy(model)
            except (Error, psycopg.Error, ValueError) as error:
                raise MoveRefused(f"A row of {model._meta.db_table} cannot be kept there: {_why(error)}.") from None
            if (rows, digest) != _read(model, TARGET):
                raise MoveRefused(f"{model._meta.db_table} reads otherwise in the target than in the source.")
            yield Moved(model._meta.db_table, rows)
        _set_counters()


def _refuse_unless_current() -> None:
    executor = MigrationExecutor(connections[SOURCE])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise MoveRefused("The source is of another version. Migrate it first.")


def _refuse_unless_empty() -> None:
    with connections[TARGET].cursor() as cursor:
        there = set(connections[TARGET].introspection.table_names(cursor)) - MADE_BY_MIGRATING
        for model in _models():
            table = model._meta.db_table
            if table in there:
                cursor.execute(f"SELECT 1 FROM {connections[TARGET].ops.quote_name(table)} LIMIT 1")  # noqa: S608
                if cursor.fetchone() is not None:
                    raise MoveRefused(f"The target is not empty: {table} has rows. Nothing was changed.")


def _models() -> list[type[Model]]:
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.managed and not model._meta.proxy]


def _columns(model: type[Model]) -> Sequence[Any]:
    return model._meta.concrete_fields


def _rows(model: type[Model], alias: str) -> Iterator[tuple[Any, ...]]:
    names = [field.attname for field in _columns(model)]
    rows: Iterator[tuple[Any, ...]] = (
        QuerySet(model, using=alias).order_by().values_list(*names).iterator(chunk_size=BATCH)
    )
    return rows


def _copy(model: type[Model]) -> tuple[int, int]:
    target, fields = connections[TARGET], _columns(model)
    named = ", ".join(target.ops.quote_name(field.column) for field in fields)
    sql = f"COPY {target.ops.quote_name(model._meta.db_table)} ({named}) FROM STDIN"
    count = total = 0
    with target.cursor() as cursor:
        for some in batched(_rows(model, SOURCE), BATCH):
            with cursor.copy(sql) as copy:
                for row in some:
                    pairs = zip(fields, row, strict=True)
                    copy.write_row([field.get_db_prep_save(value, target) for field, value in pairs])
                    count, total = count + 1, (total + _digest(row)) % (1 << 256)
    return count, total


def _read(model: type[Model], alias: str) -> tuple[int, int]:
    """Rows and the sum of their digests: the same in whatever order a database tells them."""
    count = total = 0
    for row in _rows(model, alias):
        count, total = count + 1, (total + _digest(row)) % (1 << 256)
    return count, total


def _digest(row: tuple[Any, ...]) -> int:
    told = json.dumps(row, default=_plain, ensure_ascii=True, sort_keys=True)
    return int.from_bytes(hashlib.sha256(told.encode()).digest())


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview | bytearray):
        return bytes(value).hex()
    return str(value)


def _set_counters() -> None:
    """Numbers go on behind the last one that was ever given, also where its row is gone."""
    target = connections[TARGET]
    with target.cursor() as cursor:
        for sql in target.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(sql)
        for model in _models():
            key = model._meta.pk
            last = _last_given(model._meta.db_table)
            if last and key.get_internal_type().endswith("AutoField"):
                cursor.execute(
                    "SELECT setval(s, greatest(%s, nextval(s) - 1)) FROM pg_get_serial_sequence(%s, %s) s",
                    [last, target.ops.quote_name(model._meta.db_table), key.column],
                )


def _last_given(table: str) -> int:
    with connections[SOURCE].cursor() as cursor:
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def _why(error: Exception) -> str:
    """Without the value, which may be words of a document."""
    if "NUL" in str(error) or "0x00" in str(error) or "u0000" in str(error):
        return "it holds a NUL character, which PostgreSQL does not keep"
    if "too long" in str(error):
        return "a text is longer than its column"
    return (
        type(error).__name__
        if isinstance(error, DatabaseError | psycopg.Error)
        else "a value has a form it cannot have"
    )
