"""The words a base adds to the built-in lists."""

from typing import Annotated, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from forager.api.shapes.requests import STRICT, Name

Word = Annotated[str, Field(min_length=1, max_length=300)]
Words = Annotated[list[Word], Field(max_length=200)]
Pair = Annotated[list[Word], Field(min_length=2, max_length=2)]


@with_config(STRICT)
class Opposite(TypedDict):
    """Cues that say yes and cues that say no."""

    yes: Words
    no: Words


@with_config(STRICT)
class AddedWords(TypedDict):
    """Words by attribute concept, opposite cues by scale, pairs of names that are one."""

    concepts: NotRequired[dict[str, Words]]
    opposites: NotRequired[dict[str, Opposite]]
    aliases: NotRequired[Annotated[list[Pair], Field(max_length=500)]]


class Vocabulary(TypedDict):
    """``in_use`` says whether the last run read with these words; else the next one will."""

    project_id: str
    words: AddedWords
    digest: str
    in_use: bool
    known_concepts: list[str]
    known_scales: list[str]


@with_config(STRICT)
class PutVocabulary(TypedDict):
    words: AddedWords
    expected_digest: str
    notes: NotRequired[Annotated[str, Field(max_length=4000)]]
    actor: Name
