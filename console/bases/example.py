"""The Falcon example: a project, a base and nine documents to look at on the first start."""

from contextlib import ExitStack
from pathlib import Path

from console.audit.models import Actor
from console.bases.actions import Hand, Imported, import_documents, make_base_and_bind
from console.people.models import User
from console.policy import Role
from console.projects.actions import make_project
from console.projects.models import Project
from console.projects.scopes import reading_of
from knowledge.failures import Failed, Failure, Outcome
from knowledge.provider import KnowledgeProvider, UploadFile
from knowledge.scope import Unresolved

BY = Actor(key="command:up", name="Set-up")
NAME = "Falcon programme"
BASE = "falcon-demo"
ABOUT = "An example: one programme, nine documents, and sources that disagree."


def wanted() -> bool:
    """Only a console without any project gets the example."""
    return not Project.objects.exists()


def load_example(provider: KnowledgeProvider, folder: Path) -> Outcome[Imported]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name[:1].isdigit())
    administrators = tuple(User.objects.filter(role=Role.ADMINISTRATOR.value, is_active=True))
    project = make_project(by=BY, name=NAME, description=ABOUT, members=administrators)
    bound = make_base_and_bind(by=BY, project=project, provider=provider, name=BASE, description=ABOUT)
    if isinstance(bound, Failed):
        return bound
    reading = reading_of(project)
    if isinstance(reading, Unresolved):
        return Failed(Failure.SCOPE_UNRESOLVED, reading.reason)
    hand = Hand(by=BY, project=project, scope=reading.scope, provider=provider)
    with ExitStack() as opened:
        uploads = [UploadFile(path.name, opened.enter_context(path.open("rb"))) for path in files]
        return import_documents(hand=hand, files=uploads)
