"""For all tests: how long one takes says something of the machine, never of what it tests.

On PostgreSQL (``python -m tests.on_postgres``) those run that touch a store, and those alone; what is about one of the
two databases says so by its mark.
"""

import pytest
from hypothesis import HealthCheck, settings

from tests import postgres

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
STORES = {"db", "transactional_db", "django_db_setup", "live_server"}
"""Fixtures by which a test touches a store. Another way is to start engines."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "postgres: about PostgreSQL alone")
    config.addinivalue_line("markers", "sqlite: about SQLite alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    elsewhere = "sqlite" if postgres.is_used() else "postgres"
    out = [i for i in items if i.get_closest_marker(elsewhere) or (postgres.is_used() and not _touches_a_store(i))]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


def _touches_a_store(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    starts_engines = "EngineProcess" in vars(getattr(item, "module", None) or object)
    marked = item.get_closest_marker("django_db") or item.get_closest_marker("postgres")
    return bool(STORES & fixtures) or marked is not None or starts_engines
