"""The words a base adds for itself; no other base ever reads with them."""

from forager.api import shapes
from forager.api.access import Scope
from forager.api.conflicts import refused
from forager.api.endpoint import Call, endpoint
from forager.api.errors import ValidationFailed
from forager.extraction import lexicon
from forager.extraction.vocabulary import VocabularyRefused
from forager.model.models import KnowledgeBase
from forager.review import vocabulary
from forager.review.merging import Who
from forager.review.rulings import RulingRefused


@endpoint("GET", "/projects/<base>/vocabulary", Scope.READ, answer=shapes.Vocabulary)
def get_vocabulary(call: Call[None, None], base: str) -> shapes.Vocabulary:
    """The words a base adds, and the names of the built-in concepts and scales they can join."""
    return _shape(call.base(base))


@endpoint(
    "PUT", "/projects/<base>/vocabulary", Scope.MANAGE_BASES,
    body=shapes.PutVocabulary, answer=shapes.Vocabulary, errors=(409,),
)  # fmt: skip
def set_vocabulary(call: Call[None, shapes.PutVocabulary], base: str) -> shapes.Vocabulary:
    """Replaces the words a base adds; its next run reads with them. No job starts."""
    row, body = call.open_base(base), call.body
    who = Who(body["actor"], body.get("notes", ""))
    try:
        vocabulary.put(row.pk, body["words"], who, expected_digest=body["expected_digest"])
    except VocabularyRefused as error:
        raise ValidationFailed(fields={f"words.{error.field}": str(error)}) from error
    except RulingRefused as error:
        raise refused(error) from error
    return _shape(call.base(base))


def _shape(base: KnowledgeBase) -> shapes.Vocabulary:
    asked = vocabulary.asked(base)
    return {
        "project_id": base.pk,
        "words": asked["words"],
        "digest": asked["digest"],
        "in_use": base.next_vocabulary is None,
        "known_concepts": sorted(lexicon.built_in("concepts")),
        "known_scales": sorted(lexicon.scales()),
    }
