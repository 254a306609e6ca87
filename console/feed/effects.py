"""What an event means here: which packages to correct, which questions to ask again, which bases to compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import batched

import structlog

from console.connection.actions import SYSTEM
from console.feed.applying import (
    EXPORTED,
    PUBLISHED,
    STATE_CHANGED,
    Effect,
    NotNowError,
    has_acted,
    move_view,
    note_acted,
)
from console.feed.models import Follower, KnownView, Receipt
from console.gaps.actions import ask_again
from console.packages.actions import FOR_GOOD, purge_document
from console.packages.correcting import Cause, correct
from console.packages.queries import statements_told
from console.projects.models import Project
from console.projects.scopes import bases_read, readers_of, whole_scope
from knowledge.failures import Failed, Failure
from knowledge.provider import KnowledgeProvider, StatementFilter
from knowledge.scope import KnowledgeScope

log = structlog.get_logger("console.feed")

BATCH = 50
DOCUMENT = "doc_"
GONE = (Failure.NOT_FOUND, Failure.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Effects:
    """``top_k`` is how many facts a question gets that is asked again."""

    provider: KnowledgeProvider
    top_k: int

    @property
    def by_type(self) -> Mapping[str, Effect]:
        return {PUBLISHED: self.base_moved, STATE_CHANGED: self.base_moved, EXPORTED: _noted}

    def base_moved(self, receipt: Receipt) -> str:
        """A revision or a ruling: the state is noted, then everything that rests on the base is looked at once."""
        told = {"instance_id": receipt.instance_id, "generation": receipt.generation, "base_id": receipt.base_id}
        is_news = move_view(view_id=receipt.view_id, **told)
        self._empty(receipt)
        done = self.look_at(KnownView.objects.get(**told), reference=receipt.causation_id or receipt.event_id)
        return done or ("nothing new" if not is_news else "noted; no project reads this base")

    def look_at(self, view: KnownView, *, reference: str) -> str:
        """Corrects and asks again for every project that reads the base; "" where there was nothing to do."""
        if has_acted(view) or view.base_id not in bases_read():
            return ""
        corrected = self._correct(whole_scope(view.base_id), reference)
        closed = sum(self._ask_again(project, scope) for project, scope in readers_of(view.base_id))
        note_acted(view)
        if not corrected and not closed:
            return "nothing to correct"
        return f"{_counted(corrected, 'package')} corrected, {_counted(closed, 'gap')} closed"

    def compare(self, follower: Follower) -> int:
        """Bases that moved without a word: how many. What a feed lost is found here, later but surely."""
        found = 0
        for base_id in bases_read():
            try:
                found += self._compare(follower, base_id)
            except Exception as error:  # noqa: BLE001 - one base must not keep the others from being compared
                log.warning("feed.not_compared", base=base_id, error=type(error).__name__)
        return found

    def _compare(self, follower: Follower, base_id: str) -> bool:
        page = self.provider.statements(whole_scope(base_id), StatementFilter(page_size=1))
        if isinstance(page, Failed):
            if page.failure in GONE:
                return False
            raise NotNowError(page.reason)
        told = {"instance_id": follower.instance_id, "generation": follower.generation, "base_id": base_id}
        is_news = move_view(view_id=page.value.view_id, **told)
        self.look_at(KnownView.objects.get(**told), reference="compared")
        return is_news

    def _empty(self, receipt: Receipt) -> None:
        """What quotes a document that is gone for good, wherever that was decided."""
        if not receipt.causation_id.startswith(DOCUMENT) or receipt.base_id not in bases_read():
            return
        found = self.provider.document(whole_scope(receipt.base_id), receipt.causation_id)
        if isinstance(found, Failed):
            if found.failure in GONE:
                return
            raise NotNowError(found.reason)
        if found.value.state in FOR_GOOD:
            purge_document(
                by=SYSTEM,
                project=_first_reader(receipt.base_id),
                base_id=receipt.base_id,
                document_id=found.value.id,
                because=f"document {found.value.id} is {found.value.state}",
            )

    def _correct(self, scope: KnowledgeScope, reference: str) -> int:
        corrected = 0
        for some in batched(statements_told(scope.base_id), BATCH):
            done = correct(
                scope=scope, provider=self.provider, statement_ids=some, cause=Cause.REVISION, reference=reference
            )
            if done < 0:
                raise NotNowError("What was handed out could not be compared.")
            corrected += done
        return corrected

    def _ask_again(self, project: Project, scope: KnowledgeScope) -> int:
        done = ask_again(project=project, scope=scope, provider=self.provider, top_k=self.top_k)
        if isinstance(done, Failed):
            raise NotNowError(done.reason)
        return done.value.closed


def _first_reader(base_id: str) -> str:
    """Whose trail it stands in; none where the base is bound for others, and nobody reads it at the moment."""
    return next((project.slug for project, _scope in readers_of(base_id)), "")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _noted(receipt: Receipt) -> str:
    return "noted"
