"""Rows of a model for what is read most: building the same query each time costs more than asking it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Model
from django.db.models.expressions import Col


class _Plan(NamedTuple):
    """A query and, for each of its columns that needs it, what makes the database's value the model's."""

    sql: str
    names: Sequence[str]
    converters: Sequence[tuple[int, Col, Sequence[Callable[..., Any]]]]


def by_key[M: Model](model: type[M], key: str) -> M | None:
    plan = _plan(model, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(f"{plan.sql} WHERE {model._meta.pk.column} = %s", [key])
        found = cursor.fetchone()
    return None if found is None else _made(model, plan, found)


def several[M: Model](model: type[M], condition: str, values: Sequence[str | int]) -> list[M]:
    """The rows that meet a condition in SQL, which may say in what order."""
    plan = _plan(model, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(f"{plan.sql} WHERE {condition}", values)
        return [_made(model, plan, found) for found in cursor.fetchall()]


def _made[M: Model](model: type[M], plan: _Plan, found: Sequence[Any]) -> M:
    values = list(found)
    for at, column, converters in plan.converters:
        for convert in converters:
            values[at] = convert(values[at], column, connection)
    return model.from_db(connection.alias, plan.names, values)


@cache
def _plan(model: type[Model], vendor: str) -> _Plan:
    """``vendor`` only tells the plans of two databases apart."""
    meta = model._meta
    columns = [Col(meta.db_table, field) for field in meta.concrete_fields]
    named = ", ".join(f'"{column.target.column}"' for column in columns)
    sql = f"SELECT {named} FROM {meta.db_table}"  # noqa: S608 - own names
    told = [
        (at, column, [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)])
        for at, column in enumerate(columns)
    ]
    return _Plan(sql, [column.target.attname for column in columns], [each for each in told if each[2]])
