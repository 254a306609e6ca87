"""What a tool takes. Unknown names are refused; nothing here names a knowledge base, a project or a token."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

type Question = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=500),
    Field(description="What to look for, in words; names and exact identifiers weigh most."),
]
type StatementRef = Annotated[
    str,
    StringConstraints(pattern=r"^(knowledge:[a-z0-9_-]{1,60}/)?[A-Za-z][A-Za-z0-9_-]{0,199}$"),
    Field(description="The id of a statement, or its citable line."),
]
type EntityRef = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Field(description="The id or the name of an entity."),
]
type Floor = Annotated[
    Literal["", "direct_fact", "supported_inference", "uncertain_inference", "unverified_claim"],
    Field(description="The weakest support to show. It may raise the token's own floor, never lower it."),
]
type Day = Annotated[
    str,
    StringConstraints(pattern=r"^(\d{4}-\d{2}-\d{2})?$"),
    Field(description="What held on this day (YYYY-MM-DD)."),
]
type PackageRef = Annotated[
    str,
    StringConstraints(pattern=r"^(knowledge:[a-z0-9_-]{1,60}/packages/)?pkg_[0-9a-f]{32}$"),
    Field(description="The id of a package, or its address as a resource."),
]
type Attempt = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$"),
    Field(description="What the package is for, in the caller's own words, for example the id of its attempt."),
]
type Purpose = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$"),
    Field(description="Why it is asked; kept in the manifest."),
]
type Historical = Annotated[bool, Field(description="Whether statements that were superseded are shown, too.")]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _can_be_kept(cls, value: object) -> object:
        """A NUL character is kept by one database and refused by the other; no words hold one."""
        if isinstance(value, str) and "\0" in value:
            raise ValueError("holds a NUL character")
        return value


class Narrowed(Arguments):
    min_support: Floor = ""
    include_historical: Historical = False
    as_of: Day = ""


class SearchArguments(Narrowed):
    query: Question
    limit: int = Field(10, ge=1, le=50, description="How many statements at most.")


class RetrieveArguments(Narrowed):
    query: Question
    top_k: int = Field(0, ge=0, le=50, description="How many facts at most; 0 is the console's own setting.")
    max_chars: int = Field(0, ge=0, le=200_000, description="How long at most; 0 is the console's own setting.")
    attempt: Attempt = ""
    purpose: Purpose = ""
    with_packet: bool = Field(False, description="Whether the packet for knowledge_admit comes along.")


class GetArguments(Arguments):
    statement: StatementRef
    history: bool = Field(False, description="Whether to tell its earlier versions and why each ended.")


class ListArguments(Arguments):
    cursor: str = Field("", max_length=500, description="Where the last page ended.")


class EvidenceArguments(Arguments):
    statement: StatementRef


class RecallArguments(Narrowed):
    query: Question
    min_hits: int = Field(1, ge=1, le=20, description="How many hits a tier must have to answer.")
    limit: int = Field(10, ge=1, le=50, description="How many hits at most.")


class EntityArguments(Arguments):
    entity: EntityRef


class NeighborsArguments(Narrowed):
    entity: EntityRef
    depth: int = Field(1, ge=1, le=2, description="How many statements away.")
    limit: int = Field(50, ge=1, le=200, description="How many statements at most.")


class WalkArguments(Narrowed):
    entity: EntityRef
    query: Question
    budget: int = Field(20, ge=1, le=100, description="How many statements at most.")
    beam: int = Field(4, ge=1, le=10, description="How many ways are followed at once.")


class Held(BaseModel):
    """A statement that is held, with as much of its evidence as is known; every part given must still be so."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    statement: StatementRef
    evidence_id: str = Field("", max_length=200)
    source_id: str = Field("", max_length=200)
    version: str = Field("", max_length=200)
    excerpt_hash: str = Field("", max_length=200)


class CheckArguments(Arguments):
    """Either references or a package."""

    references: list[Held] = Field([], max_length=200, description="What is held of statements.")
    package: PackageRef | Literal[""] = ""


class Place(BaseModel):
    """A whole reference, as evidence and packets name it (``excerpt_hash`` is a packet's ``digest``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    statement: StatementRef
    evidence_id: str = Field(min_length=1, max_length=200)
    source_id: str = Field(min_length=1, max_length=200)
    version: str = Field(max_length=200)
    excerpt_hash: str = Field(min_length=1, max_length=200)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class OpenArguments(Arguments):
    reference: Place
    expand: Literal["", "parent"] = Field("", description="parent: the whole passage around the span, or nothing.")
    max_bytes: int = Field(4000, ge=1, le=200_000, description="How long that passage may be; it is never cut.")


class AdmitArguments(Arguments):
    """Lengths are in tokens of the tokenizer that the console's operator named, else in UTF-8 bytes."""

    packet: dict[str, Any] = Field(description="A packet of retrieval-contract-v1.")
    evidence_budget: int = Field(
        4000, ge=1, le=200_000, description="Room for the evidence, in units of the tokenizer."
    )
    prompt_budget: int = Field(8000, ge=1, le=400_000, description="Room for the prompt as it is sent.")
    generation_budget: int = Field(0, ge=0, le=400_000, description="Room the answer takes first.")
    window: int = Field(0, ge=0, le=2_000_000, description="Prompt and answer together; 0 is unknown.")
    system_instruction: str = Field("", max_length=8000, description="What the prompt begins with.")
    attempt: Attempt = ""


class PackageArguments(Arguments):
    package: PackageRef


class CiteArguments(Arguments):
    package: PackageRef
    answer: str = Field(min_length=1, max_length=50_000, description="The answer as it was given, with its citations.")


class OutcomeArguments(Arguments):
    package: PackageRef
    outcome: Literal["answered", "consumer_unavailable", "consumer_failed", "malformed", "unverified"]
    raw: str = Field("", max_length=20_000, description="What the consumer said, as it came.")


class CorrectionsArguments(Arguments):
    cursor: str = Field("", max_length=18, description="Where the last page ended; empty is from the beginning.")


class HistoryArguments(Arguments):
    statement: StatementRef
