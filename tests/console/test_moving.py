"""``manage.py migrate-store``: the console's people, tokens and trail go on in PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import postgres

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).resolve().parents[2]
FILL = """
from console.audit.models import Actor
from console.people.models import User
from console.people.actions import add_person
from console.policy import Role
from console.projects.actions import make_project, bind_project
from django.contrib.auth.models import Permission
by = Actor(key="test", name="Test")
for at in range(30):
    add_person(by=by, email=f"p{at}@falcon.example", name=f"Person {at} ä “x”", role=Role.VIEWER)
project = make_project(by=by, name="Falcon", members=tuple(User.objects.all()[:5]))
bind_project(by=by, project=project, base_id="proj_falcon", base_name="falcon")
User.objects.filter(email="p29@falcon.example").delete()
"""
TELL = """
import json
from django.apps import apps
from django.db.models import Max
told = {}
for model in apps.get_models(include_auto_created=True):
    rows = model.objects.order_by("pk").values() if hasattr(model, "objects") else model._base_manager.values()
    told[model._meta.db_table] = [str(sorted(row.items())) for row in rows]
for name in ("django_migrations",):
    told.pop(name, None)
print(json.dumps(told, sort_keys=True))
"""
ADD = """
from console.audit.models import Actor
from console.people.actions import add_person
from console.policy import Role
user, _ = add_person(by=Actor(key="test", name="Test"), email="new@falcon.example", name="New", role=Role.VIEWER)
print(user.pk)
"""


def manage(folder: Path, *command: str, url: str = "", ok: bool = True) -> str:
    environment = {**os.environ, "ANTHILL_DATA_DIR": str(folder), "ANTHILL_DATABASE_URL": url}
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is ok, done.stderr
    return done.stdout if ok else done.stderr


def test_everything_is_moved_and_numbers_go_on(tmp_path: Path) -> None:
    manage(tmp_path, "migrate", "-v0")
    manage(tmp_path, "shell", "-v0", "-c", FILL)
    before = manage(tmp_path, "shell", "-v0", "-c", TELL)
    assert before.count("falcon.example") >= 29
    address = tmp_path / "url"
    url = postgres.database("console_moved")
    address.write_text(url)
    said = manage(tmp_path, "migrate-store", "--to", f"@{address}")
    assert "people_user: 29" in said
    assert manage(tmp_path, "shell", "-v0", "-c", TELL, url=url) == before
    assert int(manage(tmp_path, "shell", "-v0", "-c", ADD, url=url)) == 31, "a number is never given twice"
    assert "not empty" in manage(tmp_path, "migrate-store", "--to", url, ok=False)


def test_another_kind_of_database_is_refused_without_its_password(tmp_path: Path) -> None:
    manage(tmp_path, "migrate", "-v0")
    said = manage(tmp_path, "migrate-store", "--to", "mysql://kite:pa55word@db/kite", ok=False)
    assert "postgresql://" in said
    assert "pa55word" not in said
